// SPDX-License-Identifier: Apache-2.0
// The museum in 16 bits: kernels that read and write them, and compute as the exhibits do. Their
// forward in float64 is the reference. What is right is not blamed, what is wrong is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "aclgrad/gradcheck/functions.h"
#include "tests/museum/exhibit.h"

namespace aclgrad::museum {
namespace {

using namespace gradcheck;

FunctionArray array_of(const wgArray& array, DType dtype) {
  const auto has = [&](int flag) { return (array.flags & flag) != 0; };
  const bool below = std::isinf(array.low) && !has(WG_AT_ZERO);
  const bool above = std::isinf(array.high) && !has(WG_AT_ZERO);
  Number low = has(WG_AT_ZERO) ? 0 : array.low;
  Number high = has(WG_AT_ZERO) ? 0 : array.high;
  if (below) low = above ? -4 : std::min(-4.0L, high - 8);
  if (above) high = std::max(4.0L, low + 8);
  return {.name = array.name,
          .shape = Dims(array.shape, array.shape + array.rank),
          .dtype = has(WG_INTEGER) ? DType::int64 : dtype,
          .low = low,
          .high = high,
          .has_gradient = !has(WG_NO_GRADIENT),
          .adds_gradient = has(WG_ADDS),
          .consumed = has(WG_CONSUMED),
          .symmetric = has(WG_SYMMETRIC),
          .optional = has(WG_OPTIONAL),
          .strided = has(WG_STRIDED),
          .overwritten = has(WG_OVER),
          .overwritten_gradient = has(WG_OVER_UPSTREAM),
          .unbounded_below = below,
          .unbounded_above = above};
}

// Arrays of 16 bits as double while a function works on them: what it changes is rounded back.
// Arrays that lie over each other do so here.
class Widened {
 public:
  explicit Widened(DType dtype) : dtype_(dtype) {}
  ~Widened() {
    for (auto& [at, block] : blocks_) {
      for (std::size_t i = 0; i < block.now.size(); ++i) {
        if (std::memcmp(&block.now[i], &block.before[i], sizeof(double)) == 0) continue;
        store(static_cast<std::byte*>(at), dtype_, static_cast<std::int64_t>(i), block.now[i]);
      }
    }
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

  double* operator()(const void* data, std::int64_t count, const FunctionArray& array) {
    if (data == nullptr) return nullptr;
    if (!is_float(array.dtype)) return static_cast<double*>(const_cast<void*>(data));
    const auto [it, is_new] = blocks_.try_emplace(const_cast<void*>(data));
    Block& block = it->second;
    for (std::int64_t i = 0; is_new && i < count; ++i) {
      block.now.push_back(
          static_cast<double>(load(static_cast<const std::byte*>(data), dtype_, i)));
    }
    if (is_new) block.before = block.now;
    return block.now.data();
  }

 private:
  struct Block {
    std::vector<double> now;
    std::vector<double> before;
  };
  DType dtype_;
  std::map<void*, Block> blocks_;
};

std::int64_t storage_of(const FunctionArray& array, const std::int64_t* strides) {
  if (contract::count_of(array.shape) == 0 || strides == nullptr) return 0;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < array.shape.size(); ++d) last += (array.shape[d] - 1) * strides[d];
  return last + 1;
}

FunctionPair pair_of(int number, bool is_right, DType dtype, std::vector<double> attributes) {
  std::vector<wgArray> inputs(WG_MAX_ARRAYS);
  std::vector<wgArray> outputs(WG_MAX_ARRAYS);
  int input_count = 0;
  int output_count = 0;
  wgDescribe(number, attributes.data(), inputs.data(), &input_count, outputs.data(), &output_count);
  FunctionPair pair;
  for (int k = 0; k < input_count; ++k) {
    pair.inputs.push_back(array_of(inputs[static_cast<std::size_t>(k)], dtype));
  }
  for (int k = 0; k < output_count; ++k) {
    pair.outputs.push_back(array_of(outputs[static_cast<std::size_t>(k)], dtype));
  }
  pair.reference = [=](auto in, auto out) {
    std::vector<double*> to;
    for (void* each : out) to.push_back(static_cast<double*>(each));
    wgForward(number, attributes.data(), in.data(), to.data());
  };
  pair.backward_strided = [=, in_arrays = pair.inputs, out_arrays = pair.outputs](
                              auto in, auto out, auto up, auto strides, auto grad) {
    Widened widened(dtype);
    std::vector<const void*> from;
    std::vector<double*> results;
    std::vector<const double*> arriving;
    std::vector<double*> to;
    for (std::size_t k = 0; k < in.size(); ++k) {
      from.push_back(widened(in[k], contract::count_of(in_arrays[k].shape), in_arrays[k]));
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
      results.push_back(widened(out[k], contract::count_of(out_arrays[k].shape), out_arrays[k]));
      arriving.push_back(widened(up[k], storage_of(out_arrays[k], strides[k]), out_arrays[k]));
    }
    for (std::size_t k = 0; k < grad.size(); ++k) {
      to.push_back(widened(grad[k], contract::count_of(in_arrays[k].shape), in_arrays[k]));
    }
    wgBackward(number, is_right ? 1 : 0, attributes.data(), from.data(), results.data(),
               arriving.data(), strides.data(), to.data());
  };
  return pair;
}

Report check(int number, bool is_right, DType dtype) {
  FunctionFamily family{.name = fact(number, "id"), .make = {}};
  for (const wgAttribute& each : attributes_of(number)) {
    family.attributes.push_back({each.name, each.usual, each.low, each.high, each.whole != 0});
  }
  family.make = [=](std::span<const double> values) {
    return pair_of(number, is_right, dtype, std::vector<double>(values.begin(), values.end()));
  };
  return check_family(family);
}

// One in ten; each in one of the dtypes.
constexpr int kParts = 10;
DType dtype_of(int number) { return number / kParts % 2 == 0 ? DType::bfloat16 : DType::float16; }

TEST(MuseumIn16Bits, WhatIsRightIsNotBlamed) {
  for (int number = 0; number < wgCount(); number += kParts) {
    const Report report = check(number, true, dtype_of(number));
    EXPECT_NE(report.verdict(), Verdict::wrong) << report.to_string();
    EXPECT_NE(report.verdict(), Verdict::inexact) << report.to_string();
  }
}

TEST(MuseumIn16Bits, WhatIsWrongIsFound) {
  std::string missed;
  for (int number = 0; number < wgExhibits(); number += kParts) {
    const Report report = check(number, false, dtype_of(number));
    if (report.verdict() != Verdict::wrong) missed += fact(number, "id") + " ";
  }
  EXPECT_EQ(missed, "");
}

}  // namespace
}  // namespace aclgrad::museum
