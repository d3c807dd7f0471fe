// SPDX-License-Identifier: Apache-2.0
#include "live/rounding.h"

#include <cmath>

#include "aclgrad/gradcheck_numbers.h"
#include "session/executable.h"

namespace aclgrad::live {

double Rounding::next() {
  state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return 2 * static_cast<double>(state_ >> 11) * 0x1p-53 - 1;
}

void Rounding::after_node(const detail::NodeRun& run) {
  for (const ValueId output : run.node.outputs) {
    Tensor tensor = run.executable.memory().download(output);
    if (!is_floating(tensor.dtype())) continue;
    bool changed = false;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double value = tensor.get(i);
      if (value == 0 || !std::isfinite(value)) continue;  // masks and padding are exact
      const double off =
          value + next() * 1.5 * static_cast<double>(gradcheck::ulp(value, tensor.dtype()));
      if (!std::isfinite(off) || off == value) continue;
      tensor.set(i, off);
      changed = true;
    }
    if (changed) run.executable.memory().upload(output, tensor);
  }
}

}  // namespace aclgrad::live
