// SPDX-License-Identifier: Apache-2.0
// A mutant as those call it who train with it: forward and backward on contiguous tensors of one
// dtype, in memory that earlier calls have used.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/mutants/mutant.h"

namespace aclgrad::bench {

/// Mutants first, then operators that are right.
struct Contestants {
  std::vector<mutants::Mutant> all;
  std::size_t wrong = 0;  // how many of them are mutants
};
const Contestants& contestants();

class Callee {
 public:
  Callee(const mutants::Mutant& mutant, DType dtype);

  const gradcheck::Candidate& candidate() const { return candidate_; }
  DType dtype() const { return dtype_; }

  /// Places of the inputs that have a gradient.
  const std::vector<std::size_t>& differentiable() const { return differentiable_; }

  /// Random inputs, spread evenly over their domains; classes, masks and the like as they suit.
  gradcheck::Arrays draw(std::uint64_t seed) const;

  /// What the backward is given, with an upstream gradient of 0.
  gradcheck::Arrays given(const gradcheck::Arrays& inputs) const;

  /// The first result, as the dtype stores it.
  gradcheck::Array forward(const gradcheck::Arrays& inputs) const;

  /// The gradients. Those that are not wanted are empty. What the backward does to its inputs shows
  /// in `inputs` and `upstream`. Throws gradcheck's ValueError where the backward fails.
  gradcheck::Arrays backward(gradcheck::Arrays& inputs, gradcheck::Array& upstream,
                             const std::vector<bool>& wanted = {});

 private:
  mutants::Mutant mutant_;
  DType dtype_;
  gradcheck::Candidate candidate_;
  std::vector<std::size_t> differentiable_;
  gradcheck::Arrays last_;  // gradients, in whose memory the next ones are put
};

}  // namespace aclgrad::bench
