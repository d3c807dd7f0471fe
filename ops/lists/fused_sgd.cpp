// SPDX-License-Identifier: Apache-2.0
// aclnnFusedSgd.
#include "aclnnop/aclnn_fused_sgd.h"

#include "ops/engine/elementwise.h"
#include "ops/lists/lists.h"

namespace aclgrad::ops::lists::fused_sgd {
namespace {

enum : size_t {
  kParams,
  kGrads,
  kBuffers,
  kGradScale,
  kWeightDecay,
  kMomentum,
  kLr,
  kDampening,
  kNesterov,
  kMaximize,
  kIsFirstStep
};

// A list like that of the parameters, which may be null or without tensors where it is optional.
Rules like_params(size_t list, bool is_optional) {
  const auto is_there = [=](const Arguments& arguments) {
    return !is_optional || arguments.members(list).count > 0;
  };
  return when(is_there,
              Rules{size_rule(members_of_one_count(list, kParams)), size_rule(members_ranked(list)),
                    size_rule(members_of_one_shape(list, kParams))});
}

const OperatorSpec kFusedSgd{
    "aclnnFusedSgd",
    {in_out("params"), in_out("grads"), in_out("momentumBufferList"), input("gradScale"),
     attribute("weightDecay"), attribute("momentum"), attribute("lr"), attribute("dampening"),
     attribute("nesterov"), attribute("maximize"), attribute("isFirstStep")},
    Rules{not_null({kParams, kGrads}), live_if_given(kBuffers), live_if_given(kGradScale),
          members_given(kParams), members_given(kGrads), members_given(kBuffers),
          members_of_dtypes(kParams, kFloats), members_of_one_dtype(kParams, kParams),
          members_of_one_dtype(kGrads, kParams), members_of_one_dtype(kBuffers, kParams),
          dtype_in(kGradScale, {ACL_FLOAT}), size_rule(members_ranked(kParams)),
          like_params(kGrads, false), like_params(kBuffers, true),
          size_rule(has_one_element(kGradScale))}};

// The step of one parameter. Read are params, grads and, if there are any, buffers; written params,
// the buffers and, if there is a scale, grads.
struct Step {
  double decay, momentum, lr, undamped;
  bool nesterov, maximize, is_first, has_buffers, has_scale;

  explicit Step(const Arguments& arguments)
      : decay(arguments.real(kWeightDecay)),
        momentum(arguments.real(kMomentum)),
        lr(arguments.real(kLr)),
        undamped(1 - arguments.real(kDampening)),
        nesterov(arguments.flag(kNesterov)),
        maximize(arguments.flag(kMaximize)),
        is_first(arguments.flag(kIsFirstStep)),
        has_buffers(arguments.members(kBuffers).count > 0),
        has_scale(arguments.given(kGradScale)) {}

  RealKernel with(double scale) const {
    return [*this, scale](const double* const* in, double* const* out, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        const double gradient = in[1][i] / scale;
        double change = (maximize ? -gradient : gradient) + decay * in[0][i];
        if (has_buffers) {
          const double buffer = is_first ? change : momentum * in[2][i] + undamped * change;
          out[1][i] = buffer;
          change = nesterov ? change + momentum * buffer : buffer;
        }
        if (has_scale) out[has_buffers ? 2 : 1][i] = gradient;
        out[0][i] = in[0][i] - lr * change;
      }
    };
  }
};

// What a parameter's step reads and writes.
struct Tensors {
  Dims shape;
  std::vector<Operand> read, written;
};

Plan plan(const Arguments& arguments) {
  const Step step(arguments);
  auto all = std::make_shared<std::vector<Tensors>>();
  for (size_t i = 0; i < arguments.members(kParams).count; ++i) {
    const Dims& shape = arguments.shape(arguments.members(kParams).first + i);
    if (count_elements(shape) == 0) continue;
    const auto of = [&](size_t list) {
      return operand(arguments, arguments.members(list).first + i, shape);
    };
    Tensors each{shape, {of(kParams), of(kGrads)}, {of(kParams)}};
    if (step.has_buffers) {
      each.read.push_back(of(kBuffers));
      each.written.push_back(of(kBuffers));
    }
    if (step.has_scale) each.written.push_back(of(kGrads));
    all->push_back(std::move(each));
  }
  if (all->empty()) return {};
  const auto run_all = [](const auto& works, const Run& run) -> aclError {
    for (const Elementwise& work : works) {
      if (const aclError error = work(run); error != ACL_SUCCESS) return error;
    }
    return ACL_SUCCESS;
  };
  const auto works_with = [all, step](double scale) {
    std::vector<Elementwise> works;
    for (const Tensors& each : *all) {
      works.emplace_back(each.shape, each.written, each.read, step.with(scale));
    }
    return works;
  };
  if (!step.has_scale) {
    return {[works = works_with(1), run_all](const Run& run) { return run_all(works, run); }};
  }
  const bool is_double = arguments.dtype(kGradScale) == ACL_DOUBLE;
  return {[works_with, run_all, is_double](const Run& run) {
    const double scale = is_double ? *run.data<const double>(kGradScale)
                                   : static_cast<double>(*run.data<const float>(kGradScale));
    return run_all(works_with(scale), run);
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnFusedSgd, kFusedSgd, plan)

}  // namespace aclgrad::ops::lists::fused_sgd
