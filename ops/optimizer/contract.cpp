// SPDX-License-Identifier: Apache-2.0
// AdamW: a step in place.
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// What a step of both forms is made of. The powers are those of this step.
struct Step {
  Number lr, beta1, beta2, power1, power2, decay, eps;
};

Number number_in(const Arguments& a, const char* attribute) {
  return static_cast<float>(a.number(attribute));  // as the C function takes it
}

// var, m, v after the step, and the largest v where there is one, which takes the place of v.
Arrays stepped(const Arguments& a, const Step& step, Arrays out, const Array& grad) {
  const bool amsgrad = a.number("amsgrad") != 0;
  const Number sign = a.number("maximize") != 0 ? -1 : 1;
  const Number rate = step.lr / (1 - step.power1);
  for (size_t i = 0; i < grad.values.size(); ++i) {
    const Number g = sign * grad.values[i];
    Number& theta = out[0].values[i];
    Number& m = out[1].values[i];
    Number& v = out[2].values[i];
    theta *= 1 - step.lr * step.decay;
    m += (1 - step.beta1) * (g - m);
    v = step.beta2 * v + (1 - step.beta2) * g * g;
    Number u = v;
    if (amsgrad) u = out[3].values[i] = std::max(out[3].values[i], v);
    theta -= rate * m / (std::sqrt(u) / std::sqrt(1 - step.power2) + step.eps);
  }
  return out;
}

// The largest v is given with amsgrad only; everything else of the base's size has its shape.
std::function<void(Arguments&)> of_var(const char* most) {
  return [most](Arguments& a) {
    a.reshape({"mRef", "vRef", "grad", most}, a.shape("varRef"));
    if (a.number("amsgrad") != 0) a.tensor(most).optional = false;
  };
}

Parameter updated(std::string name, Number low = -4) {
  Parameter parameter = in(std::move(name), low, 4);
  std::get<TensorSpec>(parameter.spec).role = Role::kInPlace;
  return filled(std::move(parameter), 1);
}

// Every combination of decay, amsgrad and maximize.
std::vector<Sample> step_samples() {
  std::vector<Sample> samples;
  for (const double decay : {0.0, 0.125}) {
    for (const double amsgrad : {0, 1}) {
      for (const double maximize : {0, 1}) {
        samples.push_back({{{"weightDecay", decay}, {"amsgrad", amsgrad}, {"maximize", maximize}}});
      }
    }
  }
  return samples;
}

// A float that a call passes on exactly, whatever the rounding mode is.
Parameter real(std::string name, float value) {
  return declared({std::move(name), double{value}}, "float");
}

ErrorInput lacks_most(const char* most) {
  return {.what = "null with amsgrad",
          .changes = {{most, TensorSpec{.optional = true}}, {"amsgrad", true}},
          .status = 161001,
          .words = {"null pointer"}};
}

// ---- Numbers as tensors of one element ----------------------------------------------------------

// Exact in every dtype.
Parameter single(std::string name, double value) {
  const auto exact = static_cast<Number>(value);
  return filled(shaped(in(std::move(name), exact, exact), {1}), value);
}

// Inputs: var, m, v, powers of the betas in the step before, lr, weightDecay, betas, eps, grad, and
// the largest v, which stays as it is.
Arrays step_by_tensors(const Arguments& a, const Arrays& in) {
  const auto at = [&](size_t k) { return in[k].values[0]; };
  const Step step{.lr = at(5),
                  .beta1 = at(7),
                  .beta2 = at(8),
                  .power1 = at(3) * at(7),
                  .power2 = at(4) * at(8),
                  .decay = at(6),
                  .eps = at(9)};
  Arrays out = {in[0], in[1], in[2]};
  if (in.size() > 11) out.push_back(in[11]);
  out = stepped(a, step, out, in[10]);
  out.resize(3);
  return out;
}

Operator by_tensors() {
  const Sample in_tensors{
      {{"weightDecay", 0.125}, {"lr", Shape{}}, {"eps", Shape{}}, {"amsgrad", 1.0}}};
  return {
      .call = ACLGRAD_CALL(
          aclnnApplyAdamW, updated("varRef"), updated("mRef"), updated("vRef", 0),
          single("beta1Power", 0.75), single("beta2Power", 0.875), single("lr", 0.015625),
          option(single("weightDecay", 0), "weightDecay", Sets::kNumber), single("beta1", 0.875),
          single("beta2", 0.9375), single("eps", 0x1p-16), in("grad"),
          optional(in("maxGradNormOptional", 0, 4)), flag("amsgrad"), flag("maximize")),
      .domain = {.everywhere = kFloats,
                 .max_rank = kAnyRank,
                 .arrange = of_var("maxGradNormOptional"),
                 .samples = step_samples() + std::vector{in_tensors}},
      .results = {.reference = step_by_tensors},
      .error_inputs = {lacks_most("maxGradNormOptional")},
      .words = {"the step of `aclnnApplyAdamWV2`, with its numbers and the powers of the betas in "
                "tensors",
                "与 `aclnnApplyAdamWV2` 同一步，各参数与 beta 的幂放在张量里", "", "apply_adam_w"}};
}

// ---- Numbers as attributes ----------------------------------------------------------------------

// Inputs: var, m, v, the largest v with amsgrad, grad, step.
Arrays step_by_numbers(const Arguments& a, const Arrays& in) {
  const size_t kept = in.size() - 2;
  const Number beta1 = number_in(a, "beta1");
  const Number beta2 = number_in(a, "beta2");
  const Number t = in[kept + 1].values[0] + 1;
  const Step step{.lr = number_in(a, "lr"),
                  .beta1 = beta1,
                  .beta2 = beta2,
                  .power1 = std::pow(beta1, t),
                  .power2 = std::pow(beta2, t),
                  .decay = number_in(a, "weightDecay"),
                  .eps = number_in(a, "eps")};
  return stepped(a, step, Arrays(in.begin(), in.begin() + static_cast<ptrdiff_t>(kept)), in[kept]);
}

// theta counts on the scale of 8 of its changes.
Arrays scale_of_step(const Arguments& a, const Arrays& in) {
  constexpr int kScaleOfChange = 8;
  Arrays out = step_by_numbers(a, in);
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    Number& theta = out[0].values[i];
    theta = std::max(std::abs(theta), kScaleOfChange * std::abs(theta - in[0].values[i]));
  }
  return out;
}

Operator by_numbers() {
  std::vector<Sample> samples = step_samples();
  for (Sample& each : samples) each.settings.emplace_back("step", ACL_FLOAT);
  samples.push_back({{{"weightDecay", 0.0}, {"step", ACL_INT64}}});
  return {
      .call = ACLGRAD_CALL(
          aclnnApplyAdamWV2, any_dtype(updated("varRef")), any_dtype(updated("mRef")),
          any_dtype(updated("vRef", 0)), any_dtype(optional(updated("maxGradNormOptionalRef", 0))),
          any_dtype(in("grad")),
          option(any_dtype(typed(shaped(in("step", 3, 3), {1}), ACL_INT64)), "into", Sets::kDtype),
          real("lr", 0.01f), real("beta1", 0.875f), real("beta2", 0.9375f),
          real("weightDecay", 0.0f), real("eps", 1e-6f), flag("amsgrad"), flag("maximize")),
      .domain = {.everywhere = kFloats,
                 .max_rank = kAnyRank,
                 .arrange = of_var("maxGradNormOptionalRef"),
                 .samples = samples,
                 // The first step, and one after which the averages need no correction any more.
                 .value_samples = {{{{"varRef", Shape{13, 700}}, {"weightDecay", 0.125}}},
                                   {{{"weightDecay", 0.125}, {"amsgrad", 1.0}, {"step", 0.0}}},
                                   {{{"weightDecay", 0.125}, {"amsgrad", 1.0}, {"step", 999.0}}}}},
      // What the operator promises: m and v within 1 ulp of FLOAT; theta within 0.51 ulp and 2^-21
      // of its change, which is at most 1 ulp on the scale of 8 changes; 16-bit elements those,
      // rounded again, with an ulp of FLOAT16 of 2^13 of FLOAT's.
      .results = {.reference = step_by_numbers,
                  .bound = {.of_float = 1.51, .of_16_bits = 0.5 + 0x1p-13 * 1.51},
                  .magnitude = scale_of_step},
      .error_inputs = {lacks_most("maxGradNormOptionalRef")},
      .words = {"one AdamW step in place; the step tensor holds the completed steps",
                "原地做一步 AdamW；step 张量存放已完成的步数", "apply_adam_w(...), AdamW",
                "apply_adam_w_v2"}};
}

}  // namespace

FamilyContracts optimizer_contracts() {
  return {{"Optimizer", "优化器"}, {by_numbers(), by_tensors()}};
}

}  // namespace aclgrad::contract
