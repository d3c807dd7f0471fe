// SPDX-License-Identifier: Apache-2.0
// Running activations through the public interface on chosen bit patterns, and getting bit patterns
// back.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "tests/ops/support/acl_fixture.h"
#include "tests/ops/support/activations.h"

namespace aclgrad::testing {

using Bits = std::vector<uint32_t>;

inline uint32_t read_bits(const void* data, size_t element_bytes, size_t index) {
  return element_bytes == 2 ? load_as<uint16_t>(data, index) : load_as<uint32_t>(data, index);
}

inline void write_bits(void* data, size_t element_bytes, size_t index, uint32_t bits) {
  if (element_bytes == 2) {
    store_as(data, index, static_cast<uint16_t>(bits));
  } else {
    store_as(data, index, bits);
  }
}

// One pattern for every NaN: which of two NaNs a product passes on is not promised.
inline uint32_t with_one_nan(uint32_t bits, aclDataType dtype) {
  const uint32_t infinity = dtype == ACL_FLOAT     ? 0x7F800000u
                            : dtype == ACL_FLOAT16 ? 0x7C00u
                                                   : 0x7F80u;
  const uint32_t magnitude = bits & (dtype == ACL_FLOAT ? 0x7FFFFFFFu : 0x7FFFu);
  return magnitude > infinity ? infinity + 1 : bits;
}

inline uint32_t scrambled(uint64_t index, uint64_t seed) {
  uint64_t hash = (index + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return static_cast<uint32_t>(hash >> 32);
}

inline uint32_t pattern_of(float value, aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return half_bits(static_cast<long double>(value));
  if (dtype == ACL_BF16) return bfloat_bits(static_cast<long double>(value));
  return std::bit_cast<uint32_t>(value);
}

// Numbers where activations bend for the most part; between them any patterns at all, and in every
// fourth group of eight a zero, an infinity, a NaN or the end of a range.
inline Bits sample_bits(aclDataType dtype, size_t count, uint64_t seed) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float special[] = {0.0f, -0.0f, kInf, -kInf, kInf - kInf, 3.0f, -3.0f, 1e-40f, -1e-40f};
  Bits bits(count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t hash = scrambled(i, seed);
    const uint32_t any = scrambled(i, ~seed);
    if (hash % 8 == 0) {
      bits[i] = dtype == ACL_FLOAT ? any : any >> 16;
    } else if (hash % 32 == 1) {
      bits[i] = pattern_of(special[any % std::size(special)], dtype);
    } else {
      bits[i] = pattern_of(std::ldexp(static_cast<float>(static_cast<int32_t>(any)), -27), dtype);
    }
  }
  return bits;
}

// Every `step`-th pattern of the dtype.
inline Bits all_bits(aclDataType dtype, uint64_t step) {
  Bits bits;
  const uint64_t end = dtype == ACL_FLOAT ? uint64_t{1} << 32 : uint64_t{1} << 16;
  for (uint64_t i = 0; i < end; i += step) bits.push_back(static_cast<uint32_t>(i));
  return bits;
}

// What lies in an output beside its elements.
inline constexpr unsigned char kUntouched = 0xA5;

// An operator's contiguous tensors for one call. `data[k]` are the elements of input k, of `shape`
// with the size along its first dimension times the width of the input.
class BitRun {
 public:
  BitRun(const Activation& activation, aclDataType dtype, const Shape& shape,
         const std::vector<Bits>& data)
      : activation_(activation) {
    for (size_t k = 0; k < activation.inputs.size(); ++k) {
      const Array& in = inputs_.emplace_back(dtype, widened(shape, activation.inputs[k]));
      for (size_t i = 0; i < data[k].size(); ++i) {
        write_bits(in.data(), aclDataTypeSize(dtype), i, data[k][i]);
      }
    }
    for (const int width : activation.outputs) outputs_.emplace_back(dtype, widened(shape, width));
  }

  aclnnStatus run(aclrtStream stream) const {
    Activation::Tensors in;
    Activation::Tensors out;
    for (const Array& array : inputs_) in.push_back(array.tensor());
    for (const Array& array : outputs_) out.push_back(array.tensor());
    return run_two_phases(stream, activation_.phase_one, activation_.phase_two, in, out,
                          int64_t{0});
  }

  // The elements of all outputs, one output behind the other, with one pattern for every NaN.
  Bits results() const {
    Bits bits;
    for (const Array& out : outputs_) {
      for (size_t i = 0; i < static_cast<size_t>(out.count()); ++i) {
        const uint32_t element = read_bits(out.data(), aclDataTypeSize(out.dtype()), i);
        bits.push_back(with_one_nan(element, out.dtype()));
      }
    }
    return bits;
  }

 private:
  static Shape widened(Shape shape, int width) {
    shape[0] *= width;
    return shape;
  }

  const Activation& activation_;
  std::vector<Array> inputs_;
  std::vector<Array> outputs_;
};

// Samples for every input of the operator on `count` elements.
inline std::vector<Bits> sample_inputs(const Activation& activation, aclDataType dtype,
                                       int64_t count) {
  std::vector<Bits> data;
  for (const int width : activation.inputs) {
    data.push_back(sample_bits(dtype, static_cast<size_t>(count * width), data.size()));
  }
  return data;
}

// Success when both are the same patterns; else says where they part.
inline ::testing::AssertionResult same_bits(const Bits& actual, const Bits& expected) {
  if (actual == expected) return ::testing::AssertionSuccess();
  if (actual.size() != expected.size()) {
    return ::testing::AssertionFailure() << actual.size() << " elements, not " << expected.size();
  }
  size_t at = 0;
  size_t differences = 0;
  for (size_t i = actual.size(); i-- > 0;) {
    if (actual[i] == expected[i]) continue;
    at = i;
    ++differences;
  }
  return ::testing::AssertionFailure()
         << fmt::format("element {} is {:#x}, expected {:#x}; {} of {} differ", at, actual[at],
                        expected[at], differences, actual.size());
}

inline const char* short_name(aclDataType dtype) {
  return dtype == ACL_FLOAT ? "FLOAT" : dtype == ACL_FLOAT16 ? "FLOAT16" : "BFLOAT16";
}

// Calls body(activation, dtype) for every pair, with both in the trace of a failure.
template <class Body>
void for_each_activation(const Body& body) {
  for (const Activation& activation : all_activations()) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      SCOPED_TRACE(activation.name + " " + short_name(dtype));
      body(activation, dtype);
    }
  }
}

class ActivationTest : public AclTest {
 protected:
  // The result for x and the factors (all of them ones where none is given), which must be the same
  // in every element: more of them than fit in a vector, and some beyond.
  long double value_at(const Activation& activation, aclDataType dtype, long double x,
                       const std::vector<long double>& factors = {}) {
    constexpr int64_t kCount = 75;
    std::vector<Array> arrays;
    Activation::Tensors in;
    Activation::Tensors out;
    for (const int width : activation.inputs) {
      Array& array = arrays.emplace_back(dtype, Shape{kCount * width});
      array.fill({1});
      in.push_back(array.tensor());
    }
    const auto fill = [&](TensorHalf place, long double value) {
      for (int64_t i = 0; i < kCount; ++i) {
        arrays[place.tensor].set(place.second_half ? kCount + i : i, value);
      }
    };
    fill(activation.x, x);
    for (size_t k = 0; k < factors.size(); ++k) fill(activation.factors[k], factors[k]);
    const size_t first_output = arrays.size();
    for (const int width : activation.outputs) {
      out.push_back(arrays.emplace_back(dtype, Shape{kCount * width}).tensor());
    }
    EXPECT_TRUE(runs(activation.phase_one, activation.phase_two, in, out, int64_t{0}));
    const Array& results = arrays[first_output + activation.result.tensor];
    const int64_t begin = activation.result.second_half ? kCount : 0;
    for (int64_t i = 0; i < kCount; ++i) {
      EXPECT_TRUE(same(results.get(begin + i), results.get(begin)))
          << activation.name << ": equal elements give different results";
    }
    return results.get(begin);
  }
};

}  // namespace aclgrad::testing
