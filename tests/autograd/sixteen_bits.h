// SPDX-License-Identifier: Apache-2.0
// Functions of numbers of 16 bits beside the same in float64.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/run.h"

namespace aclgrad::sixteen_bits {

/// Numbers drawn for one recording: the same ones, rounded to `narrow`, whatever dtype they are
/// recorded in.
class Drawn {
 public:
  Drawn(DType narrow, DType dtype) : narrow_(narrow), dtype_(dtype) {}

  Graph graph{Mode::training};
  std::vector<Value> parameters;

  DType dtype() const { return dtype_; }

  /// A value that gradients are asked for.
  Value parameter(const Shape& shape, double low, double high) {
    parameters.push_back(
        graph.parameter("x" + std::to_string(parameters.size()), numbers(shape, low, high)));
    return parameters.back();
  }
  Value constant(const Shape& shape, double low, double high) {
    return graph.constant(numbers(shape, low, high));
  }
  /// Whole numbers in [0, count).
  Value classes(const Shape& shape, std::int64_t count) {
    Tensor tensor = Tensor::zeros(shape, DType::int64);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      tensor.set(i, std::floor(next() * static_cast<double>(count)));
    }
    return graph.constant(std::move(tensor));
  }
  Value numbers_of(const Tensor& tensor) { return graph.constant(tensor.to(narrow_).to(dtype_)); }

 private:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  Tensor numbers(const Shape& shape, double low, double high) {
    Tensor tensor = Tensor::zeros(shape, DType::float64);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, low + (high - low) * next());
    return tensor.to(narrow_).to(dtype_);
  }

  DType narrow_, dtype_;
  std::uint64_t state_ = 71;
};

using Recorded = std::function<Value(Drawn&)>;

struct Format {
  DType dtype;
  double eps;       // the distance of 1 from the next number
  double largest;   // finite
  double smallest;  // not 0
};
inline const Format kHalf{DType::float16, 0x1p-10, 65504, 0x1p-24};
inline const Format kBrain{DType::bfloat16, 0x1p-7, 3.38e38, 0x1p-133};

/// The result and the gradients, with a seed of this number.
inline std::vector<Tensor> results_of(const Recorded& record, DType narrow, DType dtype,
                                      double seed) {
  Drawn drawn(narrow, dtype);
  const Value y = record(drawn);
  const Value first = drawn.graph.constant(Tensor::full(y.shape(), seed, y.dtype()));
  std::vector<Tensor> all = computed(with_gradients(y, drawn.parameters, first));
  for (Tensor& each : all) each = each.to(DType::float64);
  return all;
}

/// Every number is, where the format holds it, off by at most `ulps` roundings of the largest one
/// that it holds.
inline void expect_near_float64(const std::string& name, const Format& format, double seed,
                                double ulps, const Recorded& record) {
  const std::vector<Tensor> got = results_of(record, format.dtype, format.dtype, seed);
  const std::vector<Tensor> want = results_of(record, format.dtype, DType::float64, seed);
  for (std::size_t k = 0; k < got.size(); ++k) {
    double scale = 0, worst = 0;
    std::int64_t at = -1;
    for (std::int64_t i = 0; i < got[k].numel(); ++i) {
      const double expected = want[k].get(i);
      if (!(std::abs(expected) <= format.largest)) continue;
      scale = std::max(scale, std::abs(expected));
      const double off = std::abs(got[k].get(i) - expected);
      if (off <= worst) continue;
      worst = std::isnan(off) ? HUGE_VAL : off;
      at = i;
    }
    const double bound = ulps * (format.eps * scale + format.smallest);
    EXPECT_LE(worst, bound) << name << " in " << to_string(format.dtype) << ", seed " << seed
                            << (k == 0 ? ", the result" : ", gradient " + std::to_string(k - 1))
                            << (at < 0 ? ""
                                       : ", element " + std::to_string(at) + ": got " +
                                             std::to_string(got[k].get(at)) + ", expected " +
                                             std::to_string(want[k].get(at)));
  }
}

/// With a seed of 1 and with one near the range's end.
inline void expect_near_float64(const std::string& name, double ulps, const Recorded& record) {
  for (const Format& format : {kHalf, kBrain}) {
    for (const double seed : {1.0, format.dtype == DType::float16 ? 0x1p15 : 0x1p100}) {
      expect_near_float64(name, format, seed, ulps, record);
    }
  }
}

inline void expect_near_float64(const std::string& name, const Recorded& record) {
  expect_near_float64(name, 2, record);
}

}  // namespace aclgrad::sixteen_bits
