// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/function.h"

#include <cmath>

#include "tests/prove/formulas.h"

namespace aclgrad::prove {
namespace {

namespace calls = testing::activations;
using testing::Activation;
using testing::EluScalars;

// ---- Where functions come close to something simple ---------------------------------------------

constexpr long double kNearZero = 0x1p-40L;
// From here on e^(-x^2/2) is far below the last digit of anything.
constexpr long double kFar = 40;

// x Phi(x) = x/2 + x^2 phi(0) - ..., below x far out; the same for the tanh form.
std::optional<Limit> gelu_limit(long double x) {
  if (std::fabs(x) <= kNearZero) return Limit{x / 2, x == 0 ? 0 : 1};
  if (x >= kFar) return Limit{x, std::isinf(x) ? 0 : -1};
  if (std::isinf(x)) return Limit{-0.0L, 0};
  return std::nullopt;
}

// Rises through 1/2 at 0; comes down to 1 far out.
std::optional<Limit> gelu_slope_limit(long double x) {
  if (std::fabs(x) <= kNearZero) return Limit{0.5L, x == 0 ? 0 : (x > 0 ? 1 : -1)};
  if (x >= kFar) return Limit{1, std::isinf(x) ? 0 : 1};
  if (std::isinf(x)) return Limit{-0.0L, 0};
  return std::nullopt;
}

// c (z + z^2/2 + ...) below 0, with z = inputScale x.
template <Quarters q>
std::optional<Limit> elu_limit(long double x) {
  if (x > 0 || x < -kNearZero) return std::nullopt;
  return Limit{q.alpha * q.scale * q.input_scale / 64.0L * x, x == 0 ? 0 : 1};
}

// c e^z, and of the result c + inputScale y: both below c.
template <Quarters q>
std::optional<Limit> elu_slope_limit(long double x) {
  if (x > 0 || x < -kNearZero) return std::nullopt;
  return Limit{q.alpha * q.scale * q.input_scale / 64.0L, x == 0 ? 0 : -1};
}

// x/2 + x^2/6.
std::optional<Limit> hardswish_limit(long double x) {
  if (std::fabs(x) <= kNearZero) return Limit{x / 2, x == 0 ? 0 : 1};
  return std::nullopt;
}

// 1/2 + x/3.
std::optional<Limit> hardswish_slope_limit(long double x) {
  if (std::fabs(x) <= kNearZero) return Limit{0.5L, x == 0 ? 0 : (x > 0 ? 1 : -1)};
  return std::nullopt;
}

// ---- The table ----------------------------------------------------------------------------------

// A function in the three precisions. (A macro would be shorter, templates cannot name templates of
// functions.)
struct Reference {
  Quick quick;
  long double (*precise)(const long double& x);
  Real (*exact)(const Real& x);
};

constexpr Reference kSelu{quick::selu, selu, selu};
constexpr Reference kSeluSlope{quick::selu_slope, selu_slope, selu_slope};
// A function of ELU in double with these scalars.
template <auto kFunction, Quarters q>
void with(const double* x, double* value, size_t count) {
  kFunction(x, value, count, {q.alpha / 4.0, q.scale / 4.0, q.input_scale / 4.0});
}
template <Quarters q>
constexpr Reference kElu{with<quick::elu, q>, elu<long double, q>, elu<Real, q>};
template <Quarters q>
constexpr Reference kEluSlope{with<quick::elu_slope, q>, elu_slope<long double, q>,
                              elu_slope<Real, q>};
template <Quarters q>
constexpr Reference kEluOfResult{with<quick::elu_slope_of_result, q>,
                                 elu_slope_of_result<long double, q>, elu_slope_of_result<Real, q>};
constexpr Reference kHardswish{quick::hardswish, hardswish_6, hardswish_6};
constexpr Reference kHardswishClosed{quick::hardswish_slope_closed, hardswish_slope_closed_6,
                                     hardswish_slope_closed_6};
constexpr Reference kHardswishOpen{quick::hardswish_slope_open, hardswish_slope_open_6,
                                   hardswish_slope_open_6};
constexpr Reference kGeluErf{quick::gelu_erf, gelu_erf, gelu_erf};
constexpr Reference kGeluErfSlope{quick::gelu_erf_slope, gelu_erf_slope, gelu_erf_slope};
constexpr Reference kGeluTanh{quick::gelu_tanh, gelu_tanh, gelu_tanh};
constexpr Reference kGeluTanhSlope{quick::gelu_tanh_slope, gelu_tanh_slope, gelu_tanh_slope};
constexpr Reference kIdentity{quick::identity, identity, identity};

ProvenFunction function(Activation activation, const Reference& reference) {
  ProvenFunction made;
  made.activation = std::move(activation);
  made.quick = reference.quick;
  made.precise = reference.precise;
  made.exact = reference.exact;
  return made;
}

ProvenFunction limited(std::optional<Limit> (*limit)(long double), ProvenFunction made) {
  made.limit = limit;
  return made;
}

ProvenFunction kinked_at(std::vector<double> kinks, ProvenFunction made) {
  made.kinks = std::move(kinks);
  return made;
}

ProvenFunction with_peers(std::string torch, std::string onednn, ProvenFunction made) {
  made.torch_name = std::move(torch);
  made.onednn_name = std::move(onednn);
  return made;
}

ProvenFunction sampled(ProvenFunction made) {
  made.is_sampled = true;
  return made;
}

// y + limit near -limit.
ProvenFunction cancelling_at(double x, ProvenFunction made) {
  made.cancels_from = x - 0x1p-12;
  made.cancels_to = x + 0x1p-12;
  return made;
}

ProvenFunction hardswish_like(ProvenFunction made, std::optional<Limit> (*limit)(long double)) {
  made.divisor = 6;
  made.limit = limit;
  return made;
}

ProvenFunction gelu_value(Activation activation, bool tanh) {
  ProvenFunction made = function(std::move(activation), tanh ? kGeluTanh : kGeluErf);
  made.limit = gelu_limit;
  made.bound = made.product_bound = 2;
  return made;
}

// Both slopes are 0 at about -0.752.
ProvenFunction gelu_slope(Activation activation, bool tanh) {
  ProvenFunction made = function(std::move(activation), tanh ? kGeluTanhSlope : kGeluErfSlope);
  made.limit = gelu_slope_limit;
  made.bound = made.product_bound = 2;
  made.cancels_from = -0.756;
  made.cancels_to = -0.748;
  return made;
}

std::vector<ProvenFunction> selu_functions() {
  constexpr double kLambdaAlpha = 1.7580993408473768599;
  const Activation selu_backward = calls::backward(
      "aclnnSeluBackward (of the result)", aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward);
  return {
      with_peers(
          "Selu", "",
          function(calls::forward("aclnnSelu", aclnnSeluGetWorkspaceSize, aclnnSelu), kSelu)),
      with_peers("SeluBackward", "",
                 cancelling_at(
                     -kLambdaAlpha,
                     function(calls::backward("aclnnSeluBackward (of the result)",
                                              aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward),
                              kSeluSlope))),
  };
}

// Peers have the scalars that bench/peers gives them under these names.
std::vector<ProvenFunction> elu_functions() {
  constexpr EluScalars kAll{1.25f, 0.75f, 1.5f};
  constexpr EluScalars kOne{1.25f, 1, 1};
  const std::string all = " (5/4, 3/4, 3/2)";
  const std::string one = " (5/4, 1, 1)";
  const auto value = [](const std::string& scalars, EluScalars values, const Reference& reference,
                        auto limit) {
    return limited(limit, function(calls::elu("aclnnElu" + scalars, values), reference));
  };
  const auto slope = [](const std::string& scalars, EluScalars values, const Reference& reference,
                        auto limit) {
    return limited(limit, function(calls::elu_backward("aclnnEluBackward" + scalars, values, false),
                                   reference));
  };
  const auto slope_of_result = [](const std::string& scalars, EluScalars values,
                                  const Reference& reference, auto limit) {
    const std::string name = "aclnnEluBackward isResult" + scalars;
    return limited(limit, function(calls::elu_backward(name, values, true), reference));
  };
  const std::string self = "EluBackward self";
  const std::string result = "EluBackward result";
  return {
      with_peers("Elu", "Elu", value("", {}, kElu<kOnes>, elu_limit<kOnes>)),
      with_peers(self, self, slope("", {}, kEluSlope<kOnes>, elu_slope_limit<kOnes>)),
      with_peers(result, result,
                 slope_of_result("", {}, kEluOfResult<kOnes>, elu_slope_limit<kOnes>)),
      with_peers("Elu scaled", "", sampled(value(all, kAll, kElu<kScaled>, elu_limit<kScaled>))),
      with_peers("EluBackward scaled self", "",
                 sampled(slope(all, kAll, kEluSlope<kScaled>, elu_slope_limit<kScaled>))),
      with_peers(
          "EluBackward scaled result", "",
          sampled(slope_of_result(all, kAll, kEluOfResult<kScaled>, elu_slope_limit<kScaled>))),
      sampled(value(one, kOne, kElu<kAlpha>, elu_limit<kAlpha>)),
      sampled(slope(one, kOne, kEluSlope<kAlpha>, elu_slope_limit<kAlpha>)),
      sampled(slope_of_result(one, kOne, kEluOfResult<kAlpha>, elu_slope_limit<kAlpha>)),
  };
}

std::vector<ProvenFunction> hardswish_functions() {
  const std::string v2 = "HardswishBackwardV2";
  const Activation forward =
      calls::forward("aclnnHardswish", aclnnHardswishGetWorkspaceSize, aclnnHardswish);
  const Activation closed = calls::backward(
      "aclnnHardswishBackward", aclnnHardswishBackwardGetWorkspaceSize, aclnnHardswishBackward);
  const Activation open =
      calls::backward("aclnnHardswishBackwardV2", aclnnHardswishBackwardV2GetWorkspaceSize,
                      aclnnHardswishBackwardV2);
  return {
      with_peers("Hardswish", "Hardswish",
                 hardswish_like(function(forward, kHardswish), hardswish_limit)),
      hardswish_like(function(closed, kHardswishClosed), hardswish_slope_limit),
      with_peers(v2, v2,
                 kinked_at({-3, 3},
                           hardswish_like(function(open, kHardswishOpen), hardswish_slope_limit))),
  };
}

std::vector<ProvenFunction> gelu_functions() {
  const std::string erf = "GeluBackward erf";
  const std::string tanh = "GeluBackward tanh";
  return {
      gelu_value(calls::forward("aclnnGelu", aclnnGeluGetWorkspaceSize, aclnnGelu), true),
      with_peers("Gelu erf", "Gelu erf", gelu_value(calls::gelu("aclnnGeluV2 none", 0), false)),
      with_peers("Gelu tanh", "Gelu tanh", gelu_value(calls::gelu("aclnnGeluV2 tanh", 1), true)),
      gelu_slope(calls::backward("aclnnGeluBackward", aclnnGeluBackwardGetWorkspaceSize,
                                 aclnnGeluBackward),
                 true),
      with_peers(erf, erf,
                 gelu_slope(calls::gelu_backward("aclnnGeluBackwardV2 none", "none"), false)),
      with_peers(tanh, tanh,
                 gelu_slope(calls::gelu_backward("aclnnGeluBackwardV2 tanh", "tanh"), true)),
  };
}

std::vector<ProvenFunction> geglu_functions() {
  using calls::GegluGradient;
  using calls::GegluOutput;
  const auto value = [](const std::string& name, int64_t form, bool left, GegluOutput wanted) {
    return gelu_value(calls::geglu(name, form, left, wanted), form == 1);
  };
  const auto slope = [](const std::string& name, int64_t form, bool left) {
    ProvenFunction made =
        gelu_slope(calls::geglu_backward(name, form, left, GegluGradient::kActivated), form == 1);
    made.product_bound = 2.5;  // a third factor, and its rounding
    return made;
  };
  return {
      value("aclnnGeGluV3 none, outGelu", 0, false, GegluOutput::kGelu),
      value("aclnnGeGluV3 tanh, outGelu", 1, false, GegluOutput::kGelu),
      value("aclnnGeGluV3 none, out", 0, false, GegluOutput::kProduct),
      value("aclnnGeGluV3 tanh, out", 1, true, GegluOutput::kProduct),
      slope("aclnnGeGluV3Backward none", 0, false),
      slope("aclnnGeGluV3Backward tanh", 1, true),
      sampled(function(calls::geglu_backward("aclnnGeGluV3Backward, gradient * gelu", 0, false,
                                             GegluGradient::kOther),
                       kIdentity)),
  };
}

}  // namespace

const std::vector<ProvenFunction>& proven_functions() {
  static const std::vector<ProvenFunction> all = [] {
    std::vector<ProvenFunction> joined;
    for (const auto& family : {selu_functions(), elu_functions(), hardswish_functions(),
                               gelu_functions(), geglu_functions()}) {
      joined.insert(joined.end(), family.begin(), family.end());
    }
    return joined;
  }();
  return all;
}

}  // namespace aclgrad::prove
