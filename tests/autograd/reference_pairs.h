// SPDX-License-Identifier: Apache-2.0
// Pairs of functions in every floating dtype, with a reference in float64: one text of each, which
// computes in float32 from what it reads (float64 in float64) and rounds what it writes. Every one
// has mistakes to be planted.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/functions.h"

namespace aclgrad::gradcheck::test {

template <class T>
using Vectors = std::vector<std::vector<T>>;

/// In the dtype under test, in float32 whatever that is (float64 in float64), or whole numbers.
enum class Kept { own, float32, whole };

struct Spec {
  std::string name;
  Dims shape;
  Kept kept = Kept::own;
  Number low = -4;
  Number high = 4;
  bool has_gradient = true;
};

/// Sums that are kept in a dtype.
struct Sum {
  DType dtype;
  double value = 0;
  template <class T>
  void add(T term) {
    value = static_cast<double>(
        round_to(static_cast<Number>(value) + static_cast<Number>(term), dtype));
  }
};

struct Kernel {
  std::string name;
  std::vector<Spec> inputs;
  std::vector<Spec> outputs;
  std::vector<std::string> mistakes;  // by their numbers from 1
  std::function<void(const Vectors<float>&, Vectors<float>&, DType)> forward;
  std::function<void(const Vectors<double>&, Vectors<double>&, DType)> forward_double;
  std::function<void(const Vectors<float>& in, const Vectors<float>& out, const Vectors<float>& up,
                     Vectors<float>& grad, DType sums, int mistake)>
      backward;
  std::function<void(const Vectors<double>& in, const Vectors<double>& out,
                     const Vectors<double>& up, Vectors<double>& grad, DType sums, int mistake)>
      backward_double;
  bool sums_in_dtype = false;
};

template <class Forward, class Backward>
Kernel kernel_of(std::string name, std::vector<Spec> inputs, std::vector<Spec> outputs,
                 std::vector<std::string> mistakes, Forward forward, Backward backward) {
  return {std::move(name), std::move(inputs), std::move(outputs), std::move(mistakes),
          forward,         forward,           backward,           backward};
}

inline DType dtype_in(const Spec& spec, DType dtype) {
  if (spec.kept == Kept::whole) return DType::int32;
  if (spec.kept == Kept::float32 && dtype != DType::float64) return DType::float32;
  return dtype;
}

template <class T, class Pointer>
Vectors<T> read(const std::vector<Spec>& specs, std::span<Pointer> from, DType dtype) {
  Vectors<T> all(specs.size());
  for (std::size_t k = 0; k < specs.size(); ++k) {
    all[k].resize(static_cast<std::size_t>(count_of(specs[k].shape)));
    if (from[k] == nullptr) continue;
    for (std::size_t i = 0; i < all[k].size(); ++i) {
      all[k][i] = static_cast<T>(load(static_cast<const std::byte*>(from[k]),
                                      dtype_in(specs[k], dtype), static_cast<std::int64_t>(i)));
    }
  }
  return all;
}

template <class T>
void write(const std::vector<Spec>& specs, const Vectors<T>& values, std::span<void* const> to,
           DType dtype) {
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (to[k] == nullptr) continue;
    for (std::size_t i = 0; i < values[k].size(); ++i) {
      store(static_cast<std::byte*>(to[k]), dtype_in(specs[k], dtype), static_cast<std::int64_t>(i),
            values[k][i]);
    }
  }
}

/// The kernel in a dtype, with one of its mistakes or none (0).
inline FunctionPair pair_of(const Kernel& kernel, DType dtype, int mistake = 0) {
  const auto arrays = [dtype](const std::vector<Spec>& specs) {
    std::vector<FunctionArray> all;
    for (const Spec& spec : specs) {
      all.push_back({.name = spec.name,
                     .shape = spec.shape,
                     .dtype = dtype_in(spec, dtype),
                     .low = spec.low,
                     .high = spec.high,
                     .has_gradient = spec.has_gradient && spec.kept != Kept::whole});
    }
    return all;
  };
  const auto run_forward = [kernel](auto zero, auto in, auto out, DType stored, DType sums) {
    using T = decltype(zero);
    const Vectors<T> inputs = read<T>(kernel.inputs, in, stored);
    Vectors<T> outputs;
    for (const Spec& spec : kernel.outputs) {
      outputs.emplace_back(static_cast<std::size_t>(count_of(spec.shape)));
    }
    if constexpr (std::is_same_v<T, double>) {
      kernel.forward_double(inputs, outputs, sums);
    } else {
      kernel.forward(inputs, outputs, sums);
    }
    write(kernel.outputs, outputs, out, stored);
  };
  const auto run_backward = [kernel, mistake](auto zero, auto in, auto out, auto up, auto grad,
                                              DType stored, DType sums) {
    using T = decltype(zero);
    const Vectors<T> inputs = read<T>(kernel.inputs, in, stored);
    Vectors<T> gradients = inputs;
    for (std::vector<T>& each : gradients) std::ranges::fill(each, T(0));
    const Vectors<T> outputs = read<T>(kernel.outputs, out, stored);
    const Vectors<T> upstream = read<T>(kernel.outputs, up, stored);
    if constexpr (std::is_same_v<T, double>) {
      kernel.backward_double(inputs, outputs, upstream, gradients, sums, mistake);
    } else {
      kernel.backward(inputs, outputs, upstream, gradients, sums, mistake);
    }
    write(kernel.inputs, gradients, grad, stored);
  };
  const bool is_double = dtype == DType::float64;
  const DType wide = is_double ? DType::float64 : DType::float32;
  const DType sums = kernel.sums_in_dtype ? dtype : wide;
  FunctionPair pair{.name = kernel.name,
                    .inputs = arrays(kernel.inputs),
                    .outputs = arrays(kernel.outputs),
                    .forward =
                        [=](auto in, auto out) {
                          if (is_double) return run_forward(0.0, in, out, dtype, sums);
                          run_forward(0.0F, in, out, dtype, sums);
                        },
                    .backward =
                        [=](auto in, auto out, auto up, auto grad) {
                          if (is_double) return run_backward(0.0, in, out, up, grad, dtype, sums);
                          run_backward(0.0F, in, out, up, grad, dtype, sums);
                        }};
  pair.reference = [=](auto in, auto out) {
    run_forward(0.0, in, out, DType::float64, DType::float64);
  };
  if (kernel.sums_in_dtype) pair.accumulation = dtype;
  return pair;
}

inline Kernel silu() {
  return kernel_of(
      "silu", {{"x", {4, 6}}}, {{"y", {4, 6}}},
      {"a term is missing", "the sign of a term", "1 % too large", "one row is 0", "one row off"},
      [](const auto& in, auto& out, DType) {
        for (std::size_t i = 0; i < 24; ++i) out[0][i] = in[0][i] / (1 + std::exp(-in[0][i]));
      },
      [](const auto& in, const auto&, const auto& up, auto& grad, DType, int mistake) {
        using T = std::decay_t<decltype(in[0][0])>;
        for (std::size_t i = 0; i < 24; ++i) {
          const T x = in[0][mistake == 5 ? (i + 6) % 24 : i];
          const T s = 1 / (1 + std::exp(-x));
          T slope = s * (1 + (mistake == 2 ? -x : x) * (1 - s));
          if (mistake == 1) slope = s;
          if (mistake == 3) slope *= T(1.01);
          if (mistake == 4 && i >= 18) slope = 0;
          grad[0][i] = up[0][i] * slope;
        }
      });
}

/// y = (x - mean) / sqrt(variance + eps) gamma + beta, by rows; statistics kept in float32.
inline Kernel layer_norm(std::size_t rows = 4, std::size_t n = 6, double eps = 1e-5) {
  const auto r = static_cast<std::int64_t>(rows);
  const auto w = static_cast<std::int64_t>(n);
  return kernel_of(
      "layer_norm", {{"x", {r, w}}, {"gamma", {w}, Kept::own, 0.5, 2}, {"beta", {w}}},
      {{"y", {r, w}},
       {"mean", {r}, Kept::float32, 0, 0, false},
       {"rstd", {r}, Kept::float32, 0, 0, false}},
      {"the mean of gradients is missing", "the sign of a mean", "1 % too large",
       "gamma is left out", "one row off", "beta's gradient is 0", "eps outside of the root",
       "x in place of its normal"},
      [=](const auto& in, auto& out, DType) {
        using T = std::decay_t<decltype(in[0][0])>;
        for (std::size_t row = 0; row < rows; ++row) {
          T mean = 0, variance = 0;
          for (std::size_t i = 0; i < n; ++i) mean += in[0][row * n + i] / T(n);
          for (std::size_t i = 0; i < n; ++i) {
            const T off = in[0][row * n + i] - mean;
            variance += off * off / T(n);
          }
          const T rstd = 1 / std::sqrt(variance + T(eps));
          out[1][row] = mean;
          out[2][row] = rstd;
          for (std::size_t i = 0; i < n; ++i) {
            out[0][row * n + i] = (in[0][row * n + i] - mean) * rstd * in[1][i] + in[2][i];
          }
        }
      },
      [=](const auto& in, const auto& out, const auto& up, auto& grad, DType, int mistake) {
        using T = std::decay_t<decltype(in[0][0])>;
        for (std::size_t row = 0; row < rows; ++row) {
          const std::size_t kept = mistake == 5 ? (row + 1) % rows : row;
          const T mean = out[1][kept];
          T rstd = out[2][kept];
          if (mistake == 7) rstd = 1 / (std::sqrt(1 / (rstd * rstd) - T(eps)) + T(eps));
          T sum = 0, product = 0;
          const auto normal = [&](std::size_t i) { return (in[0][row * n + i] - mean) * rstd; };
          for (std::size_t i = 0; i < n; ++i) {
            const T g = up[0][row * n + i] * in[1][i];
            sum += g / T(n);
            product += g * normal(i) / T(n);
          }
          if (mistake == 1) sum = 0;
          if (mistake == 2) product = -product;
          for (std::size_t i = 0; i < n; ++i) {
            const T g = up[0][row * n + i] * (mistake == 4 ? T(1) : in[1][i]);
            const T x = mistake == 8 ? in[0][row * n + i] * rstd : normal(i);
            grad[0][row * n + i] = rstd * (g - sum - x * product) * (mistake == 3 ? T(1.01) : T(1));
            grad[1][i] += up[0][row * n + i] * normal(i);
            if (mistake != 6) grad[2][i] += up[0][row * n + i];
          }
        }
      });
}

/// x / sqrt(mean of squares + eps) gamma, by rows.
inline Kernel rms_norm() {
  constexpr std::size_t kRows = 3, kWidth = 7;
  return kernel_of(
      "rms_norm", {{"x", {3, 7}}, {"gamma", {7}}},
      {{"y", {3, 7}}, {"rstd", {3}, Kept::float32, 0, 0, false}},
      {"the mean is a sum", "the sign of the second term", "1 % too large", "the second term is 0",
       "one row off", "eps is left out"},
      [](const auto& in, auto& out, DType) {
        using T = std::decay_t<decltype(in[0][0])>;
        for (std::size_t row = 0; row < kRows; ++row) {
          T sum = 0;
          for (std::size_t i = 0; i < kWidth; ++i) {
            sum += in[0][row * kWidth + i] * in[0][row * kWidth + i];
          }
          const T rstd = 1 / std::sqrt(sum / T(kWidth) + T(1e-6));
          out[1][row] = rstd;
          for (std::size_t i = 0; i < kWidth; ++i) {
            out[0][row * kWidth + i] = in[0][row * kWidth + i] * rstd * in[1][i];
          }
        }
      },
      [](const auto& in, const auto& out, const auto& up, auto& grad, DType, int mistake) {
        using T = std::decay_t<decltype(in[0][0])>;
        for (std::size_t row = 0; row < kRows; ++row) {
          T rstd = out[1][mistake == 5 ? (row + 1) % kRows : row];
          if (mistake == 6) rstd = 1 / std::sqrt(1 / (rstd * rstd) - T(1e-6));
          T product = 0;
          for (std::size_t i = 0; i < kWidth; ++i) {
            product += up[0][row * kWidth + i] * in[1][i] * in[0][row * kWidth + i];
          }
          if (mistake != 1) product /= T(kWidth);
          if (mistake == 2) product = -product;
          if (mistake == 4) product = 0;
          for (std::size_t i = 0; i < kWidth; ++i) {
            const T x = in[0][row * kWidth + i];
            const T g = up[0][row * kWidth + i];
            grad[0][row * kWidth + i] =
                rstd * (g * in[1][i] - x * rstd * rstd * product) * (mistake == 3 ? T(1.01) : T(1));
            grad[1][i] += g * x * rstd;
          }
        }
      });
}

/// The mean of -log softmax(x)[label]; keeps the probabilities, in the dtype. The loss is float32.
inline Kernel cross_entropy() {
  constexpr std::size_t kRows = 4, kClasses = 5;
  return kernel_of(
      "cross_entropy", {{"x", {4, 5}}, {"label", {4}, Kept::whole, 0, 4}},
      {{"loss", {}, Kept::float32}, {"p", {4, 5}, Kept::own, 0, 0, false}},
      {"not divided by the rows", "the label's term is missing", "1 % too large",
       "labels one row off", "a row is 0"},
      [](const auto& in, auto& out, DType) {
        using T = std::decay_t<decltype(in[0][0])>;
        T loss = 0;
        for (std::size_t row = 0; row < kRows; ++row) {
          const auto* x = &in[0][row * kClasses];
          const T top = *std::max_element(x, x + kClasses);
          T sum = 0;
          for (std::size_t i = 0; i < kClasses; ++i) sum += std::exp(x[i] - top);
          for (std::size_t i = 0; i < kClasses; ++i) {
            out[1][row * kClasses + i] = std::exp(x[i] - top) / sum;
          }
          loss += (top + std::log(sum) - x[static_cast<std::size_t>(in[1][row])]) / T(kRows);
        }
        out[0][0] = loss;
      },
      [](const auto& in, const auto& out, const auto& up, auto& grad, DType, int mistake) {
        using T = std::decay_t<decltype(in[0][0])>;
        for (std::size_t row = 0; row < kRows; ++row) {
          const auto label =
              static_cast<std::size_t>(in[1][mistake == 4 ? (row + 1) % kRows : row]);
          for (std::size_t i = 0; i < kClasses; ++i) {
            const T one = i == label && mistake != 2 ? T(1) : T(0);
            T g = up[0][0] * (out[1][row * kClasses + i] - one) * (mistake == 3 ? T(1.01) : T(1));
            if (mistake != 1) g /= T(kRows);
            if (mistake == 5 && row == 2) g = 0;
            grad[0][row * kClasses + i] = g;
          }
        }
      });
}

/// a b, of 4 x 6 and 6 x 3; sums in float32, or in the dtype.
inline Kernel matmul(bool sums_in_dtype) {
  constexpr std::size_t kM = 4, kK = 6, kN = 3;
  Kernel kernel = kernel_of(
      sums_in_dtype ? "matmul_own_sums" : "matmul", {{"a", {4, 6}}, {"b", {6, 3}}}, {{"y", {4, 3}}},
      {"b is not transposed", "the sign of a column", "some per cent too large",
       "b's gradient is 0", "a row of y is left out", "the last column is left out"},
      [](const auto& in, auto& out, DType sums) {
        for (std::size_t i = 0; i < kM; ++i) {
          for (std::size_t j = 0; j < kN; ++j) {
            Sum sum{sums};
            for (std::size_t k = 0; k < kK; ++k) sum.add(in[0][i * kK + k] * in[1][k * kN + j]);
            out[0][i * kN + j] = static_cast<std::decay_t<decltype(in[0][0])>>(sum.value);
          }
        }
      },
      [=](const auto& in, const auto&, const auto& up, auto& grad, DType sums, int mistake) {
        using T = std::decay_t<decltype(in[0][0])>;
        const T too_large = sums_in_dtype ? T(1.1) : T(1.01);  // which sums in 16 bits may be
        for (std::size_t k = 0; k < kK; ++k) {
          for (std::size_t i = 0; i < kM; ++i) {
            Sum sum{sums};
            for (std::size_t j = 0; j < (mistake == 6 ? kN - 1 : kN); ++j) {
              const T b = in[1][mistake == 1 ? (j * kK + k) : k * kN + j];
              sum.add(up[0][i * kN + j] * (mistake == 2 && j == 1 ? -b : b));
            }
            grad[0][i * kK + k] = static_cast<T>(sum.value) * (mistake == 3 ? too_large : T(1));
          }
          for (std::size_t j = 0; j < kN && mistake != 4; ++j) {
            Sum sum{sums};
            for (std::size_t i = mistake == 5 ? 1 : 0; i < kM; ++i) {
              sum.add(up[0][i * kN + j] * in[0][i * kK + k]);
            }
            grad[1][k * kN + j] = static_cast<T>(sum.value);
          }
        }
      });
  kernel.sums_in_dtype = sums_in_dtype;
  return kernel;
}

inline std::vector<Kernel> kernels() {
  return {silu(), layer_norm(), rms_norm(), cross_entropy(), matmul(false), matmul(true)};
}

inline constexpr DType kDTypes[] = {DType::float64, DType::float32, DType::float16,
                                    DType::bfloat16};

}  // namespace aclgrad::gradcheck::test
