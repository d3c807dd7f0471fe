// SPDX-License-Identifier: Apache-2.0
// Attention of inference as programs call it: a mask that all heads share, by a stride of 0, whose
// -infinity hides.
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing::inference_attention {
namespace {

class InferenceAttention : public AclTest {};

constexpr int64_t kBatch = 2, kQueries = 3, kKeys = 70, kHeads = 4, kKeyHeads = 2, kColumns = 16;

int64_t place(int64_t batch, int64_t i, int64_t head, const Array& of) {
  const Shape& shape = of.shape();
  return ((batch * shape[1] + i) * shape[2] + head) * shape[3];
}

// A row of the result by the formula, in double.
std::vector<double> expected(const Array& query, const Array& key, const Array& value,
                             const Array& mask, double scale, int64_t b, int64_t i, int64_t h) {
  const int64_t key_head = h / (kHeads / kKeyHeads);
  double sum = 0;
  std::vector<double> mixed(kColumns);
  for (int64_t j = 0; j < kKeys; ++j) {
    const int64_t of_key = place(b, j, key_head, key);
    double z = 0;
    for (int64_t d = 0; d < kColumns; ++d) {
      z += static_cast<double>(query.get(place(b, i, h, query) + d) * key.get(of_key + d));
    }
    z = scale * z + static_cast<double>(mask.get((b * kQueries + i) * kKeys + j));
    const double share = std::exp(z);
    if (share == 0) continue;
    sum += share;
    for (int64_t d = 0; d < kColumns; ++d) {
      mixed[static_cast<size_t>(d)] += share * static_cast<double>(value.get(of_key + d));
    }
  }
  for (double& each : mixed) each = sum == 0 ? 0 : each / sum;
  return mixed;
}

TEST_F(InferenceAttention, IsTheFormulaWithAMaskForAllHeads) {
  const auto random = [](Shape shape, uint64_t seed) {
    return random_array(ACL_FLOAT16, shape, LayoutKind::kContiguous, seed, -2, 2);
  };
  const Array query = random({kBatch, kQueries, kHeads, kColumns}, 1);
  const Array key = random({kBatch, kKeys, kKeyHeads, kColumns}, 2);
  Array value = random({kBatch, kKeys, kKeyHeads, kColumns}, 3);
  Array mask = random({kBatch, kQueries, kKeys}, 4);
  // The first query of all sees no key, the others not the last one, whose values are no numbers.
  for (int64_t j = 0; j < kKeys; ++j) mask.set(j, -kInfinity);
  for (int64_t row = 0; row < kBatch * kQueries; ++row)
    mask.set(row * kKeys + kKeys - 1, -kInfinity);
  for (int64_t b = 0; b < kBatch; ++b) {
    value.set(((b * kKeys + kKeys - 1) * kKeyHeads + 1) * kColumns + 5, b == 0 ? kNaN : kInfinity);
  }
  const Array for_all_heads(mask, {kBatch, kHeads, kQueries, kKeys},
                            {.strides = {kQueries * kKeys, 0, kKeys, 1}});
  for (const double scale : {0.25, -0.25}) {
    Array out(ACL_FLOAT16, query.shape());
    const List keys{key.tensor()}, values{value.tensor()};
    const std::nullptr_t none = nullptr;
    char layout[] = "BSND";
    ASSERT_TRUE(runs(PHASES(aclnnFusedInferAttentionScoreV2), query, keys, values, for_all_heads,
                     none, none, none, none, none, none, none, none, none, none, none, none, none,
                     none, none, none, none, none, none, none, kHeads, scale, int64_t{65535},
                     int64_t{65535}, layout, kKeyHeads, int64_t{0}, int64_t{2}, int64_t{0},
                     int64_t{0}, false, int64_t{0}, int64_t{0}, out, none));
    for (int64_t row = 0; row < kBatch * kQueries * kHeads; ++row) {
      const int64_t b = row / (kQueries * kHeads), i = row / kHeads % kQueries, h = row % kHeads;
      const std::vector<double> wanted = expected(query, key, value, mask, scale, b, i, h);
      for (int64_t d = 0; d < kColumns; ++d) {
        EXPECT_TRUE(is_near(out.get(row * kColumns + d), wanted[static_cast<size_t>(d)], 1e-3L))
            << row << ", " << d;
      }
    }
    EXPECT_EQ(out.get(0), 0);
  }
}

}  // namespace
}  // namespace aclgrad::testing::inference_attention
