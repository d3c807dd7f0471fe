// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/adamw.h"

#include <cmath>

namespace aclgrad::ops {

Kernel adamw_step(const AdamWSettings& settings) {
  return RealKernel([settings](const double* const* in, double* const* out, size_t count) {
    const double t = in[4][0] + 1;
    const double step_size = settings.lr / (1 - std::pow(settings.beta1, t));
    const double root_correction = std::sqrt(1 - std::pow(settings.beta2, t));
    const double decay = 1 - settings.lr * settings.weight_decay;
    for (size_t i = 0; i < count; ++i) {
      const double g = settings.maximize ? -in[3][i] : in[3][i];
      const double m = in[1][i] + (1 - settings.beta1) * (g - in[1][i]);
      const double v = settings.beta2 * in[2][i] + (1 - settings.beta2) * (g * g);
      double u = v;
      if (settings.amsgrad) {
        // Written so that a NaN on either side stays: what diverged must show.
        const double largest = in[5][i];
        u = largest >= v || std::isnan(largest) ? largest : v;
        out[3][i] = u;
      }
      out[0][i] =
          in[0][i] * decay - step_size * (m / (std::sqrt(u) / root_correction + settings.eps));
      out[1][i] = m;
      out[2][i] = v;
    }
  });
}

}  // namespace aclgrad::ops
