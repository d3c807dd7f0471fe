// SPDX-License-Identifier: Apache-2.0
#include "tests/cases/case.h"

#include <limits>
#include <stdexcept>

#include "tests/cases/families.h"

namespace aclgrad::cases {

std::vector<int64_t> SizedShape::at(int64_t n) const {
  if (at_) return at_(n);
  std::vector<int64_t> shape = shape_;
  for (int64_t& size : shape) {
    if (size == kN) size = n;
    if (size == kHalfN) size = n / 2;
  }
  return shape;
}

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> rows;
    for (auto family : {book_cases, arithmetic_cases, matmul_cases, reduction_cases, movement_cases,
                        optimizer_cases, random_cases}) {
      for (Case& row : family()) rows.push_back(std::move(row));
    }
    return rows;
  }();
  return cases;
}

const Case& find_case(std::string_view name) {
  for (const Case& row : all_cases()) {
    if (row.name() == name) return row;
  }
  throw std::invalid_argument("no row is called " + std::string(name));
}

Reference elementwise(std::function<long double(std::span<const long double>)> f) {
  return [f = std::move(f)](const Arrays& inputs) {
    Array out{inputs[0].shape, {}};
    std::vector<long double> arguments(inputs.size());
    for (size_t i = 0; i < inputs[0].values.size(); ++i) {
      // Smaller ones are no operands, but the seed of random numbers, say.
      for (size_t k = 0; k < inputs.size(); ++k) {
        const std::vector<long double>& values = inputs[k].values;
        arguments[k] =
            i < values.size() ? values[i] : std::numeric_limits<long double>::quiet_NaN();
      }
      out.values.push_back(f(arguments));
    }
    return Arrays{out};
  };
}

namespace {

// Rows refer to their objects until the program ends.
template <class T>
const T* kept(const T* object) {
  static auto& objects = *new std::vector<const T*>;
  objects.push_back(object);
  return object;
}

}  // namespace

const aclScalar* scalar(float value) { return kept(aclCreateScalar(&value, ACL_FLOAT)); }

const aclScalar* integer_scalar(int64_t value) { return kept(aclCreateScalar(&value, ACL_INT64)); }

const aclIntArray* int_array(std::vector<int64_t> values) {
  return kept(aclCreateIntArray(values.data(), values.size()));
}

}  // namespace aclgrad::cases
