// SPDX-License-Identifier: Apache-2.0
// Which dtypes every operator takes, on every product, with and without the extension for DOUBLE.
#include <functional>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_selu.h"
#include "tests/ops/operators/activations/cases.h"

namespace aclgrad::testing {
namespace {

const aclDataType kEveryDtype[] = {ACL_FLOAT, ACL_FLOAT16,   ACL_BF16,      ACL_DOUBLE,
                                   ACL_INT8,  ACL_INT16,     ACL_INT32,     ACL_INT64,
                                   ACL_UINT8, ACL_UINT16,    ACL_UINT32,    ACL_UINT64,
                                   ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};

struct Product {
  const char* name;
  bool knows_bfloat;
};
const Product kProducts[] = {{"Ascend910", false},  {"Ascend310P3", false},
                             {"Ascend910B1", true}, {"Ascend910_93", true},
                             {"Ascend950", true},   {"Ascend310B1", false}};

using Dtypes = std::vector<aclDataType>;

// The table: a row of the case table, its dtypes on every product, those of the later products.
struct DtypeRow {
  std::string name;
  Dtypes everywhere;
  Dtypes from_a2_on;
};

std::vector<DtypeRow> dtype_rows() {
  std::vector<DtypeRow> rows;
  for (const Case& row : activation_cases()) {
    const bool selu_family = row.name.starts_with("Selu");
    if (row.name == "Elu") {
      rows.push_back({row.name, {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16}, {}});
    } else if (selu_family) {
      rows.push_back({row.name, {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8}, {ACL_BF16}});
    } else {
      rows.push_back({row.name, {ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}});
    }
  }
  return rows;
}

// The erf form of GEGLU has a rule of its own on 310P.
bool runs_on(const std::string& row, const Product& product) {
  return std::string(product.name) != "Ascend310P3" || !row.starts_with("GeGlu") ||
         row.find("tanh") != std::string::npos;
}

class DtypeTables : public AclTest {
 protected:
  // Whether phase one takes x and out of that dtype. Elements are not touched before that.
  aclnnStatus try_dtype(const Case& row, aclDataType dtype) {
    const bool can_fill = dtype != ACL_COMPLEX64 && dtype != ACL_COMPLEX128;
    if (!can_fill && !row.takes_any_layout) return 161002;  // these rows copy elements
    if (!can_fill) return try_complex(row, dtype);
    const Array x(dtype, {2}, {1, 1});
    const Array out(dtype, {2});
    recent_message();
    return row.run(stream(), x, out);
  }

  // An empty tensor of ones passes no element through the test's own conversions.
  aclnnStatus try_complex(const Case& row, aclDataType dtype) {
    const Array x(dtype, {0});
    const Array out(dtype, {0});
    recent_message();
    return row.run(stream(), x, out);
  }
};

TEST_F(DtypeTables, TableOfEveryProduct) {
  for (const Product& product : kProducts) {
    ASSERT_EQ(aclgradSetSocName(product.name), 0);
    for (const int accept_double : {0, 1}) {
      aclgradSetAcceptDouble(accept_double);
      for (const DtypeRow& row : dtype_rows()) {
        if (!runs_on(row.name, product)) continue;
        Dtypes allowed = row.everywhere;
        if (product.knows_bfloat) {
          allowed.insert(allowed.end(), row.from_a2_on.begin(), row.from_a2_on.end());
        }
        if (accept_double != 0) allowed.push_back(ACL_DOUBLE);
        for (const aclDataType dtype : kEveryDtype) {
          const bool expected = std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
          const aclnnStatus status = try_dtype(activation_case(row.name), dtype);
          EXPECT_EQ(status, expected ? 0 : 161002)
              << row.name << " with dtype " << dtype << " on " << product.name
              << (accept_double != 0 ? ", DOUBLE let in" : "");
        }
      }
    }
  }
}

TEST_F(DtypeTables, InplaceOperatorsHaveTheTableOfTheirForward) {
  const Scalar one(1.0f);
  for (const Product& product : kProducts) {
    ASSERT_EQ(aclgradSetSocName(product.name), 0);
    for (const aclDataType dtype : kEveryDtype) {
      const Array x(dtype, {0});
      const aclnnStatus selu = try_complex(activation_case("Selu"), dtype);
      const aclnnStatus elu = try_complex(activation_case("Elu"), dtype);
      const aclnnStatus hardswish = try_complex(activation_case("Hardswish"), dtype);
      EXPECT_EQ(plan(aclnnInplaceSeluGetWorkspaceSize, x.tensor()).status, selu) << dtype;
      EXPECT_EQ(
          plan(aclnnInplaceEluGetWorkspaceSize, x.tensor(), one.get(), one.get(), one.get()).status,
          elu)
          << dtype;
      EXPECT_EQ(plan(aclnnInplaceHardswishGetWorkspaceSize, x.tensor()).status, hardswish) << dtype;
    }
  }
}

TEST_F(DtypeTables, Ascend310PHasOnlyTheTanhFormOfGeglu) {
  const Array self(ACL_FLOAT, {2, 4});
  const Array half(ACL_FLOAT, {2, 2});
  const auto forward = [&](int64_t approximate) {
    return plan(aclnnGeGluGetWorkspaceSize, self.tensor(), int64_t{1}, approximate, half.tensor(),
                half.tensor());
  };
  const auto backward = [&](int64_t approximate) {
    return plan(aclnnGeGluV3BackwardGetWorkspaceSize, half.tensor(), self.tensor(), half.tensor(),
                int64_t{1}, approximate, true, self.tensor());
  };
  for (const Product& product : kProducts) {
    ASSERT_EQ(aclgradSetSocName(product.name), 0);
    const bool tanh_only = std::string(product.name) == "Ascend310P3";
    EXPECT_EQ(forward(1).status, 0) << product.name;
    EXPECT_EQ(backward(1).status, 0) << product.name;
    EXPECT_EQ(forward(0).status, tanh_only ? 161002 : 0) << product.name;
    EXPECT_EQ(backward(0).status, tanh_only ? 161002 : 0) << product.name;
  }
  ASSERT_EQ(aclgradSetSocName("Ascend310P"), 0);
  EXPECT_TRUE(fails_with(161002, {"aclnnGeGlu", "approximate"}, forward(0)));
  EXPECT_TRUE(fails_with(161002, {"aclnnGeGluV3Backward", "approximate"}, backward(0)));
}

TEST_F(DtypeTables, EluOutputIsFloatingOrComplex) {
  const Array x(ACL_FLOAT, {0});
  const Scalar one(1.0f);
  for (const aclDataType dtype : kEveryDtype) {
    const Array out(dtype, {0});
    const Outcome outcome =
        plan(aclnnEluGetWorkspaceSize, x.tensor(), one.get(), one.get(), one.get(), out.tensor());
    const bool allowed = dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 ||
                         dtype == ACL_DOUBLE || dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
    EXPECT_EQ(outcome.status, allowed ? 0 : 161002) << dtype << " " << outcome.message;
  }
}

}  // namespace
}  // namespace aclgrad::testing
