// SPDX-License-Identifier: Apache-2.0
// What is proven: results of operators as functions of one number x times given factors, with an
// exact reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/ops/support/activations.h"
#include "tests/prove/quick.h"
#include "tests/prove/real.h"

namespace aclgrad::prove {

// The function's value where no precision of any practical size would show it: `value`, moved by
// less than a part in 2^38 to the side (-1, 0 or 1) on which it lies. That decides ties.
struct Limit {
  long double value;
  int side;
};

struct ProvenFunction {
  testing::Activation activation;
  Quick quick;
  // `divisor` times the function: in long double, good to 2^-50 relative but for the range of
  // cancellation; in any precision, good to all but 64 of its bits.
  long double (*precise)(const long double& x);
  Real (*exact)(const Real& x);
  int divisor = 1;
  std::optional<Limit> (*limit)(long double x) = nullptr;
  // Between these x the terms of the function cancel, and neither quick nor precise is good.
  double cancels_from = 0;
  double cancels_to = 0;
  std::vector<double> kinks = {};  // where a slope jumps
  // What bench/peers calls the function, where a library has it.
  std::string torch_name = {};
  std::string onednn_name = {};
  // Of FLOAT, in ulp: at gradient 1 and at any.
  double bound = 1;
  double product_bound = 1.5;
  bool is_sampled = false;  // a variation: of FLOAT one input in 64 is enough

  const std::string& name() const { return activation.name; }
  bool has_factor() const { return !activation.factors.empty(); }
  bool cancels(double x) const { return cancels_from < x && x < cancels_to; }
};

const std::vector<ProvenFunction>& proven_functions();

}  // namespace aclgrad::prove
