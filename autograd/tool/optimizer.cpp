// SPDX-License-Identifier: Apache-2.0
// AdamW: a step in place, without a gradient of its own.
#include <fmt/format.h>

#include <cmath>

#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "tool/catalogue.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr float kRate = 0.01f;
constexpr float kBeta1 = 0.875f;
constexpr float kBeta2 = 0.9375f;
constexpr float kEps = 1e-6f;

struct Form {
  float decay;
  bool amsgrad;
  bool maximize;
};

// Inputs: var, m, v, (largest v,) grad, step. Results: var, m, v, (largest v).
Arrays step_of(const Arrays& in, const Form& form) {
  const std::size_t extra = form.amsgrad ? 1 : 0;
  Arrays out(in.begin(), in.begin() + 3 + static_cast<std::ptrdiff_t>(extra));
  const Number t = in[4 + extra].values[0] + 1;
  for (std::size_t i = 0; i < out[0].values.size(); ++i) {
    const Number g = form.maximize ? -in[3 + extra].values[i] : in[3 + extra].values[i];
    Number& theta = out[0].values[i];
    Number& m = out[1].values[i];
    Number& v = out[2].values[i];
    theta *= 1 - static_cast<Number>(kRate) * form.decay;
    m += (1 - static_cast<Number>(kBeta1)) * (g - m);
    v = kBeta2 * v + (1 - static_cast<Number>(kBeta2)) * g * g;
    Number u = v;
    if (form.amsgrad) u = out[3].values[i] = std::max(out[3].values[i], v);
    const Number rate = kRate / (1 - std::pow(static_cast<Number>(kBeta1), t));
    theta -=
        rate * m / (std::sqrt(u) / std::sqrt(1 - std::pow(static_cast<Number>(kBeta2), t)) + kEps);
  }
  return out;
}

Subject adam_w(const LibraryPointer& library, const Attributes& a,
               const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  const Form form{static_cast<float>(a.weight_decay), a.amsgrad, a.maximize};
  auto* plan = ACLGRAD_LOOKUP(aclnnApplyAdamWV2GetWorkspaceSize);
  const DType step = a.into.value_or(DType::float32);
  Subject s;
  std::vector<TensorArgument> tensors = {{.name = "varRef", .shape = shape, .free_dtype = true},
                                         {.name = "mRef", .shape = shape, .free_dtype = true},
                                         {.name = "vRef", .shape = shape, .free_dtype = true}};
  if (form.amsgrad) {
    tensors.push_back({.name = "maxGradNormOptionalRef", .shape = shape, .free_dtype = true});
  }
  tensors.push_back({.name = "grad", .shape = shape, .free_dtype = true});
  tensors.push_back({.name = "step", .shape = {1}, .dtype = step, .free_dtype = true});
  const std::size_t last = tensors.size() - 1;
  s.forward = {.api = "aclnnApplyAdamWV2",
               .tensors = std::move(tensors),
               .inputs = last + 1,
               .plan =
                   [=](auto t, auto* size, auto** executor) {
                     return plan(t[0], t[1], t[2], form.amsgrad ? t[3] : nullptr, t[last - 1],
                                 t[last], kRate, kBeta1, kBeta2, form.decay, kEps, form.amsgrad,
                                 form.maximize, size, executor);
                   },
               .written = {0, 1, 2}};
  if (form.amsgrad) {
    s.forward.written.push_back(3);
  } else {
    s.forward.refusals = {{"amsgrad without maxGradNormOptionalRef", 161001,
                           [=](auto t, auto* size, auto** executor) {
                             return plan(t[0], t[1], t[2], nullptr, t[last - 1], t[last], kRate,
                                         kBeta1, kBeta2, form.decay, kEps, true, form.maximize,
                                         size, executor);
                           }}};
  }
  s.forward_ulp = 1;
  s.checked.name = s.forward.api;
  s.checked.inputs = {{.name = "var", .shape = shape},
                      {.name = "m", .shape = shape},
                      {.name = "v", .shape = shape, .low = 0}};
  if (form.amsgrad) s.checked.inputs.push_back({.name = "largest v", .shape = shape, .low = 0});
  s.checked.inputs.push_back({.name = "grad", .shape = shape});
  s.checked.inputs.push_back({.name = "step", .shape = {1}, .low = 3, .high = 3, .dtype = step});
  s.checked.forward = [form](const Arrays& in) { return step_of(in, form); };
  s.checked.attributes = fmt::format("weightDecay={} amsgrad={} maximize={} step={}",
                                     a.weight_decay, a.amsgrad, a.maximize, short_name(step));
  s.checked.reproduce =
      fmt::format("--weight-decay {}{}{} --into {}", a.weight_decay, a.amsgrad ? " --amsgrad" : "",
                  a.maximize ? " --maximize" : "", short_name(step));
  return s;
}

// The older form: hyper-parameters and the powers of beta1 and beta2 are tensors of one element.
// Inputs: var, m, v, beta1Power, beta2Power, lr, weightDecay, beta1, beta2, eps, grad, (largest v).
Arrays older_step_of(const Arrays& in, const Form& form) {
  Arrays out(in.begin(), in.begin() + 3);
  const auto at = [&](std::size_t k) { return in[k].values[0]; };
  const Number power1 = at(3) * at(7);
  const Number power2 = at(4) * at(8);
  for (std::size_t i = 0; i < out[0].values.size(); ++i) {
    const Number g = form.maximize ? -in[10].values[i] : in[10].values[i];
    Number& theta = out[0].values[i];
    Number& m = out[1].values[i];
    Number& v = out[2].values[i];
    theta *= 1 - at(5) * at(6);
    m += (1 - at(7)) * (g - m);
    v = at(8) * v + (1 - at(8)) * g * g;
    const Number u = form.amsgrad ? std::max(in[11].values[i], v) : v;
    theta -= at(5) / (1 - power1) * m / (std::sqrt(u) / std::sqrt(1 - power2) + at(9));
  }
  return out;
}

Subject older_adam_w(const LibraryPointer& library, const Attributes& a,
                     const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  const Form form{0, a.amsgrad, a.maximize};
  auto* plan = ACLGRAD_LOOKUP(aclnnApplyAdamWGetWorkspaceSize);
  const auto with = [=](bool amsgrad, bool give) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10],
                  give ? t[11] : nullptr, amsgrad, form.maximize, size, executor);
    };
  };
  Subject s;
  s.forward.api = "aclnnApplyAdamW";
  const auto whole = [&](const char* name, Number low) {
    s.forward.tensors.push_back({.name = name, .shape = shape});
    s.checked.inputs.push_back({.name = name, .shape = shape, .low = low});
  };
  const auto single = [&](const char* name, Number value) {
    s.forward.tensors.push_back({.name = name, .shape = {1}});
    s.checked.inputs.push_back({.name = name, .shape = {1}, .low = value, .high = value});
  };
  s.checked.inputs.clear();
  whole("varRef", -4);
  whole("mRef", -4);
  whole("vRef", 0);
  single("beta1Power", 0.75L);
  single("beta2Power", 0.875L);
  single("lr", 0.015625L);
  single("weightDecay", a.weight_decay);
  single("beta1", kBeta1);
  single("beta2", kBeta2);
  single("eps", 0x1p-16L);
  whole("grad", -4);
  if (form.amsgrad) whole("maxGradNormOptional", 0);
  s.forward.inputs = s.forward.tensors.size();
  s.forward.written = {0, 1, 2};
  s.forward.plan = with(form.amsgrad, form.amsgrad);
  if (!form.amsgrad) {
    s.forward.refusals = {{"amsgrad without maxGradNormOptional", 161001, with(true, false)}};
  }
  s.forward_ulp = 1;
  s.checked.name = s.forward.api;
  s.checked.forward = [form](const Arrays& in) { return older_step_of(in, form); };
  s.checked.attributes =
      fmt::format("weightDecay={} amsgrad={} maximize={}", a.weight_decay, a.amsgrad, a.maximize);
  s.checked.reproduce = fmt::format("--weight-decay {}{}{}", a.weight_decay,
                                    a.amsgrad ? " --amsgrad" : "", a.maximize ? " --maximize" : "");
  return s;
}

}  // namespace

std::vector<KnownOperator> optimizer_operators() {
  std::vector<Attributes> forms;
  for (const double decay : {0.0, 0.125}) {
    for (const bool amsgrad : {false, true}) {
      for (const bool maximize : {false, true}) {
        forms.push_back({.weight_decay = decay, .amsgrad = amsgrad, .maximize = maximize});
      }
    }
  }
  const std::vector<Attributes> older = forms;
  forms.push_back({.into = DType::int64});
  std::vector<std::string> options = {"--weight-decay", "--amsgrad", "--maximize"};
  const std::vector<std::string> older_options = options;
  options.emplace_back("--into");
  return {{"apply_adam_w_v2", adam_w, forms, options},
          {"apply_adam_w", older_adam_w, older, older_options}};
}

}  // namespace aclgrad::gradcheck::detail
