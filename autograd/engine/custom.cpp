// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/custom.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/rule.h"
#include "aclgrad/runtime.h"
#include "aclgrad/tensor/float16.h"
#include "aclgrad_ext.h"

// On a library without it, custom functions are refused when a session is made.
#pragma weak aclgradLaunchTiled
#pragma weak aclgradParallelForRanges
#pragma weak aclgradExplainFailure

namespace aclgrad {
namespace {

using detail::ElementwiseLoops;

// ---- Elementwise --------------------------------------------------------------------------------

// The tensors of a node: x, before it the gradient of a backward, and the result.
struct Work {
  std::shared_ptr<const ElementwiseLoops> loops;
  DType dtype;
  std::int64_t count;
  const std::byte* gradient;  // null in forward
  const std::byte* x;
  std::byte* result;
};

template <class T>
void run(const Work& work, const ElementwiseLoops::Loop<T>& loop, std::int64_t begin,
         std::int64_t count) {
  const auto* gradient = reinterpret_cast<const T*>(work.gradient);
  loop(gradient == nullptr ? nullptr : gradient + begin, reinterpret_cast<const T*>(work.x) + begin,
       reinterpret_cast<T*>(work.result) + begin, count);
}

// 16 bits go through float, a block at a time.
template <class Narrow>
void run_narrow(const Work& work, const ElementwiseLoops::Loop<float>& loop, std::int64_t begin,
                std::int64_t count) {
  constexpr std::int64_t kBlock = 256;
  std::array<float, kBlock> gradient, x, result;
  const auto widen = [&](const std::byte* from, std::int64_t at, std::int64_t n, auto& to) {
    const auto* narrow = reinterpret_cast<const Narrow*>(from) + at;
    std::transform(narrow, narrow + n, to.begin(), [](Narrow of) { return float(of); });
  };
  for (std::int64_t done = 0; done < count; done += kBlock) {
    const std::int64_t at = begin + done;
    const std::int64_t n = std::min(kBlock, count - done);
    if (work.gradient != nullptr) widen(work.gradient, at, n, gradient);
    widen(work.x, at, n, x);
    loop(gradient.data(), x.data(), result.data(), n);
    std::transform(result.begin(), result.begin() + n, reinterpret_cast<Narrow*>(work.result) + at,
                   [](float of) { return Narrow(of); });
  }
}

void run(const Work& work, std::int64_t begin, std::int64_t count) {
  const bool backward = work.gradient != nullptr;
  const ElementwiseLoops& loops = *work.loops;
  const auto& narrow = backward ? loops.backward_float : loops.forward_float;
  switch (work.dtype) {
    case DType::float64:
      return run(work, backward ? loops.backward_double : loops.forward_double, begin, count);
    case DType::float16:
      return run_narrow<Half>(work, narrow, begin, count);
    case DType::bfloat16:
      return run_narrow<BFloat16>(work, narrow, begin, count);
    default:
      return run(work, narrow, begin, count);
  }
}

// What a function throws ends the run, not the program: what it said, nothing where it threw not.
template <class Run>
std::string thrown_by(const Run& run) noexcept {
  try {
    run();
    return {};
  } catch (const std::exception& error) {
    return fmt::format("threw: {}", error.what());
  } catch (...) {
    return "threw something that is no std::exception";
  }
}

// To be called on the thread of the task.
aclError ended(const Work& work, const std::string& thrown) {
  if (thrown.empty()) return 0;
  aclgradExplainFailure(
      fmt::format("custom_elementwise `{}` {}", work.loops->name, thrown).c_str());
  return ACL_ERROR_RT_INTERNAL_ERROR;
}

aclError run_all(void* argument) {
  struct Shared {
    const Work& work;
    std::mutex mutex = {};
    std::string thrown = {};
  } shared{*static_cast<Work*>(argument)};
  const auto body = [](void* context, std::int64_t begin, std::int64_t end) {
    auto& all = *static_cast<Shared*>(context);
    std::string thrown = thrown_by([&] { run(all.work, begin, end - begin); });
    if (thrown.empty()) return;
    const std::lock_guard lock(all.mutex);
    all.thrown = std::move(thrown);
  };
  constexpr std::int64_t kGrain = 4096;  // elements that are worth a thread
  if (shared.work.count > kGrain) {
    aclgradParallelForRanges(shared.work.count, body, &shared);
  } else {
    body(&shared, 0, shared.work.count);
  }
  return ended(shared.work, shared.thrown);
}

aclError run_tile(void* argument, const aclgradTile* tile) {
  const Work& work = *static_cast<Work*>(argument);
  return ended(work, thrown_by([&] {
                 for (std::int64_t row = 0; row < tile->rows; ++row) {
                   run(work, tile->begin + row * tile->stride, tile->end - tile->begin);
                 }
               }));
}

// Elements are units, so that threads share a task and fused tasks pass elements on.
constexpr aclgradTiling kTiling = {
    .units = [](const void* argument) { return static_cast<const Work*>(argument)->count; },
    .operands =
        [](const void* argument, aclgradFootprint* operands, std::size_t capacity) {
          const Work& work = *static_cast<const Work*>(argument);
          const auto size = static_cast<std::int64_t>(size_of(work.dtype));
          std::size_t count = 0;
          const auto add = [&](const std::byte* address, bool written) {
            if (count < capacity) operands[count] = {address, size, size, written};
            ++count;
          };
          if (work.gradient != nullptr) add(work.gradient, false);
          add(work.x, false);
          add(work.result, true);
          return count;
        },
    .row_groups = nullptr,
    .run = run_tile,
    .move = nullptr};

class ElementwiseCall : public StreamOp {
 public:
  explicit ElementwiseCall(std::shared_ptr<const ElementwiseLoops> loops)
      : loops_(std::move(loops)) {}

  const std::shared_ptr<const ElementwiseLoops>& loops() const { return loops_; }
  std::string_view call_name() const override { return "aclgradLaunchTiled"; }
  bool may_overwrite(std::size_t, std::size_t) const override { return true; }

  void queue(const StreamCall& call, aclrtStream stream) const override {
    if (aclgradLaunchTiled == nullptr) {
      throw ValueError(
          fmt::format("{}: the operator library runs no functions of one's own (it lacks "
                      "aclgradLaunchTiled)",
                      label(call.node())));
    }
    const auto address = [](const StreamCall::Buffer& buffer) {
      return static_cast<std::byte*>(buffer.address);
    };
    const StreamCall::Buffer& result = call.outputs()[0];
    const auto& inputs = call.inputs();
    auto* const work = new Work{loops_,
                                result.spec->dtype,
                                result.spec->shape.numel(),
                                inputs.size() == 2 ? address(inputs[0]) : nullptr,
                                address(inputs.back()),
                                address(result)};
    const auto release = [](void* argument) { delete static_cast<Work*>(argument); };
    check_status(aclgradLaunchTiled(stream, "custom_elementwise", run_all, work, release, &kTiling),
                 "aclgradLaunchTiled", label(call.node()));
  }

 private:
  std::shared_ptr<const ElementwiseLoops> loops_;
};

class ElementwiseForward final : public ElementwiseCall {
 public:
  using ElementwiseCall::ElementwiseCall;
  std::string_view name() const override { return loops()->name; }
  bool is_activation() const override { return true; }
};

class ElementwiseBackward final : public ElementwiseCall {
 public:
  explicit ElementwiseBackward(std::shared_ptr<const ElementwiseLoops> loops)
      : ElementwiseCall(std::move(loops)), name_(this->loops()->name + "_backward") {}
  std::string_view name() const override { return name_; }

 private:
  std::string name_;
};

void require_name(const std::string& name, std::string_view of) {
  if (name.empty()) throw ValueError(fmt::format("{} needs a name, \"squareplus\" say", of));
}

// ---- Custom gradients ---------------------------------------------------------------------------

// What the function made, as it is, with its inputs behind it: where the rule gets them from.
class CustomGradientOp final : public ViewOp {
 public:
  CustomGradientOp(std::string name, std::shared_ptr<const GradientRule> rule)
      : name_(std::move(name)), rule_(std::move(rule)) {}
  std::string_view name() const override { return name_; }
  const GradientRule& rule() const { return *rule_; }

 private:
  std::string name_;
  std::shared_ptr<const GradientRule> rule_;
};

// Set when the first function is made, so that a program without any has no rule for them.
void set_rules() {
  static std::once_flag once;
  std::call_once(once, [] {
    set_rule<ElementwiseForward>([](const ElementwiseForward& op, const RuleCall& call) {
      const Value gradient = contiguous(call.gradient()), x = contiguous(call.input());
      Recorder record(op.name(), {gradient, x}, call.node().where);
      record.require_same_dtype(0, 1);
      return InputGradients{
          record.add(std::make_shared<ElementwiseBackward>(op.loops()), record.like(1))};
    });
    set_rule<CustomGradientOp>([](const CustomGradientOp& op, const RuleCall& call) {
      std::vector<Value> inputs;
      for (std::size_t i = 1; i < call.node().inputs.size(); ++i) inputs.push_back(call.input(i));
      InputGradients gradients = op.rule()(call.gradient(), inputs, call.output());
      if (gradients.size() != inputs.size()) {
        throw ValueError(
            fmt::format("{}: the rule of its gradient returned {} gradients for {} "
                        "inputs",
                        label(call.node()), gradients.size(), inputs.size()));
      }
      gradients.insert(gradients.begin(), Value());  // what was recorded has none of its own
      return gradients;
    });
  });
}

}  // namespace

CustomElementwise::CustomElementwise(ElementwiseLoops loops) {
  require_name(loops.name, "custom_elementwise");
  loops_ = std::make_shared<const ElementwiseLoops>(std::move(loops));
  set_rules();
}

Value CustomElementwise::operator()(Operand x) const {
  const RecordScope scope(x);
  Recorder(name(), {x}, x.where).require_floating(0);
  Recorder record(name(), {contiguous(x)}, x.where);  // the loops know no strides
  return record.add(std::make_shared<ElementwiseForward>(loops_), record.like(0));
}

CustomGradient::CustomGradient(std::string name, ComposedFunction function, GradientRule rule)
    : name_(std::move(name)), function_(std::move(function)) {
  require_name(name_, "custom_gradient");
  if (!function_ || !rule) {
    throw ValueError(fmt::format("custom_gradient `{}` needs a function and a rule", name_));
  }
  rule_ = std::make_shared<const GradientRule>(std::move(rule));
  set_rules();
}

Value CustomGradient::operator()(Operands inputs) const {
  const Recorder checks(name_, inputs, inputs.where);
  const RecordScope scope(inputs.front().graph(), inputs.where);
  std::vector<Value> held;
  for (const Value& input : inputs) held.push_back(stop_gradient(input));
  const Value made = function_(held);
  if (!made) checks.value_error("the function returned an empty Value");
  std::vector<Value> all{stop_gradient(made)};
  all.insert(all.end(), inputs.begin(), inputs.end());
  Recorder record(name_, std::move(all), inputs.where);
  record.require_floating(0);
  return record.add_view(std::make_shared<CustomGradientOp>(name_, rule_), made.shape(),
                         made.strides(), made.offset());
}

CustomGradient custom_gradient(std::string name, ComposedFunction function, GradientRule rule) {
  return {std::move(name), std::move(function), std::move(rule)};
}

}  // namespace aclgrad
