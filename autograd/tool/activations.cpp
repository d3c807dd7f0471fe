// SPDX-License-Identifier: Apache-2.0
// Activations of one tensor: SELU, ELU, Hardswish, GELU, SiLU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "tool/catalogue.h"
#include "tool/formulas.h"

namespace aclgrad::gradcheck::detail {
namespace {

const Dims kShape = {4, 6};

// Activation results are promised to be correctly rounded in 16 bits and within 1.5 ulp in FLOAT.
constexpr ErrorModel kPromise{.final_ulp_16bit = 0.5, .final_ulp = 1.5, .inner = 0.05};

template <class Slope>
std::function<Arrays(const Arrays&)> own_formula(Slope slope) {
  return [slope](const Arrays& given) {
    Array gradient = given[0];
    for (std::size_t i = 0; i < gradient.values.size(); ++i) {
      gradient.values[i] *= slope(given[1].values[i]);
    }
    return Arrays{gradient};
  };
}

// Everything that the activations have in common. `plan_forward` takes (x, out, size, executor),
// `plan_backward` (grad, x or y, out, size, executor).
template <class Formula, class PlanForward, class PlanBackward>
Subject activation(const LibraryPointer& library, const std::string& forward_api,
                   const std::string& backward_api, Formula formula, PlanForward plan_forward,
                   PlanBackward plan_backward, const std::optional<Dims>& wanted, Number low,
                   Number high) {
  const Dims shape = wanted.value_or(kShape);
  Subject s;
  s.forward = {.api = forward_api,
               .tensors = {{.name = "self", .shape = shape, .free_dtype = true},
                           {.name = "out", .shape = shape, .free_dtype = true}},
               .inputs = 1,
               .plan = [plan_forward](auto t, auto* size, auto** executor) {
                 return plan_forward(t[0], t[1], size, executor);
               }};
  s.backward = EntryPoint{.api = backward_api,
                          .tensors = {{.name = "gradOutput", .shape = shape},
                                      {.name = "self", .shape = shape},
                                      {.name = "gradInput", .shape = shape}},
                          .inputs = 2,
                          .plan = [plan_backward](auto t, auto* size, auto** executor) {
                            return plan_backward(t[0], t[1], t[2], size, executor);
                          }};
  s.checked = elementwise(backward_api, formula, low, high);
  s.checked.inputs[0].shape = shape;
  s.checked.model = kPromise;
  s.checked.in_place = {0, 1};
  s.checked.backward = from_executors(library, backward_api, s.backward->plan);
  return s;
}

// The backward works on the forward's result.
void give_result(Operator& op) {
  op.saved = [](const Arrays&, const Arrays& outputs, const Array& cotangent) {
    return Arrays{cotangent, outputs[0]};
  };
}

// The form in place: phase one is called with (tensor, size, executor).
template <class Plan>
void add_in_place(Subject& s, const std::string& api, Plan plan) {
  EntryPoint form = s.forward;
  form.api = api;
  form.tensors = {{.name = "selfRef", .shape = s.forward.tensors[0].shape, .free_shape = true}};
  form.plan = [plan](auto t, auto* size, auto** executor) { return plan(t[0], size, executor); };
  form.written = {0};
  form.refusals.clear();
  s.other_forms = {std::move(form)};
}

Subject selu(const LibraryPointer& library, const Attributes&, const std::optional<Dims>& shape) {
  Subject s = activation(
      library, "aclnnSelu", "aclnnSeluBackward", [](const auto& x) { return formulas::selu(x); },
      ACLGRAD_LOOKUP(aclnnSeluGetWorkspaceSize), ACLGRAD_LOOKUP(aclnnSeluBackwardGetWorkspaceSize),
      shape, -12, 6);
  give_result(s.checked);
  s.checked.exact_backward =
      own_formula([](Number y) { return y < 0 ? y + formulas::kLambdaAlpha : formulas::kLambda; });
  s.checked.convention = Convention::right;
  s.backward->tensors[1].name = "result";
  s.forward.dtypes = {DType::float32, DType::float16, DType::bfloat16, DType::int32, DType::int8};
  s.backward->dtypes = s.forward.dtypes;
  add_in_place(s, "aclnnInplaceSelu", ACLGRAD_LOOKUP(aclnnInplaceSeluGetWorkspaceSize));
  return s;
}

Subject elu(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  const auto alpha = static_cast<float>(a.alpha);
  const auto scale = static_cast<float>(a.scale);
  const auto input_scale = static_cast<float>(a.input_scale);
  const aclScalar* alpha_scalar = library->scalar(alpha);
  const aclScalar* scale_scalar = library->scalar(scale);
  const aclScalar* input_scale_scalar = library->scalar(input_scale);
  auto* forward = ACLGRAD_LOOKUP(aclnnEluGetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnEluBackwardGetWorkspaceSize);
  const bool is_result = a.is_result;
  const Number span = input_scale == 0 ? 9 : 9 / std::max(1.0f, std::abs(input_scale));
  Subject s = activation(
      library, "aclnnElu", "aclnnEluBackward",
      [=](const auto& x) { return formulas::elu(x, alpha, scale, input_scale); },
      [=](auto* x, auto* out, auto* size, auto** executor) {
        return forward(x, alpha_scalar, scale_scalar, input_scale_scalar, out, size, executor);
      },
      [=](auto* grad, auto* x, auto* out, auto* size, auto** executor) {
        return backward(grad, alpha_scalar, scale_scalar, input_scale_scalar, is_result, x, out,
                        size, executor);
      },
      shape, -span, 6);
  const Number left = static_cast<Number>(alpha) * scale * input_scale;
  if (is_result) {
    give_result(s.checked);
    s.checked.exact_backward = own_formula([=](Number y) {
      return y > 0 ? static_cast<Number>(scale)
                   : input_scale * (y + static_cast<Number>(alpha) * scale);
    });
  } else {
    s.checked.exact_backward = own_formula([=](Number x) {
      return x > 0 ? static_cast<Number>(scale) : left * std::exp(x * input_scale);
    });
  }
  s.checked.convention = Convention::left;
  s.checked.attributes = fmt::format("alpha={} scale={} inputScale={} isResult={}", a.alpha,
                                     a.scale, a.input_scale, is_result);
  s.checked.reproduce = fmt::format("--alpha {} --scale {} --input-scale {}{}", a.alpha, a.scale,
                                    a.input_scale, is_result ? " --is-result" : "");
  const auto with = [=](const aclScalar* x, const aclScalar* y,
                        const aclScalar* z) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return forward(t[0], x, y, z, t[1], size, executor);
    };
  };
  s.forward.highest_rank = 8;
  s.forward.refusals = {{"null alpha", 161001, with(nullptr, scale_scalar, input_scale_scalar)},
                        {"null scale", 161001, with(alpha_scalar, nullptr, input_scale_scalar)},
                        {"null inputScale", 161001, with(alpha_scalar, scale_scalar, nullptr)}};
  s.forward.dtypes = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  s.forward.bfloat16_everywhere = true;
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceEluGetWorkspaceSize);
  add_in_place(s, "aclnnInplaceElu", [=](auto* x, auto* size, auto** executor) {
    return in_place(x, alpha_scalar, scale_scalar, input_scale_scalar, size, executor);
  });
  s.backward->highest_rank = 8;
  s.backward->tensors[1].name = "selfOrResult";
  s.backward->tensors[2].free_dtype = true;
  if (is_result) {
    const aclScalar* negative = library->scalar(-1);
    s.backward->refusals.push_back(
        {"isResult with alpha < 0", 161002, [=](auto t, auto* size, auto** executor) {
           return backward(t[0], negative, scale_scalar, input_scale_scalar, true, t[1], t[2], size,
                           executor);
         }});
  }
  s.backward->refusals.push_back({"null alpha", 161001, [=](auto t, auto* size, auto** executor) {
                                    return backward(t[0], nullptr, scale_scalar, input_scale_scalar,
                                                    is_result, t[1], t[2], size, executor);
                                  }});
  return s;
}

template <class PlanBackward>
Subject hardswish_of(const LibraryPointer& library, const std::string& backward_api,
                     PlanBackward plan, const std::optional<Dims>& shape, bool closed) {
  Subject s = activation(
      library, "aclnnHardswish", backward_api, [](const auto& x) { return formulas::hardswish(x); },
      ACLGRAD_LOOKUP(aclnnHardswishGetWorkspaceSize), plan, shape, -6, 6);
  s.checked.exact_backward = own_formula([closed](Number x) {
    if (x < -3 || (x == -3 && !closed)) return Number{0};
    return x > 3 || (x == 3 && !closed) ? Number{1} : x / 3 + 0.5L;
  });
  s.checked.convention = closed ? Convention::inside : Convention::outside;
  s.backward->highest_rank = 8;
  add_in_place(s, "aclnnInplaceHardswish", ACLGRAD_LOOKUP(aclnnInplaceHardswishGetWorkspaceSize));
  return s;
}

Subject hardswish(const LibraryPointer& library, const Attributes&,
                  const std::optional<Dims>& shape) {
  return hardswish_of(library, "aclnnHardswishBackward",
                      ACLGRAD_LOOKUP(aclnnHardswishBackwardGetWorkspaceSize), shape, true);
}

Subject hardswish_v2(const LibraryPointer& library, const Attributes&,
                     const std::optional<Dims>& shape) {
  return hardswish_of(library, "aclnnHardswishBackwardV2",
                      ACLGRAD_LOOKUP(aclnnHardswishBackwardV2GetWorkspaceSize), shape, false);
}

void name_gelu(Subject& s, bool tanh_form) {
  s.checked.exact_backward =
      own_formula([tanh_form](Number x) { return formulas::gelu_slope(x, tanh_form); });
  s.forward.highest_rank = 8;
  s.backward->highest_rank = 8;
  for (TensorArgument& tensor : s.forward.tensors) tensor.free_dtype = false;
  for (TensorArgument& tensor : s.backward->tensors) tensor.promotes = true;
}

Subject gelu(const LibraryPointer& library, const Attributes&, const std::optional<Dims>& shape) {
  Subject s = activation(
      library, "aclnnGelu", "aclnnGeluBackward",
      [](const auto& x) { return formulas::gelu(x, true); },
      ACLGRAD_LOOKUP(aclnnGeluGetWorkspaceSize), ACLGRAD_LOOKUP(aclnnGeluBackwardGetWorkspaceSize),
      shape, -9, 6);
  name_gelu(s, true);
  return s;
}

Subject gelu_v2(const LibraryPointer& library, const Attributes& a,
                const std::optional<Dims>& shape) {
  const bool tanh_form = a.approximate == 1;
  const std::int64_t approximate = a.approximate;
  auto* forward = ACLGRAD_LOOKUP(aclnnGeluV2GetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnGeluBackwardV2GetWorkspaceSize);
  Subject s = activation(
      library, "aclnnGeluV2", "aclnnGeluBackwardV2",
      [tanh_form](const auto& x) { return formulas::gelu(x, tanh_form); },
      [=](auto* x, auto* out, auto* size, auto** executor) {
        return forward(x, approximate, out, size, executor);
      },
      [=](auto* grad, auto* x, auto* out, auto* size, auto** executor) {
        std::string form = tanh_form ? "tanh" : "none";
        return backward(grad, x, form.data(), out, size, executor);
      },
      shape, -9, 6);
  name_gelu(s, tanh_form);
  s.checked.attributes = fmt::format("approximate={}", tanh_form ? "tanh" : "none");
  s.checked.reproduce = fmt::format("--approximate {}", a.approximate);
  return s;
}

Subject silu(const LibraryPointer& library, const Attributes&, const std::optional<Dims>& shape) {
  Subject s = activation(
      library, "aclnnSilu", "aclnnSiluBackward", [](const auto& x) { return formulas::silu(x); },
      ACLGRAD_LOOKUP(aclnnSiluGetWorkspaceSize), ACLGRAD_LOOKUP(aclnnSiluBackwardGetWorkspaceSize),
      shape, -9, 6);
  s.checked.exact_backward = own_formula([](Number x) { return formulas::silu(Dual{x, 1}).slope; });
  // Bounded, not proven: 16-bit results are those of FLOAT, rounded.
  s.checked.model = {.final_ulp_16bit = 0.5004, .final_ulp = 3, .inner = 0.05};
  s.forward_ulp = 2;
  s.forward_ulp_16bit = 0.5004;
  s.backward->highest_rank = 8;
  s.backward->bfloat16_everywhere = true;
  return s;
}

}  // namespace

std::vector<KnownOperator> activation_operators() {
  return {{"selu", selu, {{}}},
          {"elu",
           elu,
           {{},
            {.alpha = 1.25, .scale = 0.75, .input_scale = 1.5},
            {.alpha = 1.3},
            {.alpha = 0.5, .scale = 2, .input_scale = 0.25},
            {.is_result = true},
            {.alpha = 1.25, .scale = 0.75, .input_scale = 1.5, .is_result = true}},
           {"--alpha", "--scale", "--input-scale", "--is-result"}},
          {"hardswish", hardswish, {{}}},
          {"hardswish_v2", hardswish_v2, {{}}},
          {"gelu", gelu, {{}}},
          {"gelu_v2", gelu_v2, {{.approximate = 0}, {.approximate = 1}}, {"--approximate"}},
          {"silu", silu, {{}}}};
}

}  // namespace aclgrad::gradcheck::detail
