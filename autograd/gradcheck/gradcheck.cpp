// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/random.h"
#include "aclgrad_ext.h"
#include "gradcheck/double_copy.h"

// Only our own library has them; null on others.
#pragma weak aclgradSetAcceptDouble
#pragma weak aclgradGetAcceptDouble

namespace aclgrad {
namespace {

// Switches float64 on and, at the end, back to what it was.
class AcceptDouble {
 public:
  AcceptDouble() {
    if (aclgradSetAcceptDouble == nullptr || aclgradGetAcceptDouble == nullptr) {
      throw ValueError(
          "gradcheck needs an operator library that can compute in float64 "
          "(aclgradSetAcceptDouble), which this one cannot");
    }
    before_ = aclgradGetAcceptDouble();
    aclgradSetAcceptDouble(1);
  }
  ~AcceptDouble() { aclgradSetAcceptDouble(before_); }
  AcceptDouble(const AcceptDouble&) = delete;
  AcceptDouble& operator=(const AcceptDouble&) = delete;

 private:
  std::int32_t before_;
};

constexpr double kDefaultStep = 0x1p-10;

double step_for(double x, const GradcheckOptions& options) {
  const double wanted =
      (options.step == 0 ? kDefaultStep : options.step) * std::max(1.0, std::abs(x));
  return std::exp2(std::round(std::log2(wanted)));
}

// The contents of the copy's inputs, in the order of the leaves.
std::vector<Tensor> starting_point(const detail::DoubleCopy& copy, std::span<const Feed> feeds) {
  std::vector<Tensor> tensors;
  std::size_t used = 0;
  for (const auto& [original, input] : copy.leaves) {
    if (const Variable* variable = original.variable()) {
      tensors.push_back(variable->value().to(input.dtype()));
      continue;
    }
    const auto feed = std::find_if(feeds.begin(), feeds.end(),
                                   [&](const Feed& f) { return f.input() == original; });
    if (feed == feeds.end()) {
      throw ValueError(fmt::format("no feed for {}", original.description()));
    }
    ++used;
    const Tensor& tensor = feed->tensor();
    if (tensor.shape() != original.shape()) {
      throw ShapeError(fmt::format("input {} has shape {}, was fed a tensor of shape {}",
                                   original.description(), original.shape(), tensor.shape()));
    }
    if (tensor.dtype() != original.dtype() && tensor.dtype() != input.dtype()) {
      throw DTypeError(fmt::format("input {} is {}, was fed a tensor of {}", original.description(),
                                   original.dtype(), tensor.dtype()));
    }
    tensors.push_back(tensor.to(input.dtype()));
  }
  if (used != feeds.size()) {
    throw ValueError("a tensor was fed twice, or to something that the loss does not depend on");
  }
  return tensors;
}

struct Derivative {
  double value;
  double rounding;  // what rounding of the function's values may add to it
};

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Ample for functions that are themselves a sum of many rounded terms.
constexpr double kRoundings = 16;

// The copy's result as a function of its inputs, weighted and summed to one number.
class Function {
 public:
  Function(const detail::DoubleCopy& copy, std::vector<Tensor>& point, const Tensor& weights)
      : copy_(copy), point_(point), weights_(weights), session_(copy.graph, {copy.result}) {}

  double operator()() {
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      feeds.emplace_back(copy_.leaves[i].copy, std::as_const(point_[i]));
    }
    const Tensor result = session_.run(feeds)[copy_.result];
    long double sum = 0;
    for (std::int64_t i = 0; i < result.numel(); ++i) {
      sum += static_cast<long double>(weights_.get(i)) * result.get(i);
    }
    return static_cast<double>(sum);
  }

  // The derivative by one element of one input: differences over one and two steps, combined so
  // that the error is of fourth order.
  Derivative derivative(std::size_t input, std::int64_t index, const GradcheckOptions& options) {
    Tensor& tensor = point_[input];
    const double x = tensor.get(index);
    const double h = step_for(x, options);
    double largest = 0;
    auto at = [&](double shift) {
      tensor.set(index, x + shift);
      const double value = (*this)();
      largest = std::max(largest, std::abs(value));
      return value;
    };
    const double near = at(h) - at(-h);
    const double far = at(2 * h) - at(-2 * h);
    tensor.set(index, x);
    return {(8 * near - far) / (12 * h), kRoundings * kEpsilon * largest / h};
  }

 private:
  const detail::DoubleCopy& copy_;
  std::vector<Tensor>& point_;
  const Tensor& weights_;
  Session session_;
};

// Adds one element's comparison to a tensor's findings; returns the share of tolerance used.
double compare(GradcheckTensor& found, std::int64_t index, double analytic,
               const Derivative& derivative, const GradcheckOptions& options, double worst) {
  const double numeric = derivative.value;
  const double size = std::max(std::abs(analytic), std::abs(numeric));
  double error = std::abs(analytic - numeric);
  if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
  const double tolerance = options.atol + options.rtol * size + derivative.rounding;
  const double used = std::isfinite(error) ? error / tolerance : error;
  found.max_abs_error = std::max(found.max_abs_error, error);
  found.max_gradient = std::max(found.max_gradient, std::abs(analytic));
  const double relative = std::isfinite(error) && size > 0 ? error / size : error;
  found.max_rel_error = std::max(found.max_rel_error, relative);
  if (!(error <= tolerance) || !std::isfinite(error)) ++found.failures;
  if (!(used > worst)) return worst;
  found.worst_index = index;
  found.analytic = analytic;
  found.numeric = numeric;
  return used;
}

// Positions among the leaves of what is to be checked.
std::vector<std::size_t> select(const detail::DoubleCopy& copy, const std::vector<Value>& wrt,
                                const Value& loss) {
  std::vector<std::size_t> selected;
  if (wrt.empty()) {
    for (std::size_t i = 0; i < copy.leaves.size(); ++i) {
      if (is_floating(copy.leaves[i].copy.dtype())) selected.push_back(i);
    }
    return selected;
  }
  for (const Value& value : wrt) {
    const auto leaf = std::find_if(copy.leaves.begin(), copy.leaves.end(),
                                   [&](const auto& entry) { return entry.original == value; });
    if (leaf == copy.leaves.end()) {
      throw ValueError(
          fmt::format("cannot check the gradient with respect to {}: it is not an "
                      "input or parameter that {} depends on",
                      value.description(), label(loss.node())));
    }
    selected.push_back(static_cast<std::size_t>(leaf - copy.leaves.begin()));
  }
  return selected;
}

std::vector<Tensor> analytic_gradients(detail::DoubleCopy& copy,
                                       const std::vector<std::size_t>& selected,
                                       const std::vector<Tensor>& point, const Tensor& weights) {
  std::vector<Value> wrt;
  for (const std::size_t i : selected) wrt.push_back(copy.leaves[i].copy);
  const Value seed = copy.graph.constant(weights);
  const Gradients gradients = backward(copy.result, wrt, {.seed = seed, .allow_unused = true});
  std::vector<Fetch> fetches;
  for (const auto& [value, gradient] : gradients) fetches.emplace_back(gradient);
  Session session(copy.graph, std::move(fetches));
  std::vector<Feed> feeds;
  const std::vector<Value> needed = session.inputs();
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Value& input = copy.leaves[i].copy;
    if (std::find(needed.begin(), needed.end(), input) != needed.end()) {
      feeds.emplace_back(input, point[i]);
    }
  }
  const Results results = session.run(feeds);
  std::vector<Tensor> tensors;
  for (const auto& [value, gradient] : gradients) tensors.push_back(results[gradient]);
  return tensors;
}

Tensor random_weights(const Shape& shape, std::uint64_t seed) {
  Tensor weights = Tensor::full(shape, 1, DType::float64);
  const Random random(seed);
  for (std::int64_t i = 0; shape.numel() != 1 && i < shape.numel(); ++i) {
    // Away from 0, so that no element's error is hidden.
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    weights.set(i, u < 0.5 ? u - 1 : u);
  }
  return weights;
}

}  // namespace

GradcheckReport gradcheck(const Value& loss, std::vector<Value> wrt, std::span<const Feed> feeds,
                          GradcheckOptions options) {
  const AcceptDouble accept_double;
  if (!is_floating(loss.dtype())) {
    throw DTypeError(
        fmt::format("cannot differentiate {}: it is {}", label(loss.node()), loss.dtype()));
  }
  detail::DoubleCopy copy = detail::copy_as_double(loss);
  const std::vector<std::size_t> selected = select(copy, wrt, loss);
  std::vector<Tensor> point = starting_point(copy, feeds);
  const Tensor weights = random_weights(loss.shape(), options.seed);
  const std::vector<Tensor> analytic = analytic_gradients(copy, selected, point, weights);

  Function function(copy, point, weights);
  GradcheckReport report{options, {}};
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Value& value = copy.leaves[selected[i]].original;
    GradcheckTensor& found = report.tensors.emplace_back();
    found.name = value.name();
    found.shape = value.shape();
    double worst = -1;
    for (std::int64_t index = 0; index < value.shape().numel(); ++index) {
      const Derivative numeric = function.derivative(selected[i], index, options);
      worst = compare(found, index, analytic[i].get(index), numeric, options, worst);
    }
  }
  return report;
}

GradcheckReport gradcheck(const Value& loss, std::vector<Value> wrt,
                          std::initializer_list<Feed> feeds, GradcheckOptions options) {
  return gradcheck(loss, std::move(wrt), std::span<const Feed>(feeds.begin(), feeds.size()),
                   options);
}

bool GradcheckReport::passed() const {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const GradcheckTensor& tensor) { return tensor.passed(); });
}

std::string GradcheckReport::to_string() const {
  std::int64_t elements = 0;
  std::int64_t failures = 0;
  for (const GradcheckTensor& tensor : tensors) {
    elements += tensor.shape.numel();
    failures += tensor.failures;
  }
  std::string text = fmt::format(
      "gradcheck {}: {} of {} elements in {} tensors out of tolerance "
      "(rtol {:g}, atol {:g})\n",
      passed() ? "passed" : "FAILED", failures, elements, tensors.size(), options.rtol,
      options.atol);
  text += fmt::format("  {:<20} {:<14} {:>10} {:>10} {:>10} {:>8} {:>24} {:>24} {}\n", "tensor",
                      "shape", "abs error", "rel error", "largest", "worst at", "analytic",
                      "numeric", "verdict");
  for (const GradcheckTensor& tensor : tensors) {
    text += fmt::format(
        "  {:<20} {:<14} {:>10.2e} {:>10.2e} {:>10.2e} {:>8} {:>24.16g} {:>24.16g} {}\n",
        tensor.name, aclgrad::to_string(tensor.shape), tensor.max_abs_error, tensor.max_rel_error,
        tensor.max_gradient, tensor.worst_index, tensor.analytic, tensor.numeric,
        tensor.passed() ? "ok" : "WRONG");
  }
  return text;
}

}  // namespace aclgrad
