// SPDX-License-Identifier: Apache-2.0
// GEGLU: one dimension is split in two halves, A (left) and B.
#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "tool/catalogue.h"
#include "tool/formulas.h"

namespace aclgrad::gradcheck::detail {
namespace {

struct Form {
  std::size_t axis;
  bool tanh_form;
  bool activate_left;
};

Dims halved(Dims shape, std::size_t axis) {
  shape[axis] /= 2;
  return shape;
}

// Calls visit(place in the half, place in A, place in B).
template <class Visit>
void for_each_pair(const Dims& shape, std::size_t axis, Visit visit) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const std::int64_t half = shape[axis] / 2 * inner;
  const std::int64_t outer = half == 0 ? 0 : count_of(shape) / (2 * half);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < half; ++i) {
      visit(static_cast<std::size_t>(o * half + i), static_cast<std::size_t>(o * 2 * half + i),
            static_cast<std::size_t>((o * 2 + 1) * half + i));
    }
  }
}

Arrays forward(const Arrays& inputs, const Form& form) {
  const Array& self = inputs[0];
  Array out{halved(self.shape, form.axis), std::vector<Number>(self.values.size() / 2)};
  Array activated = out;
  for_each_pair(self.shape, form.axis, [&](std::size_t to, std::size_t left, std::size_t right) {
    const auto [gate, factor] =
        form.activate_left ? std::pair(left, right) : std::pair(right, left);
    activated.values[to] = formulas::gelu(self.values[gate], form.tanh_form);
    out.values[to] = activated.values[to] * self.values[factor];
  });
  return {out, activated};
}

// Given: gradOutput, self, gelu.
Arrays backward(const Arrays& given, const Form& form) {
  const Array& self = given[1];
  Array gradient{self.shape, std::vector<Number>(self.values.size())};
  for_each_pair(self.shape, form.axis, [&](std::size_t at, std::size_t left, std::size_t right) {
    const auto [gate, factor] =
        form.activate_left ? std::pair(left, right) : std::pair(right, left);
    const Number g = given[0].values[at];
    gradient.values[factor] = g * given[2].values[at];
    gradient.values[gate] =
        g * self.values[factor] * formulas::gelu_slope(self.values[gate], form.tanh_form);
  });
  return {gradient};
}

Subject gated(const LibraryPointer& library, const std::string& forward_api,
              const std::string& backward_api, PlanFunction plan_forward,
              PlanFunction plan_backward, const Attributes& a, const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{2, 4, 2, 6});
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0 || a.dim < -rank || a.dim >= rank) {
    throw ValueError(fmt::format("dim {} is not one of a tensor of rank {}", a.dim, rank));
  }
  const Form form{static_cast<std::size_t>(a.dim < 0 ? a.dim + rank : a.dim), a.approximate == 1,
                  a.activate_left};
  if (shape[form.axis] % 2 != 0) {
    throw ValueError(
        fmt::format("the extent along dim {} must be even, it is {}", a.dim, shape[form.axis]));
  }
  const Dims half = halved(shape, form.axis);
  Subject s;
  s.forward = {.api = forward_api,
               .tensors = {{.name = "self", .shape = shape},
                           {.name = "out", .shape = half},
                           {.name = "outGelu", .shape = half}},
               .inputs = 1,
               .plan = std::move(plan_forward),
               .highest_rank = 8};
  s.backward = EntryPoint{.api = backward_api,
                          .tensors = {{.name = "gradOutput", .shape = half},
                                      {.name = "self", .shape = shape},
                                      {.name = "gelu", .shape = half},
                                      {.name = "gradInput", .shape = shape}},
                          .inputs = 3,
                          .plan = std::move(plan_backward),
                          .highest_rank = 8};
  // One product has the tanh form only.
  s.forward.refuses = [form](const std::string& product, DType) {
    return product == "Ascend310P" && !form.tanh_form;
  };
  s.backward->refuses = s.forward.refuses;
  s.checked.name = backward_api;
  s.checked.attributes =
      fmt::format("dim={} approximate={} activateLeft={}", a.dim, a.approximate, a.activate_left);
  s.checked.reproduce = fmt::format("--dim {} --approximate {}{}", a.dim, a.approximate,
                                    a.activate_left ? " --activate-left" : "");
  s.checked.inputs = {Input{.shape = shape}};
  s.checked.forward = [form](const Arrays& inputs) { return forward(inputs, form); };
  s.checked.saved = [](const Arrays& inputs, const Arrays& outputs, const Array& cotangent) {
    return Arrays{cotangent, inputs[0], outputs[1]};
  };
  s.checked.exact_backward = [form](const Arrays& given) { return backward(given, form); };
  s.checked.model = {.final_ulp_16bit = 0.5, .final_ulp = 1.5, .inner = 0.05};
  s.checked.backward = from_executors(library, backward_api, s.backward->plan);
  return s;
}

Subject geglu(const LibraryPointer& library, const Attributes& a,
              const std::optional<Dims>& shape) {
  auto* forward = ACLGRAD_LOOKUP(aclnnGeGluGetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnGeGluBackwardGetWorkspaceSize);
  const std::int64_t dim = a.dim;
  const std::int64_t approximate = a.approximate;
  Attributes used = a;
  used.activate_left = false;
  const auto plan_backward = [=](std::int64_t d, std::int64_t form) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return backward(t[0], t[1], t[2], d, form, t[3], size, executor);
    };
  };
  Subject s = gated(
      library, "aclnnGeGlu", "aclnnGeGluBackward",
      [=](auto t, auto* size, auto** executor) {
        return forward(t[0], dim, approximate, t[1], t[2], size, executor);
      },
      plan_backward(dim, approximate), used, shape);
  s.backward->refusals = {{"approximate 2", 161002, plan_backward(dim, 2)},
                          {"dim out of range", 161002, plan_backward(25, approximate)}};
  return s;
}

Subject geglu_v3(const LibraryPointer& library, const Attributes& a,
                 const std::optional<Dims>& shape) {
  auto* forward = ACLGRAD_LOOKUP(aclnnGeGluV3GetWorkspaceSize);
  auto* backward = ACLGRAD_LOOKUP(aclnnGeGluV3BackwardGetWorkspaceSize);
  const bool left = a.activate_left;
  const auto plan_forward = [=](std::int64_t d, std::int64_t form) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return forward(t[0], d, form, left, t[1], t[2], size, executor);
    };
  };
  const auto plan_backward = [=](std::int64_t d, std::int64_t form) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return backward(t[0], t[1], t[2], d, form, left, t[3], size, executor);
    };
  };
  Subject s =
      gated(library, "aclnnGeGluV3", "aclnnGeGluV3Backward", plan_forward(a.dim, a.approximate),
            plan_backward(a.dim, a.approximate), a, shape);
  s.forward.refusals = {{"approximate 2", 161002, plan_forward(a.dim, 2)},
                        {"dim out of range", 161002, plan_forward(25, a.approximate)}};
  s.backward->refusals = {{"approximate 2", 161002, plan_backward(a.dim, 2)},
                          {"approximate -1", 161002, plan_backward(a.dim, -1)},
                          {"dim out of range", 161002, plan_backward(25, a.approximate)}};
  return s;
}

std::vector<Attributes> all_forms(std::vector<int> dims, std::vector<bool> sides) {
  std::vector<Attributes> all;
  for (const int dim : dims) {
    for (const int approximate : {0, 1}) {
      for (const bool left : sides) {
        all.push_back({.dim = dim, .approximate = approximate, .activate_left = left});
      }
    }
  }
  return all;
}

}  // namespace

std::vector<KnownOperator> gated_operators() {
  return {{"geglu", geglu, all_forms({-1, 1}, {false}), {"--dim", "--approximate"}},
          {"geglu_v3",
           geglu_v3,
           all_forms({0, 1, 2, -1}, {false, true}),
           {"--dim", "--approximate", "--activate-left"}}};
}

}  // namespace aclgrad::gradcheck::detail
