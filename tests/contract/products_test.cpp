// SPDX-License-Identifier: Apache-2.0
// Products x operators x dtypes: statuses as the documents have them, and a value in every cell
// that is accepted.
#include "tests/contract/products.h"

#include <cstdlib>

#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::contract {
namespace {

class Products : public testing::AclTest, public ::testing::WithParamInterface<size_t> {
 protected:
  const Product& product() const { return kProducts[GetParam()]; }

  void SetUp() override {
    AclTest::SetUp();
    ASSERT_EQ(aclgradSetSocName(product().family), 0);
  }

  Library library_;
};

TEST_P(Products, HaveTheirNameAndLimits) {
  EXPECT_STREQ(aclrtGetSocName(), product().chip);
  int64_t architecture = 0;
  ASSERT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &architecture), 0);
  EXPECT_EQ(architecture, product().architecture);
  uint32_t streams = 0;
  ASSERT_EQ(aclrtGetStreamAvailableNum(&streams), 0);
  EXPECT_LE(streams, product().streams);
  EXPECT_GT(streams, product().streams - 8);
  // By the chip's own name, too.
  ASSERT_EQ(aclgradSetSocName(product().chip), 0);
  EXPECT_STREQ(aclrtGetSocName(), product().chip);
}

TEST_P(Products, AcceptTheDocumentedDtypesAndComputeInThem) {
  size_t accepted = 0, refused = 0;
  for (const Operator& row : all_contracts()) {
    for (const NamedDtype& each : all_dtypes()) {
      SCOPED_TRACE(row.name() + " in " + each.name + " on " + product().family);
      if (!has_free_dtype(row) && each.dtype != ACL_FLOAT) {
        ++refused;  // it would be the same call
        continue;
      }
      Call call(library_, row, each.dtype);
      const aclnnStatus status = call.plan();
      if (!accepts(row, each.dtype, product())) {
        ++refused;
        // A scalar of such a dtype may be no scalar at all.
        EXPECT_TRUE(status == 161002 || status == 161001) << status;
        const std::string message = library_.message();
        EXPECT_NE(message.find(row.name() + ":"), std::string::npos) << message;
        EXPECT_TRUE(status == 161001 || message.find(each.name) != std::string::npos) << message;
        continue;
      }
      ++accepted;
      ASSERT_EQ(status, 0) << library_.message();
      ASSERT_EQ(call.run(stream()), 0) << library_.message();
      const aclDataType output = call.dtype_of(row.output());
      const double value = exact_value(row, each.dtype, output);
      EXPECT_NEAR(call.output(), value, tolerance(value, output));
    }
  }
  EXPECT_GT(accepted, 3 * all_contracts().size() / 2);
  EXPECT_EQ(accepted + refused, all_contracts().size() * all_dtypes().size());
}

TEST_P(Products, HaveRulesOfTheirOwn) {
  for (const ProductRule& rule : product_rules()) {
    SCOPED_TRACE(std::string(rule.operator_name) + ": " + rule.what + " on " + product().family);
    Call call(library_, find_contract(rule.operator_name), ACL_FLOAT);
    rule.change(call);
    EXPECT_EQ(call.plan(), rule.is_refused(product()) ? rule.status : 0) << library_.message();
    library_.message();
  }
}

std::string family_name(const ::testing::TestParamInfo<size_t>& index) {
  return kProducts[index.param].family;
}

INSTANTIATE_TEST_SUITE_P(Of, Products, ::testing::Range(size_t{0}, kProducts.size()), family_name);

// The environment decides before anything is called; a family, a chip, or nothing known.
TEST(ProductsDeathTest, AreChosenByTheEnvironment) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto name_with = [](const char* wanted) {
    setenv("ACLGRAD_SOC", wanted, 1);
    aclgradSetSocName(nullptr);
    std::fprintf(stderr, "it is %s.", aclrtGetSocName());
    std::_Exit(0);
  };
  EXPECT_EXIT(name_with("Ascend310P"), ::testing::ExitedWithCode(0), "it is Ascend310P1\\.");
  EXPECT_EXIT(name_with("Ascend950DT_7"), ::testing::ExitedWithCode(0), "it is Ascend950DT_7\\.");
  EXPECT_EXIT(name_with("Pentium"), ::testing::ExitedWithCode(0), "Pentium.*it is Ascend910B1\\.");
}

}  // namespace
}  // namespace aclgrad::contract
