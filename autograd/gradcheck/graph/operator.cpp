// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <map>
#include <memory>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/gradcheck/graph.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/runtime.h"
#include "aclgrad/runtime/accept_double.h"
#include "aclgrad/session.h"
#include "gradcheck/core/problem.h"
#include "gradcheck/graph/rounding.h"

namespace aclgrad::gradcheck {
namespace {

// A graph of the operator, planned for the gradients that are wanted (none: the forward).
struct PlannedGraph {
  Graph graph;
  std::vector<Value> inputs;
  Value seed;
  Value result;
  std::vector<Value> gradients;
  std::vector<Session> session;  // one
};

Tensor to_tensor(const Array& array, DType dtype) {
  Tensor tensor = Tensor::zeros(Shape(array.shape), dtype);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.set(i, static_cast<double>(array.values[static_cast<std::size_t>(i)]));
  }
  return tensor;
}

Tensor to_tensor(const View& view) {
  Tensor tensor = Tensor::zeros(Shape(view.shape), view.dtype);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.set(i, static_cast<double>(view.get(i)));
  }
  return tensor;
}

// The number of threads for as long as it lives.
class ThreadCount {
 public:
  explicit ThreadCount(int count) : before_(num_threads()) { set_num_threads(count); }
  ~ThreadCount() { set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

class GraphOperator {
 public:
  GraphOperator(std::vector<contract::Parameter> inputs, Build build)
      : inputs_(std::move(inputs)), build_(std::move(build)) {}

  // "", or what recording the operator on inputs of a dtype threw.
  std::string refusal(DType dtype) const {
    try {
      PlannedGraph planned;
      record_forward(planned, dtype);
    } catch (const DTypeError& error) {
      return error.what();
    } catch (const std::exception&) {
      // A finding of the call.
    }
    return "";
  }

  Arrays forward(const Arrays& arrays) {
    const aclgrad::detail::AcceptDouble accept_double;
    PlannedGraph& planned = find(DType::float64, {});
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      tensors.push_back(to_tensor(arrays[i], planned.inputs[i].dtype()));
    }
    const Tensor result = run(planned, tensors, nullptr)[planned.result];
    Array out{planned.result.shape().dims(), {}};
    for (std::int64_t i = 0; i < result.numel(); ++i) out.values.push_back(result.get(i));
    return {out};
  }

  // Given the cotangent and the inputs.
  std::string backward(const BackwardCall& call) {
    std::vector<bool> wanted;
    for (const View& view : call.outputs) wanted.push_back(view.data != nullptr);
    const DType dtype = call.inputs[0].dtype;
    const ThreadCount threads(call.threads);
    PlannedGraph& planned = find(dtype, wanted);
    const Tensor seed = to_tensor(call.inputs[0]);
    std::vector<Tensor> tensors;
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
      tensors.push_back(to_tensor(call.inputs[i]));
    }
    const Results results = run(planned, tensors, &seed);
    std::size_t next = 0;
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
      if (!wanted[k]) continue;
      const Tensor gradient = results[planned.gradients[next++]];
      for (std::int64_t i = 0; i < gradient.numel(); ++i) call.outputs[k].set(i, gradient.get(i));
    }
    return "";
  }

 private:
  PlannedGraph& find(DType dtype, const std::vector<bool>& wanted) {
    std::unique_ptr<PlannedGraph>& entry = planned_[{dtype, wanted}];
    if (!entry) entry = record(dtype, wanted);
    return *entry;
  }

  void record_forward(PlannedGraph& planned, DType dtype) const {
    for (const contract::Parameter& input : inputs_) {
      const contract::TensorSpec& tensor = *input.tensor();
      planned.inputs.push_back(planned.graph.input(std::to_string(planned.inputs.size()),
                                                   Shape(tensor.shape),
                                                   detail::stored_dtype(tensor, dtype)));
    }
    planned.result = build_(planned.inputs);
  }

  std::unique_ptr<PlannedGraph> record(DType dtype, const std::vector<bool>& wanted) const {
    auto planned = std::make_unique<PlannedGraph>();
    record_forward(*planned, dtype);
    std::vector<Value> wrt;
    std::size_t k = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (is_floating(planned->inputs[i].dtype()) && k < wanted.size() && wanted[k++]) {
        wrt.push_back(planned->inputs[i]);
      }
    }
    std::vector<Fetch> fetches;
    if (wrt.empty()) {
      fetches.emplace_back(planned->result);
    } else {
      planned->seed = planned->graph.input("gradient", planned->result.shape(), dtype);
      const Gradients gradients =
          aclgrad::backward(planned->result, wrt, {.seed = planned->seed, .allow_unused = true});
      for (const auto& [value, gradient] : gradients) {
        planned->gradients.push_back(gradient);
        fetches.emplace_back(gradient);
      }
    }
    planned->session.emplace_back(planned->graph, std::move(fetches));
    return planned;
  }

  static Results run(PlannedGraph& planned, const std::vector<Tensor>& tensors,
                     const Tensor* seed) {
    Session& session = planned.session.front();
    std::vector<Feed> feeds;
    for (const Value& input : session.inputs()) {
      if (input == planned.seed) {
        feeds.emplace_back(input, *seed);
        continue;
      }
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (input == planned.inputs[i]) feeds.emplace_back(input, tensors[i]);
      }
    }
    return session.run(feeds);
  }

  std::vector<contract::Parameter> inputs_;
  Build build_;
  std::map<std::pair<DType, std::vector<bool>>, std::unique_ptr<PlannedGraph>> planned_;
};

}  // namespace

Candidate from_graph(std::string name, std::vector<contract::Parameter> inputs, Build build,
                     double roundings) {
  const auto shared = std::make_shared<GraphOperator>(inputs, build);
  const contract::Operator op{
      .call = {.name = std::move(name), .parameters = inputs},
      .results = {.reference = [shared](const contract::Arguments&, const Arrays& arrays) {
        return shared->forward(arrays);
      }}};
  Candidate candidate(op, [shared](const BackwardCall& call) { return shared->backward(call); });
  candidate.noise = 16 * kDoubleNoise;
  candidate.refusal = [shared](DType dtype) { return shared->refusal(dtype); };
  candidate.rounding = rounding_of_graph(inputs, build);
  candidate.bound.stored = roundings;
  candidate.strided = false;
  candidate.masks = true;
  return candidate;
}

Report check_elementwise(std::string name, const std::function<Value(const Value&)>& function,
                         Number low, Number high, const Options& options) {
  const auto build = [function](const std::vector<Value>& inputs) { return function(inputs[0]); };
  return check_operator(from_graph(std::move(name), {input("x", {4, 6}, low, high)}, build),
                        options);
}

Build used_twice(Build build) {
  return [build = std::move(build)](const std::vector<Value>& inputs) {
    std::vector<Value> halved;
    for (const Value& input : inputs) {
      halved.push_back(is_floating(input.dtype()) ? mul(input, 0.5) : input);
    }
    return add(build(inputs), build(halved), 0.75);
  };
}

}  // namespace aclgrad::gradcheck
