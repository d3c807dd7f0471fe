// SPDX-License-Identifier: Apache-2.0
// Linear layers with SELU and alpha dropout (Klambauer et al. 2017), or with ReLU and dropout.
#pragma once

#include <aclgrad/aclgrad.h>

#include <string>
#include <vector>

namespace self_normalizing {

// Linear layers of these widths, all with LeCun's initial weights, as SELU wants them.
inline aclgrad::Sequential network(const std::string& activation,
                                   const std::vector<std::int64_t>& widths, double dropout,
                                   std::uint64_t seed) {
  using namespace aclgrad;
  Sequential made;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const bool last = i + 1 == widths.size();
    made.add(Linear(last ? "output" : "hidden" + std::to_string(i), widths[i - 1], widths[i],
                    {.seed = 100 * seed + i}));
    if (last) break;
    const std::string drop = "drop" + std::to_string(i);
    if (activation == "selu") {
      made.add(Selu{});
      if (dropout > 0) made.add(AlphaDropout(drop, dropout, seed));
    } else {
      made.add(Relu{});
      if (dropout > 0) made.add(Dropout(drop, dropout, seed));
    }
  }
  return made;
}

}  // namespace self_normalizing
