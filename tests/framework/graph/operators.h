// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "tests/support/run.h"

namespace aclgrad {

// Results of recording functions beside numbers.
class Operators : public testing::Test {
 protected:
  Value value(Shape shape, std::initializer_list<double> numbers, DType dtype = DType::float32) {
    return graph_.constant(Tensor::from(std::move(shape), numbers, dtype));
  }

  Value whole(Shape shape, std::initializer_list<double> numbers) {
    return value(std::move(shape), numbers, DType::int64);
  }

  void expect(const Value& result, Shape shape, std::initializer_list<double> numbers) {
    const Tensor tensor = computed(result);
    const Tensor wanted = Tensor::from(std::move(shape), numbers, DType::float64);
    EXPECT_TRUE(allclose(tensor, wanted, 1e-6, 1e-6)) << tensor << "\nexpected\n" << wanted;
  }

  Graph graph_;
};

}  // namespace aclgrad
