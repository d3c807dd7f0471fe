// SPDX-License-Identifier: Apache-2.0
// Attention of inference as programs call it: a mask that all heads share, by a stride of 0, whose
// -infinity hides.
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing::inference_attention {
namespace {

class InferenceAttention : public AclTest {};

constexpr int64_t kBatch = 2, kQueries = 3, kKeys = 70, kHeads = 4, kKeyHeads = 2, kColumns = 16;

// By the formula, in double.
double expected(const Array& query, const Array& key, const Array& value, const Array* shift,
                double scale, const Shape& at) {
  const int64_t b = at[0], i = at[1], h = at[2], of_key = h / (kHeads / kKeyHeads);
  const auto place_of = [](const Shape& sizes, const Shape& index) {
    int64_t place = 0;
    for (size_t d = 0; d < sizes.size(); ++d) place = place * sizes[d] + index[d];
    return place;
  };
  double sum = 0, mixed = 0;
  for (int64_t j = 0; j < kKeys; ++j) {
    double z = 0;
    for (int64_t d = 0; d < kColumns; ++d) {
      z += static_cast<double>(query.get(place_of(query.shape(), {b, i, h, d})) *
                               key.get(place_of(key.shape(), {b, j, of_key, d})));
    }
    z *= scale;
    if (shift != nullptr) z += static_cast<double>(shift->get((b * kQueries + i) * kKeys + j));
    const double share = std::exp(z);
    sum += share;
    if (share == 0) continue;
    mixed += share * static_cast<double>(value.get(place_of(value.shape(), {b, j, of_key, at[3]})));
  }
  return sum == 0 ? 0 : mixed / sum;
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
    for (int64_t k = 0; k < out.count(); ++k) {
      const Shape at = {k / (kQueries * kHeads * kColumns), k / (kHeads * kColumns) % kQueries,
                        k / kColumns % kHeads, k % kColumns};
      EXPECT_TRUE(is_near(out.get(k), expected(query, key, value, &mask, scale, at), 1e-3L)) << k;
    }
    EXPECT_EQ(out.get(0), 0);
  }
}

}  // namespace
}  // namespace aclgrad::testing::inference_attention
