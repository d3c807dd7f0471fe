// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/probe.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::prove {
namespace {

using testing::bfloat_value;
using testing::half_value;
using testing::round_to;
using testing::ulp_at;

// Beyond this relative distance from a tie the long double reference decides which way to round: it
// is good to 1e-16 even where the formula cancels.
constexpr long double kMargin = 0x1p-46L;

// Where a derivative is this much smaller than its terms, doubles are not enough.
constexpr double kCancelled = 0.01;

void require(int status, const std::string& what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s: status %d\n%s\n", what.c_str(), status,
               message != nullptr ? message : "");
  std::exit(1);
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
  template <class T>
  T* data() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

// A gradient for each input: any exponent from 2^-20 to 2^20, any significand, either sign.
float varied_gradient(uint32_t pattern) {
  uint32_t hash = pattern * 0x9E3779B1u;
  hash ^= hash >> 15;
  hash *= 0x85EBCA77u;
  hash ^= hash >> 13;
  const uint32_t exponent = 107 + (hash >> 8) % 41;
  return std::bit_cast<float>((hash & 0x80000000u) | exponent << 23 | (hash & 0x7FFFFFu));
}

long double value_of(uint16_t pattern, aclDataType dtype) {
  return dtype == ACL_FLOAT16 ? half_value(pattern) : bfloat_value(pattern);
}

// Where the reference is exact but for the side of a tie on which it lies, which it knows: near 0
// (see kTiny), and far out, where a derivative is a constant or x plus a constant.
bool is_one_sided(long double x) { return std::fabs(x) <= kTiny || std::fabs(x) >= 0x1p20L; }

bool same_value(long double a, long double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

uint16_t one_pattern(aclDataType dtype) { return dtype == ACL_FLOAT16 ? 0x3C00 : 0x3F80; }

void Findings::merge(const Findings& other) {
  inputs += other.inputs;
  not_correctly_rounded += other.not_correctly_rounded;
  undecided += other.undecided;
  const bool as_bad = max_ulp > 0 && other.max_ulp == max_ulp;
  if (other.max_ulp > max_ulp || (as_bad && other.worst_x < worst_x)) {
    max_ulp = other.max_ulp;
    worst_x = other.worst_x;
    worst_gradient = other.worst_gradient;
  }
}

struct Probe::State {
  const Subject& subject;
  aclDataType dtype;
  int64_t count;
  DeviceTensor x;
  DeviceTensor gradient;
  DeviceTensor ones;
  DeviceTensor result;
  DeviceTensor unused;
  aclrtStream stream = nullptr;
  aclOpExecutor* executor = nullptr;
  std::vector<char> workspace;

  State(const Subject& which, aclDataType type, int64_t n)
      : subject(which),
        dtype(type),
        count(n),
        x(type, which.x_behind_ones ? 2 * n : n),
        gradient(type, n),
        ones(type, n),
        result(type, which.result_behind ? 2 * n : n),
        unused(type, n) {}

  template <class T>
  T* inputs() const {
    return x.data<T>() + (subject.x_behind_ones ? count : 0);
  }
  template <class T>
  const T* results() const {
    return result.data<T>() + (subject.result_behind ? count : 0);
  }
  template <class T>
  void fill_ones(T one) const {
    std::fill_n(ones.data<T>(), count, one);
    if (subject.x_behind_ones) std::fill_n(x.data<T>(), count, one);
  }
  long double exact(long double input, long double g) const {
    return g * subject.precise(input) / subject.divisor;
  }
  void run() {
    require(subject.phase_two(workspace.data(), workspace.size(), executor, stream), subject.name);
    require(aclrtSynchronizeStream(stream), subject.name);
  }
};

Probe::Probe(const Subject& subject, aclDataType dtype, int64_t count) {
  require(aclrtSetDevice(0), "aclrtSetDevice");
  state_ = std::make_unique<State>(subject, dtype, count);
  State& s = *state_;
  require(aclrtCreateStream(&s.stream), "aclrtCreateStream");
  uint64_t size = 0;
  require(subject.phase_one(s.x.get(), s.gradient.get(), s.ones.get(), s.result.get(),
                            s.unused.get(), &size, &s.executor),
          subject.name);
  require(aclSetAclOpExecutorRepeatable(s.executor), subject.name);
  s.workspace.resize(size);
  if (dtype == ACL_FLOAT) {
    s.fill_ones(1.0f);
  } else {
    s.fill_ones(one_pattern(dtype));
  }
}

Probe::~Probe() {
  aclDestroyAclOpExecutor(state_->executor);
  aclrtDestroyStream(state_->stream);
  state_.reset();
  aclrtResetDevice(0);
}

Findings Probe::run_float(uint32_t first, Gradient gradient) {
  State& s = *state_;
  auto* x = s.inputs<float>();
  auto* g = s.gradient.data<float>();
  for (int64_t i = 0; i < s.count; ++i) {
    const uint32_t pattern = first + static_cast<uint32_t>(i);
    x[i] = std::bit_cast<float>(pattern);
    g[i] = gradient == Gradient::kOne ? 1.0f : varied_gradient(pattern);
  }
  s.run();

  Findings found;
  const float* result = s.results<float>();
  for (int64_t i = 0; i < s.count; ++i) {
    const double slope = s.subject.quick(static_cast<double>(x[i]));
    double exact = slope * static_cast<double>(g[i]);
    if (std::fabs(slope) < kCancelled) {
      exact = static_cast<double>(s.exact(x[i], g[i]));
    }
    const auto rounded = static_cast<float>(exact);
    if (same_value(result[i], rounded)) continue;
    // Not the nearest, or a tie too close to call: measure it.
    const double error = testing::ulp_error(result[i], s.exact(x[i], g[i]), ACL_FLOAT);
    if (error > 0.5 + 1e-6) ++found.not_correctly_rounded;
    if (error <= found.max_ulp) continue;
    found.max_ulp = error;
    found.worst_x = x[i];
    found.worst_gradient = g[i];
  }
  found.inputs = static_cast<uint64_t>(s.count);
  return found;
}

Findings Probe::run_16bit(uint16_t gradient_pattern) {
  State& s = *state_;
  auto* x = s.inputs<uint16_t>();
  for (int64_t i = 0; i < s.count; ++i) x[i] = static_cast<uint16_t>(i);
  std::fill_n(s.gradient.data<uint16_t>(), s.count, gradient_pattern);
  s.run();

  Findings found;
  const long double g = s.subject.has_gradient ? value_of(gradient_pattern, s.dtype) : 1.0L;
  const uint16_t* result = s.results<uint16_t>();
  for (int64_t i = 0; i < s.count; ++i) {
    const long double input = value_of(x[i], s.dtype);
    const long double exact = s.exact(input, g);
    const long double actual = value_of(result[i], s.dtype);
    if (same_value(actual, round_to(exact, s.dtype))) {
      if (s.subject.is_rational || is_one_sided(input)) continue;
      const long double low = round_to(exact * (1 - kMargin), s.dtype);
      const long double high = round_to(exact * (1 + kMargin), s.dtype);
      if (!same_value(low, high)) ++found.undecided;
      continue;
    }
    ++found.not_correctly_rounded;
    const double error = testing::ulp_error(actual, exact, s.dtype);
    if (error <= found.max_ulp) continue;
    found.max_ulp = error;
    found.worst_x = static_cast<double>(input);
    found.worst_gradient = static_cast<double>(g);
  }
  found.inputs = static_cast<uint64_t>(s.count);
  return found;
}

}  // namespace aclgrad::prove
