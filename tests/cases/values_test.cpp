// SPDX-License-Identifier: Apache-2.0
// Every row in every dtype against its exact reference; and that its bits depend neither on where
// its tensors lie in memory nor on the number of threads.
#include <cmath>
#include <set>

#include "aclgrad_contract/numbers.h"
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

using testing::kInputLayouts;
using testing::kOutputLayouts;
using testing::repeats_elements;

// Of every operator one row.
const std::vector<const Row*>& one_of_each() {
  static const std::vector<const Row*> rows = [] {
    std::set<std::string> seen;
    return cases_of(all_cases(), [&](const Row& row) { return seen.insert(row.api()).second; });
  }();
  return rows;
}

class Values : public testing::AclTest, public ::testing::WithParamInterface<const Row*> {
 protected:
  const Row& row() const { return *GetParam(); }

  Layouts layouts(LayoutKind inputs, LayoutKind outputs) const {
    return layouts_of(row(), inputs, outputs);
  }
  // In a row's first dtype, and of one row of each operator in all, every pair of those of inputs
  // and outputs; of that row every input alone, too; else every one of either. Of tensors that are
  // larger, in FLOAT those of inputs and in BF16 those of outputs, beside contiguous ones; where
  // one is a mask that no kernel reads, in one way.
  std::vector<Layouts> mixtures(const RunResult& run, aclDataType dtype) const {
    const size_t count = inputs_of(row().arguments()).size();
    const bool is_chosen = std::ranges::count(one_of_each(), &row()) > 0;
    const bool tries_pairs = is_chosen || dtype == row().dtypes().front();
    if (has_unread_mask(run.inputs)) return {layouts(LayoutKind::kTransposed, LayoutKind::kGaps)};
    std::vector<Layouts> all;
    for (const LayoutKind from : kInputLayouts) {
      if (has_above(run.inputs, 2000)) {
        if (dtype == ACL_FLOAT) all.push_back(layouts(from, LayoutKind::kContiguous));
        if (dtype == ACL_BF16 && !repeats_elements(from)) {
          all.push_back(layouts(LayoutKind::kContiguous, from));
        }
        continue;
      }
      if (!tries_pairs) {
        const size_t turn = all.size() + static_cast<size_t>(dtype);  // other pairs in other dtypes
        all.push_back(layouts(from, kOutputLayouts[turn % kOutputLayouts.size()]));
        continue;
      }
      for (const LayoutKind to : kOutputLayouts) all.push_back(layouts(from, to));
      for (size_t i = 0; is_chosen && count > 1 && i < count; ++i) {
        all.push_back(layouts(LayoutKind::kContiguous, LayoutKind::kContiguous));
        all.back()[i] = layouts(from, LayoutKind::kContiguous)[i];
      }
    }
    return all;
  }

  // Numbers among which are infinities, NaN and others that formulas look at again.
  Arrays special_inputs(aclDataType dtype, int64_t size) const {
    using testing::kInfinity;
    const long double specials[] = {kInfinity, -0.0L, testing::kNaN, 1e-40L, -kInfinity, -3e4L, 0};
    const Arguments call = row().of_size(size);
    Arrays inputs = draw_inputs(call, dtype, 1);
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!contract::is_float(inputs_of(call)[k]->tensor()->dtype.value_or(dtype))) continue;
      for (size_t i = 3; i < inputs[k].values.size(); i += 5) {
        inputs[k].values[i] = specials[i / 5 % std::size(specials)];
      }
    }
    return inputs;
  }

  // The same as contiguous tensors of the same numbers give on one thread.
  void expect_same_bits(aclDataType dtype, const Layouts& layouts, int32_t threads, int64_t size,
                        const RunResult& contiguous) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    const RunResult run = run_case(row(), dtype, layouts, stream(), 1, &contiguous.inputs, size);
    ASSERT_EQ(aclgradSetNumThreads(1), 0);
    const bool repeats = std::ranges::any_of(layouts, repeats_elements);
    const RunResult expected =
        repeats ? run_case(row(), dtype, kAllContiguous, stream(), 1, &run.inputs, size)
                : contiguous;
    for (size_t k = 0; k < expected.outputs.size(); ++k) {
      EXPECT_TRUE(
          std::ranges::equal(run.outputs[k].values, expected.outputs[k].values, testing::same))
          << row().name() << ", dtype " << dtype << ", " << to_string(layouts) << ", " << threads
          << " threads, output " << k;
    }
    EXPECT_FALSE(run.wrote_outside) << row().name() << ", " << to_string(layouts);
  }
};

TEST_P(Values, MatchTheReferenceAndDependOnNoLayout) {
  for (const aclDataType dtype : row().dtypes()) {
    ASSERT_EQ(aclgradSetNumThreads(1), 0);
    const RunResult run = run_case(row(), dtype, kAllContiguous, stream());
    EXPECT_EQ(difference(row(), dtype, run), "") << row().name() << ", dtype " << dtype;
    const Arrays special = special_inputs(dtype, kTestSize);
    const RunResult contiguous = run_case(row(), dtype, kAllContiguous, stream(), 1, &special);
    int32_t threads = 0;
    for (const Layouts& each : mixtures(contiguous, dtype)) {
      expect_same_bits(dtype, each, 1 + threads++ % 3, kTestSize, contiguous);
    }
  }
}

// In DOUBLE throughout, where only the extension accepts it, too: a step in FLOAT anywhere would
// leave an error of some 2^28 ulp. Not where a sample asks for FLOAT.
TEST_P(Values, MatchTheReferenceInDouble) {
  const bool names_float = row().attributes().find("FLOAT") != std::string::npos;
  if (names_float || std::ranges::count(row().dtypes(), ACL_FLOAT) == 0) return;
  aclgradSetAcceptDouble(1);
  const Arguments call = in_double(row().of_size(kTestSize));
  contract::Bound bound = bound_of(row().arguments());
  bound.of_double = std::max(bound.of_double.value_or(bound.of_float), 64.0);
  const RunResult run = run_case(row(), call, ACL_DOUBLE, kAllContiguous, stream());
  EXPECT_EQ(difference(call, ACL_DOUBLE, run, bound, 1), "");
}

class Threads : public Values {};

TEST_P(Threads, ChangeNoBit) {
  const int64_t size = large_size(row());
  const aclDataType dtype = row().dtypes().front();
  ASSERT_EQ(aclgradSetNumThreads(1), 0);
  const Arrays special = special_inputs(dtype, size);
  const RunResult one = run_case(row(), dtype, kAllContiguous, stream(), 1, &special, size);
  expect_same_bits(dtype, kAllContiguous, 3, size, one);
  for (const LayoutKind layout : {LayoutKind::kTransposed, LayoutKind::kExpanded}) {
    expect_same_bits(dtype, layouts(layout, LayoutKind::kContiguous), 2, size, one);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Values, ::testing::ValuesIn(cases_of(all_cases())), test_name);
// Values of many samples on several threads are among the others.
INSTANTIATE_TEST_SUITE_P(Large, Threads, ::testing::ValuesIn(one_of_each()), test_name);
INSTANTIATE_TEST_SUITE_P(More, Values, ::testing::ValuesIn(cases_of(value_cases())), test_name);

// An infinite element, or one that is no number, counts in its windows and nowhere else: of the
// input, and of the weight in the gradient of the input. What multiplies the padding, which is
// zeros, is left out, and so is a transposed convolution, whose backward pass is padded.
class Convolutions : public Values {};

TEST_P(Convolutions, KeepInfinitiesInTheirWindows) {
  const bool is_backward = row().api().ends_with("Backward");
  for (const size_t i : is_backward ? std::vector<size_t>{1, 2} : std::vector<size_t>{0}) {
    Arrays inputs = draw_inputs(row().of_size(kTestSize), ACL_FLOAT, 1);
    std::vector<long double>& values = inputs[i].values;
    values[values.size() / 3] = testing::kInfinity;
    values[values.size() / 2] = testing::kNaN;
    const RunResult run = run_case(row(), ACL_FLOAT, kAllContiguous, stream(), 1, &inputs);
    EXPECT_EQ(difference(row(), ACL_FLOAT, run), "") << row().name() << ", input " << i;
  }
}

std::vector<const Row*> convolutions() {
  return cases_of(value_cases(), [](const Row& row) {
    return row.api().starts_with("aclnnConvolution") &&
           row.attributes().find("transposed") == std::string::npos;
  });
}

INSTANTIATE_TEST_SUITE_P(More, Convolutions, ::testing::ValuesIn(convolutions()), test_name);

TEST(Table, NamesAreUnique) {
  std::vector<std::string> names;
  for (const Row& row : all_cases()) names.push_back(row.name());
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  EXPECT_EQ(twice, names.end()) << *twice;
}

}  // namespace
}  // namespace aclgrad::cases
