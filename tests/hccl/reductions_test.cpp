// SPDX-License-Identifier: Apache-2.0
// What reductions compute: every type and operation against a reference of its own, special values,
// and the bits that the fixed tree promises.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "aclgrad_ext.h"
#include "tests/hccl/ranks.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::testing {
namespace {

constexpr uint32_t kNumbersOfRanks[] = {1, 2, 3, 4, 6, 8};
constexpr HcclReduceOp kOps[] = {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX,
                                 HCCL_REDUCE_MIN};

struct Type {
  HcclDataType dtype;
  aclDataType acl;
  bool is_integer;
  bool has_product;
};
constexpr Type kTypes[] = {
    {HCCL_DATA_TYPE_INT8, ACL_INT8, true, true},
    {HCCL_DATA_TYPE_INT16, ACL_INT16, true, false},
    {HCCL_DATA_TYPE_INT32, ACL_INT32, true, true},
    {HCCL_DATA_TYPE_INT64, ACL_INT64, true, true},
    {HCCL_DATA_TYPE_UINT64, ACL_UINT64, true, true},
    {HCCL_DATA_TYPE_FP16, ACL_FLOAT16, false, true},
    {HCCL_DATA_TYPE_FP32, ACL_FLOAT, false, true},
    {HCCL_DATA_TYPE_FP64, ACL_DOUBLE, false, true},
    {HCCL_DATA_TYPE_BFP16, ACL_BF16, false, false},
};

using Bytes = std::vector<unsigned char>;

// The tree of the documentation, for the test: pairs up blocks i >= M with i - M.
template <class Value, class Join>
Value reduce(std::vector<Value> parts, const Join& join) {
  while (parts.size() > 1) {
    const size_t middle = std::bit_floor(parts.size() - 1);
    for (size_t i = middle; i < parts.size(); ++i)
      parts[i - middle] = join(parts[i - middle], parts[i]);
    parts.resize(middle);
  }
  return parts.front();
}

// In the type in which the library reduces: unsigned 64-bit numbers wrap as shorter ones do once
// they are cut; short floats are reduced in float.
template <class Value>
Value join(HcclReduceOp op, Value a, Value b) {
  switch (op) {
    case HCCL_REDUCE_PROD:
      return a * b;
    case HCCL_REDUCE_MAX:
      return a > b ? a : b;
    case HCCL_REDUCE_MIN:
      return a < b ? a : b;
    default:
      return a + b;
  }
}

void check_element(const Type& type, HcclReduceOp op, const std::vector<Bytes>& parts,
                   const Bytes& result, size_t i) {
  const size_t size = aclDataTypeSize(type.acl);
  if (type.is_integer) {
    const bool is_order = op == HCCL_REDUCE_MAX || op == HCCL_REDUCE_MIN;
    std::vector<int64_t> as_signed;
    std::vector<uint64_t> as_unsigned;
    for (const Bytes& part : parts) {
      uint64_t bits = 0;
      std::memcpy(&bits, part.data() + i * size, size);
      const int shift = 64 - 8 * static_cast<int>(size);
      as_unsigned.push_back(bits);
      as_signed.push_back(static_cast<int64_t>(bits << shift) >> shift);
    }
    const auto apply = [&](auto a, auto b) { return join(op, a, b); };
    const uint64_t expected = is_order && type.acl != ACL_UINT64
                                  ? static_cast<uint64_t>(reduce(as_signed, apply))
                                  : reduce(as_unsigned, apply);
    EXPECT_EQ(std::memcmp(&expected, result.data() + i * size, size), 0) << i;
    return;
  }
  const long double got = get_element(result.data(), type.acl, i);
  std::vector<double> doubles;
  std::vector<float> floats;
  for (const Bytes& part : parts) {
    doubles.push_back(static_cast<double>(get_element(part.data(), type.acl, i)));
    floats.push_back(static_cast<float>(doubles.back()));
  }
  if (type.acl == ACL_DOUBLE) {
    EXPECT_EQ(got, reduce(doubles, [&](double a, double b) { return join(op, a, b); })) << i;
    return;
  }
  // Reduced in float, rounded once.
  Bytes expected(size);
  set_element(expected.data(), type.acl, 0,
              reduce(floats, [&](float a, float b) { return join(op, a, b); }));
  EXPECT_EQ(std::memcmp(expected.data(), result.data() + i * size, size), 0)
      << i << ": " << got << ", not " << get_element(expected.data(), type.acl, 0);
  // And not far from the truth.
  const double exact = reduce(doubles, [&](double a, double b) { return join(op, a, b); });
  double scale = std::abs(exact);
  if (op == HCCL_REDUCE_SUM) {
    for (const double each : doubles) scale += std::abs(each);
  }
  const double ulp = type.acl == ACL_FLOAT ? 0x1p-24 : type.acl == ACL_FLOAT16 ? 0x1p-11 : 0x1p-8;
  EXPECT_NEAR(static_cast<double>(got), exact, 8 * ulp * scale + 1e-7) << i;
}

Bytes random_elements(const Type& type, uint64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(count * aclDataTypeSize(type.acl));
  if (type.is_integer) {
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  } else {
    std::normal_distribution<double> normal;
    for (uint64_t i = 0; i < count; ++i) set_element(bytes.data(), type.acl, i, normal(random));
  }
  return bytes;
}

class Reductions : public ::testing::Test {
 protected:
  // The product that reduces the most types.
  void SetUp() override { ASSERT_EQ(aclgradSetSocName("Ascend950"), 0); }
  void TearDown() override { ASSERT_EQ(aclgradSetSocName(nullptr), 0); }
};

TEST_F(Reductions, OfEveryTypeAndOperation) {
  constexpr uint64_t kCount = 2500;  // two blocks and a remainder
  for (const uint32_t size : kNumbersOfRanks) {
    std::vector<std::vector<Bytes>> parts(std::size(kTypes));
    for (size_t t = 0; t < std::size(kTypes); ++t) {
      for (uint32_t r = 0; r < size; ++r) {
        parts[t].push_back(random_elements(kTypes[t], kCount, static_cast<uint32_t>(16 * t) + r));
      }
    }
    with_ranks(size, [&](Rank& rank) {
      for (size_t t = 0; t < std::size(kTypes); ++t) {
        for (const HcclReduceOp op : kOps) {
          if (op == HCCL_REDUCE_PROD && !kTypes[t].has_product) continue;
          SCOPED_TRACE(::testing::Message() << "type " << kTypes[t].dtype << " op " << op);
          Bytes send = parts[t][rank.rank], received(send.size());
          ASSERT_EQ(HcclAllReduce(send.data(), received.data(), kCount, kTypes[t].dtype, op,
                                  rank.comm, rank.stream),
                    HCCL_SUCCESS)
              << recent_message();
          ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
          // Each rank looks at its part: all bits are equal, which another test shows.
          for (uint64_t i = rank.rank; i < kCount; i += size) {
            check_element(kTypes[t], op, parts[t], received, i);
          }
        }
      }
    });
  }
}

TEST_F(Reductions, HandOnNanAndOrderZeros) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  struct Row {
    float a, b, max, min;
  };
  const Row rows[] = {{0.0F, -0.0F, 0.0F, -0.0F},
                      {-0.0F, 0.0F, 0.0F, -0.0F},
                      {nan, 1.0F, nan, nan},
                      {1.0F, nan, nan, nan},
                      {infinity, -1.0F, infinity, -1.0F},
                      {-infinity, 2.0F, 2.0F, -infinity},
                      {-0.0F, -0.0F, -0.0F, -0.0F}};
  with_ranks(2, [&](Rank& rank) {
    for (const Row& row : rows) {
      float mine = rank.rank == 0 ? row.a : row.b, max = 7, min = 7;
      ASSERT_EQ(HcclAllReduce(&mine, &max, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MAX, rank.comm,
                              rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(HcclAllReduce(&mine, &min, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_MIN, rank.comm,
                              rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      const auto same = [](float x, float y) {
        return std::isnan(x) ? std::isnan(y)
                             : std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
      };
      EXPECT_TRUE(same(row.max, max)) << row.a << " " << row.b << " " << max;
      EXPECT_TRUE(same(row.min, min)) << row.a << " " << row.b << " " << min;
    }
  });
}

// Short floats are rounded once: in steps of its own, half precision would lose each small part.
TEST_F(Reductions, OfShortFloatsRoundOnce) {
  with_ranks(8, [](Rank& rank) {
    uint16_t value = 0, result = 0;
    set_element(&value, ACL_FLOAT16, 0, rank.rank == 0 ? 2048.0L : 0.5L);
    ASSERT_EQ(HcclAllReduce(&value, &result, 1, HCCL_DATA_TYPE_FP16, HCCL_REDUCE_SUM, rank.comm,
                            rank.stream),
              HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(get_element(&result, ACL_FLOAT16, 0), 2052.0L);  // of 2051.5
  });
}

// ---- Bits ---------------------------------------------------------------------------------------

// Numbers whose sums depend on the order.
std::vector<float> delicate(uint64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& each : values) {
    const auto exponent = static_cast<int>(random() % 40) - 20;
    each = std::ldexp(static_cast<float>(random()) / 4294967296.0F - 0.5F, exponent);
  }
  return values;
}

HcclResult all_reduce(const Rank& rank, float* data, uint64_t count) {
  return HcclAllReduce(data, data, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                       rank.stream);
}

TEST(ReductionBits, DoNotDependOnTheOperation) {
  constexpr uint64_t kEach = 7001;
  for (const uint32_t size : kNumbersOfRanks) {
    std::vector<std::vector<float>> results(size);
    with_ranks(size, [&](Rank& rank) {
      const uint64_t count = kEach * size;
      const std::vector<float> mine = delicate(count, rank.rank);
      std::vector<float> whole = mine, buckets = mine, scattered(kEach), gathered(count),
                         reduced(count);
      ASSERT_EQ(all_reduce(rank, whole.data(), count), HCCL_SUCCESS);
      // Buckets of odd sizes, at addresses that no vector begins at.
      for (uint64_t first = 0, length = 1; first < count;
           first += length, length = length * 3 + 1) {
        ASSERT_EQ(all_reduce(rank, buckets.data() + first, std::min(length, count - first)),
                  HCCL_SUCCESS);
      }
      std::vector<float> copy = mine;
      ASSERT_EQ(HcclReduceScatter(copy.data(), scattered.data(), kEach, HCCL_DATA_TYPE_FP32,
                                  HCCL_REDUCE_SUM, rank.comm, rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(HcclAllGather(scattered.data(), gathered.data(), kEach, HCCL_DATA_TYPE_FP32,
                              rank.comm, rank.stream),
                HCCL_SUCCESS);
      const uint32_t root = size - 1;
      ASSERT_EQ(HcclReduce(copy.data(), reduced.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                           root, rank.comm, rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(buckets, whole);
      EXPECT_EQ(gathered, whole);
      if (rank.rank == root) {
        EXPECT_EQ(reduced, whole);
      }
      results[rank.rank] = whole;
    });
    for (const std::vector<float>& each : results) EXPECT_EQ(each, results.front());
  }
}

// With micro-batches r, r + P, r + 2P, ... on rank r, added there by the same rule, the total is
// the same bits for every power of two P.
TEST(ReductionBits, DoNotDependOnHowMicroBatchesAreSharedOut) {
  constexpr uint32_t kMicroBatches = 8;
  constexpr uint64_t kCount = 999;
  const auto add = [](const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> total(kCount);
    for (uint64_t i = 0; i < kCount; ++i) total[i] = a[i] + b[i];
    return total;
  };
  std::vector<float> alone;
  for (const uint32_t size : {1u, 2u, 4u, 8u}) {
    with_ranks(size, [&](Rank& rank) {
      std::vector<std::vector<float>> local;
      for (uint32_t batch = rank.rank; batch < kMicroBatches; batch += size) {
        local.push_back(delicate(kCount, batch));
      }
      std::vector<float> total = reduce(local, add);
      ASSERT_EQ(all_reduce(rank, total.data(), kCount), HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      if (size == 1) alone = total;
      EXPECT_EQ(total, alone) << size;
    });
  }
}

}  // namespace
}  // namespace aclgrad::testing
