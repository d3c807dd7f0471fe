// SPDX-License-Identifier: Apache-2.0
#include "tests/autograd/pytorch/numbers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace aclgrad::pytorch {
namespace {

// The C interface takes most options as floats.
constexpr double kTolerance = 2e-7;

void expect_close(const Tensor& got, const std::vector<double>& wanted, const std::string& what) {
  ASSERT_EQ(static_cast<std::size_t>(got.numel()), wanted.size()) << what;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(got.get(static_cast<std::int64_t>(i)), wanted[i],
                kTolerance * (1 + std::abs(wanted[i])))
        << what << ", element " << i;
  }
}

// PyTorch's layout of a matrix that we keep the other way round.
Tensor transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  Tensor result = Tensor::zeros({columns, rows}, matrix.dtype());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      result.set(j * rows + i, matrix.get(i * columns + j));
    }
  }
  return result;
}

// The sum of results that PyTorch's gradients are of.
Value total_of(const Values& results) {
  Value total;
  for (const Value& result : results) {
    Tensor weights = Tensor::zeros(result.shape(), DType::float64);
    for (std::int64_t i = 0; i < weights.numel(); ++i) {
      weights.set(i, 1 + static_cast<double>(i % 5) / 4);
    }
    const Value part = reduce_sum(result * result.graph().constant(weights));
    total = total ? total + part : part;
  }
  return total;
}

}  // namespace

const Json& numbers_of(const std::string& name) {
  static const Json all = Json::parse(std::ifstream(ACLGRAD_NUMBERS));
  return all.at(name);
}

Tensor tensor_of(const Json& numbers) {
  const Json& values = numbers.at("values");
  const bool whole = !values.empty() && values[0].is_number_integer();
  return Tensor::from(Shape(numbers.at("shape").get<std::vector<std::int64_t>>()),
                      values.get<std::vector<double>>(), whole ? DType::int64 : DType::float64);
}

void expect_as_in_pytorch(const std::string& name,
                          const std::function<Values(const Values&)>& record,
                          const Module& module) {
  SCOPED_TRACE(name);
  const Json& numbers = numbers_of(name);
  module.to(DType::float64);
  NamedTensors parameters;
  for (const auto& [key, of] : numbers.at("parameters").items()) {
    parameters.emplace_back(key, tensor_of(of));
  }
  module.load(parameters, {.from_pytorch = true});

  Graph graph(Mode::evaluation);
  Values inputs, wanted;
  std::vector<Tensor> tensors;
  for (const Json& of : numbers.at("inputs")) {
    const Tensor& input = tensors.emplace_back(tensor_of(of));
    inputs.push_back(graph.input(fmt::format("x{}", inputs.size()), input.shape(), input.dtype()));
    if (of.contains("gradient")) wanted.push_back(inputs.back());
  }
  const Values results = record(inputs);
  const Values weights = module.parameters(graph);
  wanted.insert(wanted.end(), weights.begin(), weights.end());
  const Gradients gradients = backward(total_of(results), wanted, {.allow_unused = true});
  std::vector<Fetch> fetches(results.begin(), results.end());
  for (const Value& value : wanted) fetches.emplace_back(gradients[value]);
  Session session(graph, fetches);
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) feeds.emplace_back(inputs[i], tensors[i]);
  const Results run = session.run(feeds);

  ASSERT_EQ(results.size(), numbers.at("results").size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json& of = numbers.at("results")[i];
    EXPECT_EQ(results[i].shape().dims(), of.at("shape").get<std::vector<std::int64_t>>());
    expect_close(run[results[i]], of.at("values"), fmt::format("result {}", i));
  }
  std::size_t next = 0;
  for (const Json& of : numbers.at("inputs")) {
    if (!of.contains("gradient")) continue;
    expect_close(run[gradients[wanted[next]]], of.at("gradient"),
                 "gradient of " + wanted[next].name());
    ++next;
  }
  for (const Value& weight : weights) {
    const Json& of = numbers.at("parameters").at(weight.name());
    const Tensor gradient = run[gradients[weight]];
    // All matrices of these layers are kept the other way round.
    expect_close(gradient.rank() == 2 ? transposed(gradient) : gradient, of.at("gradient"),
                 "gradient of " + weight.name());
  }
}

}  // namespace aclgrad::pytorch
