// SPDX-License-Identifier: Apache-2.0
// Every row, in every dtype and layout, against its exact reference.
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

bool is_floating(aclDataType dtype) {
  return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

// Distance in ulp of the dtype, counted on the scale of `magnitude`; integers count by ones.
double error_of(long double actual, long double exact, long double magnitude, aclDataType dtype) {
  if (is_floating(dtype)) {
    const long double scale = std::max(std::abs(exact), std::abs(magnitude));
    if (std::isfinite(actual) && std::isfinite(exact)) {
      return static_cast<double>(std::abs(actual - exact) / testing::ulp_at(scale, dtype));
    }
    return testing::ulp_error(actual, exact, dtype);
  }
  const auto [low, high] = [&]() -> std::pair<long double, long double> {
    if (dtype == ACL_UINT8) return {0, 255};
    const auto bits = static_cast<int>(8 * aclDataTypeSize(dtype));
    return {-std::ldexp(1.0L, bits - 1), std::ldexp(1.0L, bits - 1) - 1};
  }();
  return static_cast<double>(std::abs(actual - std::clamp(std::trunc(exact), low, high)));
}

class Values : public testing::AclTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(Values, MatchTheReference) {
  const Case& row = all_cases()[GetParam()];
  for (aclDataType dtype : row.dtypes) {
    for (Layout layout : kLayouts) {
      SCOPED_TRACE(row.name() + ", dtype " + std::to_string(dtype) + ", " + layout_name(layout));
      const RunResult run = run_case(row, dtype, layout, stream());
      const Arrays exact = row.reference(run.inputs);
      const Arrays scale = row.magnitude ? row.magnitude(run.inputs) : exact;
      ASSERT_GE(exact.size(), run.outputs.size());
      EXPECT_FALSE(run.wrote_outside);
      for (size_t k = 0; k < run.outputs.size(); ++k) {
        if (exact[k].values.empty() && !run.outputs[k].values.empty()) {
          EXPECT_TRUE(run.untouched[k]) << "output " << k;
          continue;
        }
        const aclDataType out_dtype = row.outputs[k].dtype.value_or(dtype);
        const bool small = out_dtype == ACL_FLOAT16 || out_dtype == ACL_BF16;
        const bool integer = !is_floating(out_dtype);
        const double bound = integer ? 0
                             : small ? std::min(row.max_ulp_16bit, row.max_ulp)
                                     : row.max_ulp;
        ASSERT_EQ(run.outputs[k].values.size(), exact[k].values.size()) << "output " << k;
        for (size_t i = 0; i < exact[k].values.size(); ++i) {
          const long double actual = run.outputs[k].values[i];
          ASSERT_LE(error_of(actual, exact[k].values[i], scale[k].values[i], out_dtype), bound)
              << "output " << k << ", element " << i << ": " << static_cast<double>(actual)
              << " instead of " << static_cast<double>(exact[k].values[i]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Values, ::testing::Range(size_t{0}, all_cases().size()), test_name);

// ---- Properties that hold for every row ---------------------------------------------------------

class Properties : public testing::AclTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(Properties, BitsDependNeitherOnLayoutNorOnThreads) {
  const Case& row = all_cases()[GetParam()];
  for (aclDataType dtype : row.dtypes) {
    ASSERT_EQ(aclgradSetNumThreads(1), 0);
    const RunResult one = run_case(row, dtype, Layout::kContiguous, stream());
    ASSERT_EQ(aclgradSetNumThreads(2), 0);
    for (Layout layout : kLayouts) {
      const RunResult other = run_case(row, dtype, layout, stream());
      for (size_t k = 0; k < one.outputs.size(); ++k) {
        EXPECT_EQ(one.outputs[k].values, other.outputs[k].values)
            << row.name() << ", dtype " << dtype << ", " << layout_name(layout);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Properties, ::testing::Range(size_t{0}, all_cases().size()),
                         test_name);

TEST(Table, NamesAreUnique) {
  std::vector<std::string> names;
  for (const Case& row : all_cases()) names.push_back(row.name());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace aclgrad::cases
