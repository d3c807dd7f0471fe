// SPDX-License-Identifier: Apache-2.0
// The likeliest sequences that a decoder writes, as far as a search finds them.
#pragma once

#include <aclgrad/aclgrad.h>

#include <cstdint>

#include "examples/translate/model.h"

namespace translate {

struct BeamOptions {
  std::int64_t beams = 4;    // 1 takes the best digit each time: greedy
  std::int64_t length = 10;  // of what is written
  std::int64_t begin = 11;   // what it begins with, and is not returned
};

// For each source [n, S] the sequence [length] of the largest sum of logarithms of probabilities,
// where after each digit only the best so many beginnings are kept. The memory of a source is made
// once.
aclgrad::Tensor beam_search(const Translator& model, const aclgrad::Tensor& sources,
                            const BeamOptions& options);

// How many in a hundred sequences [n, length] are right in all places.
double percent_right(const aclgrad::Tensor& written, const aclgrad::Tensor& targets);

}  // namespace translate
