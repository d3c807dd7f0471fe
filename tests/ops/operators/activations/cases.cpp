// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/operators/activations/cases.h"

#include <cmath>
#include <cstring>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace aclgrad::testing {
namespace {

constexpr long double kTwoRoot = 1.5957691216057307117597842397375L;   // 2 sqrt(2/pi)
constexpr long double kDensity = 0.39894228040143267793994605993438L;  // 1 / sqrt(2 pi)

// a + b; where that is inexact, the neighbour whose last bit is 1, so that rounding it again to a
// shorter format decides ties as the exact sum would.
long double add_to_odd(long double a, long double b) {
  const long double sum = a + b;
  const long double part = sum - a;
  const long double error = (a - (sum - part)) + (b - part);
  const bool inexact = error < 0 || error > 0;
  if (!inexact || (load_as<uint64_t>(&sum, 0) & 1) != 0) return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VALL : -HUGE_VALL);
}

// Where functions are their linear part and a rest that long double would lose.
constexpr long double kTiny = 1e-15L;

long double upper_tail(long double a) { return 0.5L * std::erfc(a / std::sqrt(2.0L)); }

long double logistic(long double z) {
  return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
}

long double tanh_argument(long double x) { return kTwoRoot * (x + 0.044715L * x * x * x); }

constexpr long double kEluLimit = static_cast<long double>(kEluAlpha) * kEluScale;

long double elu(long double x) {
  if (x > 0) return kEluScale * x;
  const long double z = x * kEluInputScale;
  if (z > -kTiny) return add_to_odd(kEluLimit * z, kEluLimit * z * z / 2);
  return kEluLimit * std::expm1(z);
}

long double elu_slope(long double x) {
  if (x > 0) return kEluScale;
  const long double factor = kEluLimit * kEluInputScale;
  const long double z = x * kEluInputScale;
  return z > -kTiny ? add_to_odd(factor, factor * z) : factor * std::exp(z);
}

long double elu_slope_of_result(long double y) {
  if (y > 0) return kEluScale;
  return std::isinf(y) ? y : add_to_odd(kEluInputScale * y, kEluInputScale * kEluLimit);
}

long double hardswish(long double x) {
  if (x <= -3) return 0;
  return x >= 3 ? x : add_to_odd(x / 2, x * x / 6);
}

long double hardswish_slope(long double x) {
  if (x < -3) return 0;
  return x > 3 ? 1 : x / 3 + 0.5L;
}

long double hardswish_slope_v2(long double x) {
  if (x <= -3) return 0;
  return x >= 3 ? 1 : x / 3 + 0.5L;
}

// ---- Calls --------------------------------------------------------------------------------------

aclnnStatus run_elu_backward(aclrtStream stream, bool is_result, const Array& x, const Array& out) {
  const Scalar alpha(kEluAlpha);
  const Scalar scale(kEluScale);
  const Scalar input_scale(kEluInputScale);
  const Array ones = ones_like(x);
  return run_two_phases(stream, aclnnEluBackwardGetWorkspaceSize, aclnnEluBackward, ones.tensor(),
                        alpha.get(), scale.get(), input_scale.get(), is_result, x.tensor(),
                        out.tensor());
}

aclnnStatus run_gelu_backward_v2(aclrtStream stream, std::string approximate, const Array& x,
                                 const Array& out) {
  const Array ones = ones_like(x);
  return run_two_phases(stream, aclnnGeluBackwardV2GetWorkspaceSize, aclnnGeluBackwardV2,
                        ones.tensor(), x.tensor(), approximate.data(), out.tensor());
}

// The parts [first, second] one after the other.
Array joined(const Array& first, const Array& second) {
  Array result(first.dtype(), {first.count() + second.count()});
  for (int64_t i = 0; i < first.count(); ++i) result.set(i, first.get(i));
  for (int64_t i = 0; i < second.count(); ++i) result.set(first.count() + i, second.get(i));
  return result;
}

void copy_part(const Array& from, int64_t begin, const Array& to) {
  const size_t size = aclDataTypeSize(from.dtype());
  std::memcpy(to.data(), static_cast<const char*>(from.data()) + static_cast<size_t>(begin) * size,
              static_cast<size_t>(to.count()) * size);
}

enum class Wanted { kOut, kOutGelu };

// GEGLU with ones in the half that multiplies.
aclnnStatus run_geglu(aclrtStream stream, int64_t approximate, bool activate_left, Wanted wanted,
                      const Array& x, const Array& out) {
  const Array self = activate_left ? joined(x, ones_like(x)) : joined(ones_like(x), x);
  const Array other(out.dtype(), out.shape());
  const bool gelu = wanted == Wanted::kOutGelu;
  return run_two_phases(stream, aclnnGeGluV3GetWorkspaceSize, aclnnGeGluV3, self.tensor(),
                        int64_t{0}, approximate, activate_left,
                        gelu ? other.tensor() : out.tensor(), gelu ? out.tensor() : other.tensor());
}

// The gradient of the half that goes through gelu, with ones in the other half.
aclnnStatus run_geglu_backward(aclrtStream stream, int64_t approximate, bool activate_left,
                               const Array& x, const Array& out) {
  const Array ones = ones_like(x);
  const Array self = activate_left ? joined(x, ones) : joined(ones, x);
  const Array grad_input(self.dtype(), self.shape());
  const aclnnStatus status = run_two_phases(
      stream, aclnnGeGluV3BackwardGetWorkspaceSize, aclnnGeGluV3Backward, ones.tensor(),
      self.tensor(), ones.tensor(), int64_t{0}, approximate, activate_left, grad_input.tensor());
  copy_part(grad_input, activate_left ? 0 : x.count(), out);
  return status;
}

Case geglu_row(const std::string& name, int64_t approximate, bool activate_left, Wanted wanted) {
  return {name,
          [=](aclrtStream stream, const Array& x, const Array& out) {
            return run_geglu(stream, approximate, activate_left, wanted, x, out);
          },
          approximate == 0 ? gelu_erf : gelu_tanh, false};
}

Case geglu_backward_row(const std::string& name, int64_t approximate, bool activate_left) {
  return {name,
          [=](aclrtStream stream, const Array& x, const Array& out) {
            return run_geglu_backward(stream, approximate, activate_left, x, out);
          },
          approximate == 0 ? gelu_erf_slope : gelu_tanh_slope, false};
}

}  // namespace

long double selu(long double x) {
  return x > 0 ? kSeluLambda * x : kSeluLambdaAlpha * std::expm1(x);
}

long double gelu_erf(long double x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  if (std::abs(x) < kTiny) return add_to_odd(x / 2, x * x * kDensity);
  return x * upper_tail(-x);
}

long double gelu_tanh(long double x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  if (std::abs(x) < kTiny) return add_to_odd(x / 2, x * tanh_argument(x) / 4);
  return x * logistic(tanh_argument(x));
}

long double gelu_erf_slope(long double x) {
  if (std::isinf(x)) return x > 0 ? 1 : 0;
  return upper_tail(-x) + x * kDensity * std::exp(-x * x / 2);
}

long double gelu_tanh_slope(long double x) {
  if (std::isinf(x)) return x > 0 ? 1 : 0;
  const long double z = tanh_argument(x);
  return logistic(z) * (1 + x * logistic(-z) * kTwoRoot * (1 + 3 * 0.044715L * x * x));
}

Array ones_like(const Array& like) {
  Array result(like.dtype(), like.shape());
  result.fill({1});
  return result;
}

std::vector<Case> activation_cases() {
  return {
      {"Selu",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_two_phases(stream, aclnnSeluGetWorkspaceSize, aclnnSelu, x.tensor(),
                               out.tensor());
       },
       selu},
      {"SeluBackward",
       [](aclrtStream stream, const Array& y, const Array& out) {
         const Array ones = ones_like(y);
         return run_two_phases(stream, aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward,
                               ones.tensor(), y.tensor(), out.tensor());
       },
       [](long double y) { return y < 0 ? y + kSeluLambdaAlpha : kSeluLambda; }},
      {"Elu",
       [](aclrtStream stream, const Array& x, const Array& out) {
         const Scalar alpha(kEluAlpha);
         const Scalar scale(kEluScale);
         const Scalar input_scale(kEluInputScale);
         return run_two_phases(stream, aclnnEluGetWorkspaceSize, aclnnElu, x.tensor(), alpha.get(),
                               scale.get(), input_scale.get(), out.tensor());
       },
       elu},
      {"EluBackward of input",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_elu_backward(stream, false, x, out);
       },
       elu_slope},
      {"EluBackward of result",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_elu_backward(stream, true, x, out);
       },
       elu_slope_of_result},
      {"Hardswish",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_two_phases(stream, aclnnHardswishGetWorkspaceSize, aclnnHardswish, x.tensor(),
                               out.tensor());
       },
       hardswish},
      {"HardswishBackward",
       [](aclrtStream stream, const Array& x, const Array& out) {
         const Array ones = ones_like(x);
         return run_two_phases(stream, aclnnHardswishBackwardGetWorkspaceSize,
                               aclnnHardswishBackward, ones.tensor(), x.tensor(), out.tensor());
       },
       hardswish_slope},
      {"HardswishBackwardV2",
       [](aclrtStream stream, const Array& x, const Array& out) {
         const Array ones = ones_like(x);
         return run_two_phases(stream, aclnnHardswishBackwardV2GetWorkspaceSize,
                               aclnnHardswishBackwardV2, ones.tensor(), x.tensor(), out.tensor());
       },
       hardswish_slope_v2},
      {"Gelu",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_two_phases(stream, aclnnGeluGetWorkspaceSize, aclnnGelu, x.tensor(),
                               out.tensor());
       },
       gelu_tanh},
      {"GeluV2 tanh",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_two_phases(stream, aclnnGeluV2GetWorkspaceSize, aclnnGeluV2, x.tensor(),
                               int64_t{1}, out.tensor());
       },
       gelu_tanh},
      {"GeluV2 erf",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_two_phases(stream, aclnnGeluV2GetWorkspaceSize, aclnnGeluV2, x.tensor(),
                               int64_t{0}, out.tensor());
       },
       gelu_erf},
      {"GeluBackward",
       [](aclrtStream stream, const Array& x, const Array& out) {
         const Array ones = ones_like(x);
         return run_two_phases(stream, aclnnGeluBackwardGetWorkspaceSize, aclnnGeluBackward,
                               ones.tensor(), x.tensor(), out.tensor());
       },
       gelu_tanh_slope},
      {"GeluBackwardV2 tanh",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_gelu_backward_v2(stream, "tanh", x, out);
       },
       gelu_tanh_slope},
      {"GeluBackwardV2 none",
       [](aclrtStream stream, const Array& x, const Array& out) {
         return run_gelu_backward_v2(stream, "none", x, out);
       },
       gelu_erf_slope},
      geglu_row("GeGluV3 erf right", 0, false, Wanted::kOut),
      geglu_row("GeGluV3 tanh right", 1, false, Wanted::kOut),
      geglu_row("GeGluV3 erf left", 0, true, Wanted::kOut),
      geglu_row("GeGluV3 tanh left, outGelu", 1, true, Wanted::kOutGelu),
      geglu_row("GeGluV3 erf right, outGelu", 0, false, Wanted::kOutGelu),
      geglu_backward_row("GeGluV3Backward erf right", 0, false),
      geglu_backward_row("GeGluV3Backward tanh right", 1, false),
      geglu_backward_row("GeGluV3Backward erf left", 0, true),
      geglu_backward_row("GeGluV3Backward tanh left", 1, true),
  };
}

Case activation_case(const std::string& name) {
  for (Case& row : activation_cases()) {
    if (row.name == name) return row;
  }
  throw std::invalid_argument("no case " + name);
}

}  // namespace aclgrad::testing
