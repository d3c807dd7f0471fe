// SPDX-License-Identifier: Apache-2.0
// What tests of the training operators share: inputs in every layout, and the proof that checks
// come in their documented order.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/ops/support/layouts.h"

namespace aclgrad::testing {

using Values = std::vector<long double>;

// ---- Inputs -------------------------------------------------------------------------------------

// Numbers that do not repeat soon and that every thread of control makes the same.
class Sequence {
 public:
  explicit Sequence(uint64_t seed = 1) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  // Uniform on [low, high).
  long double next(long double low, long double high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * std::ldexp(static_cast<long double>(state_ >> 11), -53);
  }
  Values take(int64_t count, long double low, long double high) {
    Values values;
    for (int64_t i = 0; i < count; ++i) values.push_back(next(low, high));
    return values;
  }

 private:
  uint64_t state_;
};

inline Array random_array(aclDataType dtype, const Shape& shape, LayoutKind kind, uint64_t seed,
                          long double low = -4, long double high = 4) {
  Array array(dtype, shape, make_layout(shape, kind));
  if (array.count() > 0) array.fill(Sequence(seed).take(array.count(), low, high));
  return array;
}

// Element `i` of `from`, broadcast to `to`.
inline int64_t broadcast_index(const Shape& from, const Shape& to, int64_t i) {
  int64_t index = 0;
  int64_t step = 1;
  for (size_t d = to.size(); d-- > 0; i /= to[d]) {
    if (to.size() - d > from.size()) continue;
    const int64_t size = from[d + from.size() - to.size()];
    index += size == 1 ? 0 : i % to[d] * step;
    step *= size;
  }
  return index;
}

// Within a distance; NaN is near NaN and an infinity near itself.
inline ::testing::AssertionResult is_near(long double actual, long double expected,
                                          long double tolerance) {
  if (actual == expected || std::abs(actual - expected) <= tolerance ||
      (std::isnan(actual) && std::isnan(expected))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << "got " << actual << ", expected " << expected << " within " << tolerance;
}

// Every element; `what` names them.
inline void expect_near(const Array& actual, const Values& expected, long double tolerance = 1e-6L,
                        const char* what = "") {
  ASSERT_EQ(actual.count(), static_cast<int64_t>(expected.size())) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(is_near(actual.get(static_cast<int64_t>(i)), expected[i], tolerance))
        << what << " " << i;
  }
}

// Every element is that number: NaN is NaN, and the sign of a zero counts.
inline void expect_same(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(same(actual[i], expected[i]))
        << i << " is " << actual[i] << ", not " << expected[i];
  }
}
inline void expect_same(const Array& actual, const Values& expected) {
  expect_same(actual.values(), expected);
}

// A tensor of DOUBLE.
inline Array doubles(Shape shape, const Values& values = {}) {
  return Array(ACL_DOUBLE, std::move(shape), Array::Layout{}, values);
}

// One of images, channels first if nothing else is said.
inline Array image(aclDataType dtype, const Shape& shape, const Values& values = {},
                   aclFormat format = ACL_FORMAT_NCHW) {
  return {dtype, shape, Array::Layout{{}, 0, -1, format}, values};
}

// ---- Failures -----------------------------------------------------------------------------------

// The call failed, when its task ran if nothing else is said, and its message has this piece.
inline void expect_failure(aclnnStatus status, const std::string& piece,
                           aclnnStatus expected = ACL_ERROR_RT_INTERNAL_ERROR) {
  EXPECT_TRUE(fails_with(expected, {piece}, {status, recent_message()}));
}

// ---- Lists --------------------------------------------------------------------------------------

// A list of tensors that their Arrays own.
class List {
 public:
  explicit List(const std::vector<const aclTensor*>& tensors)
      : list_(aclCreateTensorList(tensors.data(), tensors.size())) {}
  List(std::initializer_list<const aclTensor*> tensors)
      : List(std::vector<const aclTensor*>(tensors)) {}
  ~List() { EXPECT_EQ(aclgradReleaseTensorList(list_), 0); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  aclTensorList* get() const { return list_; }

 private:
  aclTensorList* list_;
};

}  // namespace aclgrad::testing
