// SPDX-License-Identifier: Apache-2.0
// A step of stochastic gradient descent for lists of parameters.
#include <cmath>

#include "aclnnop/aclnn_fused_sgd.h"
#include "ops/lists/list_contract.h"

namespace aclgrad::contract {
namespace fused_sgd {
namespace {

constexpr size_t kMembers = 2;

Parameter member_of(const char* list, size_t place) {
  Parameter parameter = in(std::string(list) + "[" + std::to_string(place) + "]", -4, 4);
  auto& spec = std::get<TensorSpec>(parameter.spec);
  spec.role = Role::kInPlace;
  spec.any_shape = std::string_view(list) == "params" && place > 0;
  return member(std::move(parameter), list);
}

Parameter float_of(std::string name, float value) {
  return declared({std::move(name), double{value}}, "float");
}

// Params, grads and buffers after the step; or, of magnitudes, the scale on which they may be off.
// The scale stands behind them where it is given.
Arrays stepped(const Arguments& a, const Arrays& in, bool magnitudes) {
  Arrays out(in.begin(), in.begin() + 3 * kMembers);
  const Number scale = in.size() > out.size() ? in.back().values[0] : 1;
  const auto sized = [&](Number x) { return magnitudes ? std::abs(x) : x; };
  const auto minus = [&](Number x) { return magnitudes ? x : -x; };
  const Number decay = a.number("weightDecay"), momentum = a.number("momentum");
  for (size_t k = 0; k < kMembers; ++k) {
    for (size_t i = 0; i < in[k].values.size(); ++i) {
      Number& p = out[k].values[i];
      Number& g = out[kMembers + k].values[i];
      Number& b = out[2 * kMembers + k].values[i];
      p = sized(p), g = sized(g) / scale, b = sized(b);
      const Number change = (a.number("maximize") != 0 ? minus(g) : g) + decay * p;
      b = a.number("isFirstStep") != 0 ? change
                                       : momentum * b + (1 - a.number("dampening")) * change;
      p += minus(a.number("lr") * (a.number("nesterov") != 0 ? change + momentum * b : b));
    }
  }
  return out;
}

void arrange(Arguments& a) {
  const Shape first = a.shape("params[0]"), second = {count_of(first) + 1};
  a.reshape({"grads[0]", "momentumBufferList[0]"}, first);
  a.reshape({"params[1]", "grads[1]", "momentumBufferList[1]"}, second);
}

}  // namespace
}  // namespace fused_sgd

void add_fused_sgd(std::vector<Operator>& all) {
  using namespace fused_sgd;
  const auto list = [](const char* name) {
    return std::vector{fused_sgd::member_of(name, 0), fused_sgd::member_of(name, 1)};
  };
  std::vector<Parameter> buffers = list("momentumBufferList");
  buffers.front().nullable = true;
  Signature call = ACLGRAD_CALL(aclnnFusedSgd);
  call.parameters =
      list("params") + list("grads") + buffers +
      std::vector{optional(filled(typed(shaped(in("gradScale", 4, 4), {1}), ACL_FLOAT), 4)),
                  float_of("weightDecay", 0),
                  float_of("momentum", 0.875F),
                  float_of("lr", 0.015625F),
                  float_of("dampening", 0),
                  flag("nesterov"),
                  flag("maximize"),
                  flag("isFirstStep")};
  all.push_back({
      .call = std::move(call),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = 561002,
                 .base = "params[0]",
                 .arrange = fused_sgd::arrange,
                 .samples = {{},
                             {{{"weightDecay", 0.125}, {"dampening", 0.25}}},
                             {{{"nesterov", 1.0}, {"maximize", 1.0}}},
                             {{{"isFirstStep", 1.0}, {"weightDecay", 0.125}}},
                             {{{"gradScale", Shape{1}}, {"weightDecay", 0.125}}}}},
      .results = {.reference = [](const Arguments& a,
                                  const Arrays& in) { return fused_sgd::stepped(a, in, false); },
                  .bound = {.of_float = 0.5001, .of_16_bits = 0.5001, .of_double = 4},
                  .magnitude = [](const Arguments& a,
                                  const Arrays& in) { return fused_sgd::stepped(a, in, true); }},
      .words =
          {"a step of SGD in place for each parameter of a list, with momentum where there are "
           "buffers",
           "对列表中每个参数原地做一步 SGD；给出缓冲区时带动量"},
  });
}

}  // namespace aclgrad::contract
