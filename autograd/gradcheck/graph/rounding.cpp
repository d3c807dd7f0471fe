// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/graph/rounding.h"

#include <cmath>
#include <deque>
#include <string>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/recurrent.h"
#include "aclgrad/runtime/accept_double.h"
#include "aclgrad/session.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck {
namespace {

constexpr Number kSecondOrder = 1 + 1.0L / 16;

// The gradient in float64, and its derivative with respect to everything that a run stores.
class GraphRounding {
 public:
  GraphRounding(const std::vector<contract::Parameter>& inputs, const Build& build) {
    std::vector<Value> wrt;
    for (const contract::Parameter& input : inputs) {
      const contract::TensorSpec& tensor = *input.tensor();
      inputs_.push_back(graph_.input("input " + std::to_string(inputs_.size()), Shape(tensor.shape),
                                     detail::stored_dtype(tensor, DType::float64)));
      if (is_floating(inputs_.back().dtype())) wrt.push_back(inputs_.back());
    }
    const Value result = build(inputs_);
    seed_ = graph_.input("gradient", result.shape(), DType::float64);
    const Gradients gradients = backward(result, wrt, {.seed = seed_, .allow_unused = true});
    refuse_kept_steps();
    const std::vector<Value> stored = stored_values();
    std::vector<Fetch> fetches(stored.begin(), stored.end());
    for (const auto& [input, gradient] : gradients) {
      Probe& probe = probes_.emplace_back();
      probe.at =
          graph_.input("probe " + std::to_string(probes_.size()), gradient.shape(), DType::float64);
      // The gradient's own last rounding is counted where it is compared.
      for (const Value& value : stored) {
        if (!(value == gradient)) probe.stored.push_back(value);
      }
      for (const auto& [value, slope] :
           backward(gradient, probe.stored, {.seed = probe.at, .allow_unused = true})) {
        probe.slopes.push_back(slope);
        fetches.emplace_back(slope);
      }
    }
    session_.emplace_back(graph_, std::move(fetches));
  }

  Arrays bounds(const Arrays& arrays, const Array& cotangent, DType dtype) {
    const aclgrad::detail::AcceptDouble accept_double;
    Arrays all;
    for (std::size_t k = 0; k < probes_.size(); ++k) {
      const Probe& probe = probes_[k];
      Array& bound = all.emplace_back(Array{probe.at.shape().dims(), {}});
      for (std::int64_t e = 0; e < probe.at.shape().numel(); ++e) {
        const Results results = run(arrays, cotangent, k, e);
        Number sum = 0;
        for (std::size_t i = 0; i < probe.stored.size(); ++i) {
          const Tensor values = results[probe.stored[i]];
          const Tensor slopes = results[probe.slopes[i]];
          for (std::int64_t j = 0; j < values.numel(); ++j) {
            const Number slope = std::abs(slopes.get(j));
            if (slope > 0) sum += slope * error_of(probe.stored[i], values.get(j), dtype);
          }
        }
        bound.values.push_back(kSecondOrder * sum);
      }
    }
    return all;
  }

 private:
  // Of one gradient: what is stored on the way to it, and the derivative of the element at which
  // the probe holds a one.
  struct Probe {
    Value at;
    std::vector<Value> stored;
    std::vector<Value> slopes;
  };

  // Gradients of a recurrent layer's gradient take what is kept of its steps as following from its
  // inputs: they do not say what roundings of that do.
  void refuse_kept_steps() const {
    for (std::size_t id = 0; id < graph_.size(); ++id) {
      const Op* op = graph_.node(static_cast<NodeId>(id)).op.get();
      if (dynamic_cast<const LstmBackwardOp*>(op) != nullptr ||
          dynamic_cast<const GruBackwardOp*>(op) != nullptr) {
        throw ValueError("what is kept of single steps has no gradient of its own");
      }
    }
  }

  // Results of operators; views and sources store nothing.
  std::vector<Value> stored_values() const {
    std::vector<Value> stored;
    for (std::size_t id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_.node(static_cast<NodeId>(id));
      if (node.op->as_call() == nullptr) continue;
      for (const Value& value : graph_.values(node.outputs)) {
        if (is_floating(value.dtype())) stored.push_back(value);
      }
    }
    return stored;
  }

  // Half a unit in the last place, and what rounding a number among the attributes does.
  static Number error_of(const Value& value, Number held, DType dtype) {
    Number error = ulp(held, dtype) / 2;
    const Op* op = value.node().op.get();
    const auto off = [&](double number) { return std::abs(round_to(number, dtype) - number); };
    if (const auto* product = dynamic_cast<const MulNumberOp*>(op); product != nullptr) {
      if (product->number != 0) error += std::abs(held / product->number) * off(product->number);
    } else if (const auto* sum = dynamic_cast<const AddNumberOp*>(op); sum != nullptr) {
      error += off(sum->number);
    }
    return error;
  }

  Results run(const Arrays& arrays, const Array& cotangent, std::size_t k, std::int64_t e) {
    Session& session = session_.front();
    std::deque<Tensor> tensors;  // feeds refer to them
    std::vector<Feed> feeds;
    for (const Value& input : session.inputs()) {
      Tensor& tensor = tensors.emplace_back(Tensor::zeros(input.shape(), input.dtype()));
      const Array* from = input == seed_ ? &cotangent : nullptr;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (input == inputs_[i]) from = &arrays[i];
      }
      if (from != nullptr) {
        for (std::int64_t i = 0; i < tensor.numel(); ++i) {
          tensor.set(i, static_cast<double>(from->values[static_cast<std::size_t>(i)]));
        }
      } else if (input == probes_[k].at) {
        tensor.set(e, 1);
      }
      feeds.emplace_back(input, tensor);
    }
    return session.run(feeds);
  }

  Graph graph_;
  std::vector<Value> inputs_;
  Value seed_;
  std::vector<Probe> probes_;
  std::vector<Session> session_;  // one
};

}  // namespace

std::function<Arrays(const Arrays& inputs, const Array& cotangent, DType dtype)> rounding_of_graph(
    const std::vector<contract::Parameter>& inputs, const Build& build) {
  try {
    const aclgrad::detail::AcceptDouble accept_double;
    const auto shared = std::make_shared<GraphRounding>(inputs, build);
    return [shared](const Arrays& arrays, const Array& cotangent, DType dtype) {
      const bool has_16_bits = dtype == DType::float16 || dtype == DType::bfloat16;
      if (!has_16_bits) return Arrays(arrays.size());
      return shared->bounds(arrays, cotangent, dtype);
    };
  } catch (const Error&) {
    return {};
  }
}

}  // namespace aclgrad::gradcheck
