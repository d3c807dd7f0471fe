// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "acl/acl.h"
#include "tests/ops/support/numbers.h"
#include "tests/prove/referee.h"

namespace aclgrad::prove {
namespace {

using testing::TensorHalf;

constexpr size_t kBlock = 1024;

void require(int status, const std::string& what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(
      fmt::format("{}: status {}\n{}", what, status, message != nullptr ? message : ""));
}

class DeviceTensor {
 public:
  DeviceTensor(aclDataType dtype, int64_t count) {
    const size_t bytes = static_cast<size_t>(count) * aclDataTypeSize(dtype);
    require(aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    tensor_ = aclCreateTensor(&count, 1, dtype, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory_);
  }
  ~DeviceTensor() {
    aclDestroyTensor(tensor_);
    aclrtFree(memory_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  aclTensor* get() const { return tensor_; }
  void* data() const { return memory_; }

 private:
  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

double value_of(uint16_t pattern, aclDataType dtype) {
  return static_cast<double>(dtype == ACL_FLOAT16 ? testing::half_value(pattern)
                                                  : testing::bfloat_value(pattern));
}

// The numbers of a 16-bit dtype by their patterns.
std::vector<double> values_of(aclDataType dtype) {
  std::vector<double> values;
  if (dtype == ACL_FLOAT) return values;
  for (uint32_t i = 0; i < 65536; ++i) {
    values.push_back(value_of(static_cast<uint16_t>(i), dtype));
  }
  return values;
}

quick::Format quick_format(aclDataType dtype) {
  const testing::FloatFormat format = testing::float_format(dtype);
  const double end = std::ldexp(1.0, format.highest_exponent);
  return {format.precision, format.lowest_exponent, 2 * end - std::ldexp(end, -format.precision)};
}

}  // namespace

uint16_t one_pattern(aclDataType dtype) { return dtype == ACL_FLOAT16 ? 0x3C00 : 0x3F80; }

void Findings::merge(const Findings& other) {
  inputs += other.inputs;
  not_correctly_rounded += other.not_correctly_rounded;
  not_numbers += other.not_numbers;
  const bool as_bad = max_ulp > 0 && other.max_ulp == max_ulp;
  if (other.max_ulp > max_ulp || (as_bad && other.worst_x < worst_x)) {
    max_ulp = other.max_ulp;
    worst_x = other.worst_x;
    worst_factor = other.worst_factor;
  }
}

struct Probe::State {
  const ProvenFunction& function;
  aclDataType dtype;
  int64_t count;
  Peer peer;
  std::vector<std::unique_ptr<DeviceTensor>> inputs;
  std::vector<std::unique_ptr<DeviceTensor>> outputs;
  aclrtStream stream = nullptr;
  aclOpExecutor* executor = nullptr;
  std::vector<char> workspace;
  std::vector<double> values;  // of the 16-bit patterns
  quick::Format format;
  double margin;         // in ulp, of what quick says
  size_t checks = 0;     // of what quick says
  double max_ulp = 0.5;  // found so far: smaller errors need no exact measurement

  State(const ProvenFunction& which, aclDataType type, int64_t n, Peer other)
      : function(which),
        dtype(type),
        count(n),
        peer(std::move(other)),
        values(values_of(type)),
        format(quick_format(type)),
        margin(std::ldexp(4 * kQuickMargin, format.precision)) {}

  template <class T>
  T* at(const DeviceTensor& tensor, bool second_half) const {
    return static_cast<T*>(tensor.data()) + (second_half ? count : 0);
  }
  template <class T>
  T* input(TensorHalf place) const {
    return at<T>(*inputs[place.tensor], place.second_half);
  }
  template <class T>
  T* input_x() const {
    return input<T>(function.activation.x);
  }
  template <class T>
  const T* results() const {
    const TensorHalf place = function.activation.result;
    return at<T>(*outputs[place.tensor], place.second_half);
  }
  double number(float value) const { return static_cast<double>(value); }
  double number(uint16_t pattern) const { return values[pattern]; }

  void plan() {
    const testing::Activation& activation = function.activation;
    testing::Activation::Tensors in;
    testing::Activation::Tensors out;
    for (const int width : activation.inputs) {
      in.push_back(
          inputs.emplace_back(std::make_unique<DeviceTensor>(dtype, count * width))->get());
      fill_with_one(*inputs.back(), count * width);
    }
    for (const int width : activation.outputs) {
      out.push_back(
          outputs.emplace_back(std::make_unique<DeviceTensor>(dtype, count * width))->get());
    }
    uint64_t size = 0;
    require(activation.phase_one(in, out, 0, &size, &executor), function.name());
    require(aclSetAclOpExecutorRepeatable(executor), function.name());
    workspace.resize(size);
  }

  void fill_with_one(const DeviceTensor& tensor, int64_t elements) const {
    if (dtype == ACL_FLOAT) {
      std::fill_n(static_cast<float*>(tensor.data()), elements, 1.0f);
    } else {
      std::fill_n(static_cast<uint16_t*>(tensor.data()), elements, one_pattern(dtype));
    }
  }

  void run() const {
    if (peer) {
      const TensorHalf place = function.activation.result;
      const DeviceTensor& out = *outputs[place.tensor];
      const void* gradient =
          function.has_factor() ? inputs[function.activation.factors[0].tensor]->data() : nullptr;
      peer(inputs[function.activation.x.tensor]->data(), gradient, out.data(), count);
      return;
    }
    void* const memory = const_cast<char*>(workspace.data());
    require(function.activation.phase_two(memory, workspace.size(), executor, stream),
            function.name());
    require(aclrtSynchronizeStream(stream), function.name());
  }

  // Measures what run() left in the tensors.
  template <class T>
  Findings measure() {
    Findings found;
    found.inputs = static_cast<uint64_t>(count);
    const T* x = input_x<T>();
    const T* result = results<T>();
    std::vector<const T*> factors;
    for (const TensorHalf& place : function.activation.factors) factors.push_back(input<T>(place));
    alignas(64) double xs[kBlock];
    alignas(64) double products[kBlock];
    alignas(64) double slopes[kBlock];
    alignas(64) double actual[kBlock];
    alignas(64) double error[kBlock];
    for (int64_t begin = 0; begin < count; begin += static_cast<int64_t>(kBlock)) {
      const size_t size = std::min(kBlock, static_cast<size_t>(count - begin));
      for (size_t i = 0; i < size; ++i) xs[i] = number(x[begin + static_cast<int64_t>(i)]);
      for (size_t i = 0; i < size; ++i) actual[i] = number(result[begin + static_cast<int64_t>(i)]);
      std::fill_n(products, size, 1.0);
      for (const T* factor : factors) {
        for (size_t i = 0; i < size; ++i) {
          products[i] *= number(factor[begin + static_cast<int64_t>(i)]);
        }
      }
      function.quick(xs, slopes, size);
      const size_t checked = (checks++ * 389) % size;
      check_quick(xs[checked], slopes[checked]);
      const double settled = 0.5 - margin;
      if (quick::errors(actual, slopes, products, size, format, settled, error) == 0 &&
          !any_cancels(xs, size)) {
        continue;
      }
      for (size_t i = 0; i < size; ++i) {
        if (error[i] < settled && !function.cancels(xs[i])) continue;
        weigh(xs[i], slopes[i], products[i], actual[i], error[i], found);
      }
    }
    return found;
  }

  bool any_cancels(const double* x, size_t size) const {
    bool any = false;
    for (size_t i = 0; i < size; ++i) any |= function.cancels(x[i]);
    return any;
  }

  // Where slopes jump either side is right, and libraries choose.
  bool is_open_choice(double x) const {
    return peer &&
           std::find(function.kinks.begin(), function.kinks.end(), x) != function.kinks.end();
  }

  // An element that quick found wrong, or cannot decide.
  void weigh(double x, double slope, double factor, double result, double error, Findings& found) {
    if (std::isnan(result) && (std::isnan(x) || std::isnan(factor))) return;
    if (is_open_choice(x)) return;
    if (!function.cancels(x)) {
      if (error > 0.5 + margin && error + margin < max_ulp && !std::isinf(result)) {
        ++found.not_correctly_rounded;
        return;
      }
      const double product = slope * factor;
      if (std::isinf(result) && product / result > 0 &&
          std::fabs(product) > format.limit * (1 + 2 * kQuickMargin)) {
        return;
      }
      if (std::isinf(result) && std::isinf(product) &&
          std::signbit(result) == std::signbit(product))
        return;
    }
    const Comparison comparison = compare(function, dtype, x, factor, result);
    if (comparison.rounding == Rounding::kCorrectlyRounded) return;
    if (comparison.rounding == Rounding::kNotNumber) {
      ++found.not_numbers;
      return;
    }
    ++found.not_correctly_rounded;
    if (comparison.ulp <= found.max_ulp) return;
    found.max_ulp = comparison.ulp;
    found.worst_x = x;
    found.worst_factor = factor;
    max_ulp = std::max(max_ulp, comparison.ulp);
  }

  // The margin that everything rests on, tried at one element of every block.
  void check_quick(double x, double value) const {
    if (!std::isfinite(x) || function.cancels(x)) return;
    const long double precise = function.precise(x) / function.divisor;
    if (!(std::fabs(precise) > 0x1p-900L) || std::isinf(precise)) return;
    if (std::fabs(static_cast<long double>(value) / precise - 1) < kQuickMargin) return;
    throw std::runtime_error(
        fmt::format("{}: the quick reference is {:.17g} at {:.17g}, not {:.17g}", function.name(),
                    value, x, precise));
  }
};

Probe::Probe(const ProvenFunction& function, aclDataType dtype, Peer peer) {
  require(aclrtSetDevice(0), "aclrtSetDevice");
  state_ = std::make_unique<State>(function, dtype, kInputs, std::move(peer));
  require(aclrtCreateStream(&state_->stream), "aclrtCreateStream");
  state_->plan();
}

Probe::~Probe() {
  aclDestroyAclOpExecutor(state_->executor);
  aclrtDestroyStream(state_->stream);
  state_.reset();
  aclrtResetDevice(0);
}

Findings Probe::run_float(uint16_t low_half, Factor factor) {
  State& s = *state_;
  auto* x = s.input_x<float>();
  for (int64_t i = 0; i < s.count; ++i) {
    x[i] = std::bit_cast<float>(static_cast<uint32_t>(i) << 16 | low_half);
  }
  const auto& factors = s.function.activation.factors;
  for (size_t k = 0; factor == Factor::kVaried && k < factors.size(); ++k) {
    quick::vary_factors(low_half, k, s.input<float>(factors[k]), static_cast<size_t>(s.count));
  }
  s.run();
  return s.measure<float>();
}

Findings Probe::run_16bit(uint16_t factor_pattern) {
  State& s = *state_;
  auto* x = s.input_x<uint16_t>();
  for (int64_t i = 0; i < s.count; ++i) x[i] = static_cast<uint16_t>(i);
  if (s.function.has_factor()) {
    std::fill_n(s.input<uint16_t>(s.function.activation.factors[0]), s.count, factor_pattern);
  }
  s.run();
  return s.measure<uint16_t>();
}

}  // namespace aclgrad::prove
