// SPDX-License-Identifier: Apache-2.0
// The kernels that work on stored rows and vectors (sums, products with a vector, log-softmax,
// AdamW): right, and the same bits on every instruction set and for every way to ask.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ops/kernels/adamw.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/log_softmax_rows.h"
#include "ops/kernels/sums.h"
#include "tests/ops/kernels/targets.h"

namespace aclgrad::ops {
namespace {

using testing::for_each_target;

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

// Elements of a real dtype, kept as bytes, so that whole results can be compared bit by bit.
struct Numbers {
  aclDataType dtype;
  std::vector<unsigned char> bytes;

  Numbers(aclDataType type, size_t count) : dtype(type), bytes(count * element_size(type)) {}
  static Numbers random(aclDataType type, size_t count, unsigned seed, double low, double high) {
    Numbers result(type, count);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> number(low, high);
    for (size_t i = 0; i < count; ++i) result.set(i, number(generator));
    return result;
  }

  size_t count() const { return bytes.size() / element_size(dtype); }
  double get(size_t i) const {
    double value = 0;
    load(bytes.data() + i * element_size(dtype), dtype, 1, &value, 1);
    return value;
  }
  void set(size_t i, double value) {
    store(&value, bytes.data() + i * element_size(dtype), dtype, 1, 1);
  }
};

bool operator==(const Numbers& a, const Numbers& b) { return a.bytes == b.bytes; }

// The order that tree_sum.h promises, term by term.
double plain_sum(const Numbers& numbers, size_t first, size_t stride, size_t terms,
                 const double* factors = nullptr) {
  std::vector<double> values(terms);
  for (size_t i = 0; i < terms; ++i) {
    values[i] = numbers.get(first + i * stride) * (factors == nullptr ? 1 : factors[i]);
  }
  LaneSum<double> sum;
  sum.add(values.data(), terms);
  return sum.total();
}

TEST(Rows, SumsOfLinesAndColumnsFollowTheTree) {
  constexpr size_t kLines = 13;
  for (const aclDataType dtype : kDtypes) {
    for (const size_t terms : {1u, 2u, 7u, 8u, 9u, 31u, 64u, 300u, 1000u}) {
      const Numbers numbers = Numbers::random(dtype, kLines * terms, 1, -3, 5);
      const Numbers factors = Numbers::random(ACL_DOUBLE, terms, 2, -2, 2);
      const auto* weights = reinterpret_cast<const double*>(factors.bytes.data());
      for_each_target([&](int64_t) {
        for (const double* with : {static_cast<const double*>(nullptr), weights}) {
          double sums[kLines];
          sum_lines(numbers.bytes.data(), dtype, static_cast<int64_t>(terms), kLines, terms, sums,
                    with);
          for (size_t i = 0; i < kLines; ++i) {
            ASSERT_EQ(sums[i], plain_sum(numbers, i * terms, 1, terms, with)) << dtype << terms;
          }
          ColumnSums columns(kLines);  // in two steps, the same memory as `terms` rows
          const size_t some = terms / 3;
          const size_t skip = some * kLines * element_size(dtype);
          columns.add(numbers.bytes.data(), dtype, kLines, some, with);
          columns.add(numbers.bytes.data() + skip, dtype, kLines, terms - some,
                      with == nullptr ? with : with + some);
          columns.finish(sums);
          for (size_t i = 0; i < kLines; ++i) {
            ASSERT_EQ(sums[i], plain_sum(numbers, i, kLines, terms, with)) << dtype << terms;
          }
        }
      });
    }
  }
}

TEST(Rows, SumsInStepsAreThoseOfTheWhole) {
  constexpr size_t kCount = 3 * kSumChunk + 5;
  const Numbers a = Numbers::random(ACL_FLOAT, kCount, 3, -1, 1);
  const Numbers zeros(ACL_FLOAT, kCount);
  for_each_target([&](int64_t) {
    double chunks[4];
    sum_dense_chunks(a.bytes.data(), ACL_FLOAT, kCount, chunks);
    for (size_t k = 0; k < 4; ++k) {
      const size_t terms = k < 3 ? kSumChunk : 5;
      EXPECT_EQ(chunks[k], plain_sum(a, k * kSumChunk, 1, terms));
    }
    RealSum sum;
    sum.add(a.bytes.data(), ACL_FLOAT, 16);
    sum.add(a.bytes.data() + 16 * sizeof(float), ACL_FLOAT, 101);
    EXPECT_EQ(sum.total(), plain_sum(a, 0, 1, 117));
    RealSum squares;
    squares.add_squared_differences(a.bytes.data(), zeros.bytes.data(), ACL_FLOAT, 117);
    double expected = 0;
    for (size_t i = 0; i < 117; ++i) expected += a.get(i) * a.get(i);
    EXPECT_NEAR(squares.total(), expected, 1e-13 * expected);
  });
}

TEST(Rows, MinusZerosAddUpToMinusZero) {
  const std::vector<float> zeros(11, -0.0f);
  for_each_target([&](int64_t) {
    double sum = 1;
    sum_lines(zeros.data(), ACL_FLOAT, 0, 1, zeros.size(), &sum);
    EXPECT_TRUE(sum == 0 && std::signbit(sum));
  });
}

// Conversions that know only numbers would read an infinite FLOAT16 as 65536.
TEST(Rows, InfinityAndNanGoThroughSums) {
  constexpr size_t kTerms = 20;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const aclDataType dtype : kDtypes) {
    for (const double special : {infinity, -infinity, std::nan("")}) {
      Numbers numbers(dtype, kTerms);
      for (size_t i = 0; i < kTerms; ++i) numbers.set(i, 1);
      numbers.set(3, special);
      for_each_target([&](int64_t) {
        double sum = 0;
        sum_lines(numbers.bytes.data(), dtype, kTerms, 1, kTerms, &sum);
        EXPECT_TRUE(std::isnan(special) ? std::isnan(sum) : sum == special)
            << sum << " for " << special << ", dtype " << dtype;
      });
    }
  }
}

TEST(Rows, LogSoftmaxIsAccurateAndTheSameOnEveryInstructionSet) {
  for (const aclDataType dtype : kDtypes) {
    for (const size_t length : {1u, 2u, 5u, 8u, 10u, 16u, 33u, 257u, 5000u}) {
      const size_t rows = length > 1000 ? 3 : 21;
      const Numbers x = Numbers::random(dtype, rows * length, 4, -30, 9);
      const Numbers g = Numbers::random(dtype, rows * length, 5, -1, 1);
      std::vector<Numbers> results;
      for_each_target([&](int64_t) {
        Numbers source = x;
        Numbers gradient = g;
        Numbers y(dtype, x.count());
        Numbers slope(dtype, x.count());
        const auto step = static_cast<int64_t>(length);
        log_softmax_rows({dtype, rows, length}, {source.bytes.data(), step},
                         {y.bytes.data(), step});
        log_softmax_backward_rows({dtype, rows, length}, {gradient.bytes.data(), step},
                                  {y.bytes.data(), step}, {slope.bytes.data(), step});
        results.push_back(y);
        results.push_back(slope);
      });
      for (size_t i = 2; i < results.size(); ++i) {
        ASSERT_EQ(results[i], results[i % 2]) << dtype << length;
      }
      const double unit = dtype == ACL_FLOAT     ? 0x1p-24
                          : dtype == ACL_FLOAT16 ? 0x1p-11
                          : dtype == ACL_BF16    ? 0x1p-8
                                                 : 0x1p-49;
      const long double smallest = dtype == ACL_FLOAT16 ? 0x1p-25L : 1e-13L;
      for (size_t row = 0; row < rows; ++row) {
        long double sum = 0;
        for (size_t i = 0; i < length; ++i) {
          sum += std::exp(static_cast<long double>(x.get(row * length + i)));
        }
        for (size_t i = 0; i < length; ++i) {
          const long double expected = x.get(row * length + i) - std::log(sum);
          const long double got = results[0].get(row * length + i);
          ASSERT_LE(std::abs(got - expected), 1.001L * unit * std::abs(expected) + smallest)
              << dtype << " row of " << length;
        }
      }
    }
  }
}

TEST(Rows, LogSoftmaxAtTheEndsOfItsRange) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for_each_target([&](int64_t) {
    std::vector<float> x = {-kInfinity, 3, -200, -kInfinity, -kInfinity, -kInfinity,
                            kInfinity,  0, 1,    NAN,        0,          1};
    log_softmax_rows({ACL_FLOAT, 4, 3}, {x.data(), 3}, {x.data(), 3});
    EXPECT_EQ(x[0], -kInfinity);
    EXPECT_EQ(x[1], 0);
    EXPECT_EQ(x[2], -203);
    for (size_t i = 3; i < x.size(); ++i) EXPECT_TRUE(std::isnan(x[i])) << i;
    std::vector<float> g = {1, 2, NAN, 4};
    std::vector<float> y = {-kInfinity, 0, -1, -1000};
    log_softmax_backward_rows({ACL_FLOAT, 2, 2}, {g.data(), 2}, {y.data(), 2}, {g.data(), 2});
    EXPECT_EQ(g[0], 1);
    EXPECT_EQ(g[1], -1);
    EXPECT_TRUE(std::isnan(g[2]) && std::isnan(g[3]));
  });
}

// ---- AdamW --------------------------------------------------------------------------------------

const OperatorSpec kSpec{"adamw",
                         {in_out("theta"), in_out("m"), in_out("v"), in_out("largest"),
                          input("gradient"), input("step")},
                         {}};

// One step, in place, on theta, m, v, the largest v and the gradient, whose elements lie `stride`
// apart.
void take_step(std::vector<Numbers>& tensors, int64_t stride, bool amsgrad, double lr = 0.01) {
  int64_t step = 4;
  std::vector<aclTensor*> handles;
  std::vector<Argument> values;
  std::vector<void*> addresses;
  const int64_t shape[] = {static_cast<int64_t>(tensors[0].count()) / stride};
  const int64_t one[] = {1};
  for (Numbers& each : tensors) {
    const int64_t storage[] = {static_cast<int64_t>(each.count())};
    addresses.push_back(each.bytes.data());
    handles.push_back(aclCreateTensor(shape, 1, each.dtype, &stride, 0, ACL_FORMAT_ND, storage, 1,
                                      addresses.back()));
  }
  addresses.push_back(&step);
  handles.push_back(aclCreateTensor(one, 1, ACL_INT64, one, 0, ACL_FORMAT_ND, one, 1, &step));
  for (aclTensor* each : handles) values.emplace_back(static_cast<const aclTensor*>(each));
  const Plan plan = plan_adamw(Arguments(kSpec, values), {0, 1, 2, 3, 4, 5},
                               {.lr = lr,
                                .beta1 = 0.9,
                                .beta2 = 0.99,
                                .weight_decay = 0.1,
                                .eps = 1e-8,
                                .amsgrad = amsgrad,
                                .maximize = false});
  EXPECT_EQ(plan.body(Run(addresses, nullptr)), ACL_SUCCESS);
  for (aclTensor* each : handles) aclDestroyTensor(each);
}

// The same on random tensors; returns theta, m, v and the largest v.
std::vector<Numbers> adamw(aclDataType dtype, size_t count, int64_t stride, bool amsgrad,
                           const std::vector<double>& gradients) {
  const auto spread = [&](unsigned seed, double low, double high) {
    const Numbers dense = Numbers::random(dtype, count, seed, low, high);
    Numbers result(dtype, count * static_cast<size_t>(stride));
    for (size_t i = 0; i < count; ++i) {
      result.set(i * static_cast<size_t>(stride), dense.get(i));
    }
    return result;
  };
  std::vector<Numbers> tensors = {spread(1, -1, 1), spread(2, -0.1, 0.1), spread(3, 0, 0.01),
                                  spread(4, 0, 0.01), spread(5, 0, 0)};
  for (size_t i = 0; i < count; ++i) {
    tensors[4].set(i * static_cast<size_t>(stride), gradients[i % gradients.size()]);
  }
  // Elements with an empty history: the root is that of the new square alone.
  for (size_t i = 0; i < count; i += 3) tensors[2].set(i * static_cast<size_t>(stride), 0);
  take_step(tensors, stride, amsgrad);
  std::vector<Numbers> results;
  for (size_t k = 0; k < 4; ++k) {
    Numbers dense(dtype, count);
    for (size_t i = 0; i < count; ++i)
      dense.set(i, tensors[k].get(i * static_cast<size_t>(stride)));
    results.push_back(dense);
  }
  return results;
}

TEST(Rows, AdamWGivesTheSameBitsDenseOrNotOnEveryInstructionSet) {
  constexpr size_t kCount = 1003;
  const std::vector<double> gradients = {0, 1e-30, -3e-7, 0.5, -2, 1e-44, 300, 1e-4};
  for (const aclDataType dtype : kDtypes) {
    for (const bool amsgrad : {false, true}) {
      std::vector<Numbers> first;
      for_each_target([&](int64_t) {
        for (const int64_t stride : {1, 2}) {
          const std::vector<Numbers> results = adamw(dtype, kCount, stride, amsgrad, gradients);
          if (first.empty()) first = results;
          for (size_t k = 0; k < 4; ++k) EXPECT_EQ(results[k], first[k]) << dtype << stride << k;
        }
      });
    }
  }
}

TEST(Rows, AdamWKeepsItsBounds) {
  constexpr size_t kCount = 1 << 18;
  const std::vector<double> gradients = {0.25, -3e-7, 0.5,  -2, 1e-20, 300,
                                         1e-4, 0.017, -0.3, 0,  1e-10};
  const std::vector<Numbers> results = adamw(ACL_FLOAT, kCount, 1, false, gradients);
  const Numbers theta = Numbers::random(ACL_FLOAT, kCount, 1, -1, 1);
  const Numbers m = Numbers::random(ACL_FLOAT, kCount, 2, -0.1, 0.1);
  const Numbers v = Numbers::random(ACL_FLOAT, kCount, 3, 0, 0.01);
  const long double beta1 = 0.9, beta2 = 0.99, lr = 0.01;
  const auto unit = [](long double value) {
    return std::ldexp(1.0L, std::max(-149, std::ilogb(static_cast<float>(std::abs(value))) - 23));
  };
  for (size_t i = 0; i < kCount; ++i) {
    const long double g = static_cast<float>(gradients[i % gradients.size()]);
    const long double kept = beta1 * m.get(i);
    const long double new_m = kept + (1 - beta1) * g;
    const long double new_v = (i % 3 == 0 ? 0 : beta2 * v.get(i)) + (1 - beta2) * g * g;
    ASSERT_LE(std::abs(results[1].get(i) - new_m), unit(new_m) + 0x1p-46L * std::abs(kept)) << i;
    ASSERT_LE(std::abs(results[2].get(i) - new_v), unit(new_v)) << i;
    const long double root = std::sqrt(new_v) / std::sqrt(1 - std::pow(beta2, 5.0L));
    const long double step = lr / (1 - std::pow(beta1, 5.0L)) * new_m / (root + 1e-8L);
    const long double expected = theta.get(i) * (1 - lr * 0.1L) - step;
    // What m loses where its terms cancel is part of the step.
    const long double lost = std::abs(step / new_m * kept) * 0x1p-46L;
    const long double bound = 0.501L * unit(expected) + 0x1p-21L * std::abs(step) + lost;
    ASSERT_LE(std::abs(results[0].get(i) - expected), bound) << i;
  }
}

// Every combination of numbers from the ends of the range, against the step in double.
TEST(Rows, AdamWAtTheEndsOfItsRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers = {0,      -0.0,  0.5,       -3,         1e-44,
                                       -1e-38, 1e-31, 1e-25,     1e-12,      -1e18,
                                       3e19,   3e38,  kInfinity, -kInfinity, nan};
  const size_t n = numbers.size();
  const size_t count = n * n * n * n;
  for (const bool amsgrad : {false, true}) {
    for (const double lr : {0.01, 0.0, 1e30}) {
      std::vector<std::vector<Numbers>> both;
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
        std::vector<Numbers> tensors(5, Numbers(dtype, count));
        for (size_t i = 0; i < count; ++i) {
          const size_t at[] = {i % n, i / n % n, i / n / n % n, (i + i / n) % n, i / n / n / n};
          for (size_t k = 0; k < 5; ++k) {
            const bool is_square = k == 2 || k == 3;
            const double number = static_cast<float>(numbers[at[k]]);
            tensors[k].set(i, is_square ? std::abs(number) : number);
          }
        }
        take_step(tensors, 1, amsgrad, lr);
        both.push_back(tensors);
      }
      for (size_t k = 0; k < 4; ++k) {
        for (size_t i = 0; i < count; ++i) {
          const double found = both[0][k].get(i);
          const double exact = both[1][k].get(i);
          const auto expected = static_cast<double>(static_cast<float>(exact));
          if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(found)) << k << ' ' << i << ' ' << found;
          } else if (found != expected) {
            ASSERT_LE(std::abs(found - exact), 0x1p-20 * std::abs(exact)) << k << ' ' << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace aclgrad::ops
