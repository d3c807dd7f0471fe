// SPDX-License-Identifier: Apache-2.0
// One call of the backward under test, with guarded memory on all sides.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck::detail {

struct ExecutionOptions {
  Layout layout = Layout::contiguous;
  unsigned char output_poison = 0xA5;
  unsigned char input_poison = 0xFF;  // of what lies between the inputs' elements: NaN patterns
  unsigned char scratch_poison = 0xFF;
  int threads = 0;
  std::optional<std::size_t> in_place = {};  // the first gradient overwrites this input
  std::vector<bool> wanted = {};             // by gradient; empty: all
};

struct Execution {
  Arrays gradients;                          // as written
  std::vector<std::vector<std::byte>> bits;  // the same, byte by byte
  std::string outside;         // where memory outside an output was written; empty: nowhere
  std::string changed_inputs;  // which inputs were written to; empty: none
};

/// Throws Failure when the call does not return well.
Execution execute(const Candidate& candidate, DType dtype, const Arrays& given,
                  const Arrays& inputs, const ExecutionOptions& options);

inline Execution execute(const Candidate& candidate, const Problem& problem,
                         const ExecutionOptions& options) {
  return execute(candidate, problem.dtype, problem.given, problem.inputs, options);
}

/// For executions whose results are not compared with derivatives: throws Failure when all of a
/// gradient is NaN, although the problem has derivatives.
void require_numbers(const Problem& problem, const Execution& execution);

}  // namespace aclgrad::gradcheck::detail
