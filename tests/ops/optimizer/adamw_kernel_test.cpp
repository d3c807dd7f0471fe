// SPDX-License-Identifier: Apache-2.0
// The step of AdamW: its bounds, the ends of its range, and the same bits on every instruction set
// and for every layout.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ops/optimizer/adamw_kernel.h"
#include "tests/ops/engine/native_numbers.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

using testing::for_each_target;

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

const OperatorSpec kSpec{"adamw",
                         {in_out("theta"), in_out("m"), in_out("v"), in_out("largest"),
                          input("gradient"), input("step")},
                         {}};

// One step, in place, on theta, m, v, the largest v and the gradient, whose elements lie `stride`
// apart.
struct Weights {
  double beta1 = 0.9f, beta2 = 0.99f;
};
void take_step(std::vector<Numbers>& tensors, int64_t stride, bool amsgrad, double lr = 0.01,
               const Weights& weights = {}) {
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
                                .beta1 = weights.beta1,
                                .beta2 = weights.beta2,
                                .weight_decay = 0.1,
                                .eps = 1e-8,
                                .amsgrad = amsgrad,
                                .maximize = false});
  EXPECT_EQ(plan.body(Run(addresses, nullptr)), ACL_SUCCESS);
  for (aclTensor* each : handles) aclDestroyTensor(each);
}

// Steps on random tensors; returns theta, m, v and the largest v.
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

TEST(AdamW, GivesTheSameBitsDenseOrNotOnEveryInstructionSet) {
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

TEST(AdamW, KeepsItsBounds) {
  constexpr size_t kCount = 1 << 18;
  const std::vector<double> gradients = {0.25, -3e-7, 0.5,  -2, 1e-20, 300,
                                         1e-4, 0.017, -0.3, 0,  1e-10};
  const std::vector<Numbers> results = adamw(ACL_FLOAT, kCount, 1, false, gradients);
  const Numbers theta = Numbers::random(ACL_FLOAT, kCount, 1, -1, 1);
  const Numbers m = Numbers::random(ACL_FLOAT, kCount, 2, -0.1, 0.1);
  const Numbers v = Numbers::random(ACL_FLOAT, kCount, 3, 0, 0.01);
  const long double beta1 = 0.9f, beta2 = 0.99f, lr = 0.01;
  const auto unit = [](long double value) {
    return std::ldexp(1.0L, std::max(-126, std::ilogb(static_cast<float>(std::abs(value)))) - 23);
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

// With theta 0 the result is the change alone, of which no digit may be lost in a sum: numbers of
// all sizes, and an epsilon that is now the larger part of the divisor and now the smaller.
TEST(AdamW, ChangesThetaByNearlyTheExactStep) {
  constexpr size_t kCount = 1 << 20;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-40, 20);
  std::vector<Numbers> tensors(5, Numbers(ACL_FLOAT, kCount));
  for (size_t i = 0; i < kCount; ++i) {
    tensors[1].set(i, std::ldexp(mantissa(generator), exponent(generator)));
    tensors[2].set(i, std::ldexp(mantissa(generator), 2 * exponent(generator)));
    tensors[4].set(i, std::ldexp(mantissa(generator), exponent(generator)));
  }
  const std::vector<Numbers> before = tensors;
  take_step(tensors, 1, false);
  const long double beta1 = 0.9f, beta2 = 0.99f, lr = 0.01;
  const long double root_factor = 1 / std::sqrt(1 - std::pow(beta2, 5.0L));
  const long double size = lr / (1 - std::pow(beta1, 5.0L));
  for (size_t i = 0; i < kCount; ++i) {
    const long double g = before[4].get(i);
    const long double m = beta1 * before[1].get(i) + (1 - beta1) * g;
    const long double v = beta2 * before[2].get(i) + (1 - beta2) * g * g;
    const long double expected = -size * m / (std::sqrt(v) * root_factor + 1e-8L);
    ASSERT_LE(std::abs(tensors[0].get(i) - expected), 0x1p-21L * std::abs(expected)) << i;
  }
}

// A weight far below 1/2 leaves to 1 what no float holds.
TEST(AdamW, TakesAnyWeights) {
  constexpr size_t kCount = 1000;
  std::vector<Numbers> tensors = {
      Numbers::random(ACL_FLOAT, kCount, 1, -1, 1), Numbers::random(ACL_FLOAT, kCount, 2, -1, 1),
      Numbers::random(ACL_FLOAT, kCount, 3, 0, 1), Numbers::random(ACL_FLOAT, kCount, 4, 0, 1),
      Numbers::random(ACL_FLOAT, kCount, 5, -1, 1)};
  for (const Weights& weights : {Weights{0, 0.3f}, Weights{0.1f, 0.999f}, Weights{0.9, 0.99}}) {
    std::vector<Numbers> results = tensors;
    take_step(results, 1, false, 0.01, weights);
    for (size_t i = 0; i < kCount; ++i) {
      const long double g = tensors[4].get(i);
      const long double m = weights.beta1 * tensors[1].get(i) + (1.0L - weights.beta1) * g;
      const long double v = weights.beta2 * tensors[2].get(i) + (1.0L - weights.beta2) * g * g;
      ASSERT_LE(std::abs(results[1].get(i) - m), 0x1p-23L) << i;
      ASSERT_LE(std::abs(results[2].get(i) - v), 0x1p-23L * v) << i;
    }
  }
}

// Every combination of numbers from the ends of the range.
struct EndsOfRange {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> numbers = {
      0,      -0.0,  0.5,       -3,         1e-44,
      -1e-38, 1e-31, 1e-25,     1e-12,      -1e18,
      3e19,   3e38,  kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  size_t n = numbers.size();
  size_t count = n * n * n * n;

  std::vector<Numbers> tensors(aclDataType dtype) const {
    std::vector<Numbers> made(5, Numbers(dtype, count));
    for (size_t i = 0; i < count; ++i) {
      const size_t at[] = {i % n, i / n % n, i / n / n % n, (i + i / n) % n, i / n / n / n};
      for (size_t k = 0; k < 5; ++k) {
        const bool is_square = k == 2 || k == 3;
        const double number = static_cast<float>(numbers[at[k]]);
        made[k].set(i, is_square ? std::abs(number) : number);
      }
    }
    return made;
  }
};

// The step in float against the step in double.
void compare_at_the_ends(const EndsOfRange& range, bool amsgrad, double lr) {
  std::vector<Numbers> floats = range.tensors(ACL_FLOAT);
  std::vector<Numbers> doubles = range.tensors(ACL_DOUBLE);
  take_step(floats, 1, amsgrad, lr);
  take_step(doubles, 1, amsgrad, lr);
  for (size_t k = 0; k < 4; ++k) {
    for (size_t i = 0; i < range.count; ++i) {
      const double found = floats[k].get(i);
      const double exact = doubles[k].get(i);
      const auto expected = static_cast<double>(static_cast<float>(exact));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(found)) << k << ' ' << i << ' ' << found;
      } else if (found != expected) {
        // A step that takes theta to nearly 0 is about as large as theta was.
        const double size = k == 0 ? std::abs(range.numbers[i % range.n]) + std::abs(exact) : 0;
        const double bound = 0x1p-20 * std::abs(exact) + 0x1p-21 * size;
        ASSERT_LE(std::abs(found - exact), bound) << k << ' ' << i;
      }
    }
  }
}

TEST(AdamW, AtTheEndsOfItsRangeOnEveryInstructionSet) {
  const EndsOfRange range;
  for_each_target([&](int64_t) {
    for (const bool amsgrad : {false, true}) {
      for (const double lr : {0.01, 0.0, 1e30}) compare_at_the_ends(range, amsgrad, lr);
    }
  });
}

}  // namespace
}  // namespace aclgrad::ops
