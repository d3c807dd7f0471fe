// SPDX-License-Identifier: Apache-2.0
// Every elementwise operator: ranks, empty tensors and aliases; all inputs of the
// 16-bit types, and a sample of all those of FLOAT and DOUBLE, against the formula. Where there are
// several inputs, the last one varies.
#include <cmath>
#include <cstring>

#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

using Tensor = testing::Array;
using testing::recent_message;

const std::vector<int64_t> kShape = {3, 4, 5};

class Elementwise : public testing::AclTest, public ::testing::WithParamInterface<const Row*> {
 protected:
  const Row& row() const { return *GetParam(); }
  bool is_in_place() const {
    return results_in(row().arguments())[0]->tensor()->role == contract::Role::kInPlace;
  }
  std::vector<const Parameter*> slots() const { return inputs_of(row().arguments()); }
  contract::Bound bound() const { return bound_of(row().arguments()); }
  bool takes(aclDataType dtype) const { return std::ranges::count(row().dtypes(), dtype) > 0; }

  // Inputs of a shape and layout, by the row's domains.
  std::vector<Tensor> inputs(aclDataType dtype, const std::vector<int64_t>& shape,
                             const Tensor::Layout& layout = {}) const {
    std::vector<Tensor> made;
    for (const Parameter* input : slots()) {
      const TensorSpec& slot = *input->tensor();
      made.emplace_back(dtype, shape, layout);
      for (int64_t i = 0; i < made.back().count(); ++i) {
        const long double share = static_cast<long double>((37 * i + 11) % 101) / 100;
        made.back().set(i, slot.low + (slot.high - slot.low) * share);
      }
    }
    return made;
  }

  // Runs on these inputs, of which an operator in place overwrites the first.
  void run(const std::vector<Tensor>& in, const Tensor& out) {
    std::vector<aclTensor*> handles;
    for (const Tensor& each : in) handles.push_back(each.tensor());
    if (!is_in_place()) handles.push_back(out.tensor());
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(row().phase_one()(handles, &size, &executor), 0) << recent_message();
    const testing::Buffer workspace(size);
    ASSERT_EQ(row().phase_two()(workspace.data(), size, executor, stream()), 0) << recent_message();
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
  }
  const Tensor& result(const std::vector<Tensor>& in, const Tensor& out) const {
    return is_in_place() ? in.front() : out;
  }

  // The result for the values of these inputs in contiguous tensors of one dimension.
  std::vector<long double> expected(const std::vector<Tensor>& in) {
    std::vector<Tensor> flat;
    for (const Tensor& each : in) {
      flat.emplace_back(each.dtype(), std::vector<int64_t>{each.count()}, Tensor::Layout{},
                        each.values());
    }
    const Tensor out(in.front().dtype(), {in.front().count()});
    run(flat, out);
    return result(flat, out).values();
  }

  // With a last input of these bits or numbers, and others of 1.
  std::vector<Tensor> with_last(const Tensor& last) const {
    std::vector<Tensor> in;
    for (size_t i = 0; i + 1 < slots().size(); ++i) {
      in.emplace_back(last.dtype(), last.shape());
      in.back().fill({1});
    }
    in.emplace_back(last, last.shape(), Tensor::Layout{});
    return in;
  }
  long double exact(long double x) const {
    std::vector<long double> values(slots().size(), 1);
    values.back() = x;
    return row().op().results.formula.number(values, row().arguments().numbers());
  }

  // Compares with the formula for every element of the last input.
  void compare(const Tensor& last, double most) {
    const std::vector<Tensor> in = with_last(last);
    const std::vector<long double> x = last.values();
    const Tensor out(last.dtype(), last.shape());
    run(in, out);
    const Tensor& actual = result(in, out);
    int wrong = 0;
    for (int64_t i = 0; i < actual.count() && wrong < 5; ++i) {
      const long double value = x[static_cast<size_t>(i)];
      if (std::isnan(value) && !row().op().results.nan_goes_through) continue;
      const long double right = std::isnan(value) ? value : exact(value);
      const long double got = actual.get(i);
      if (got == testing::round_to(right, last.dtype())) continue;
      const double error = testing::ulp_error(got, right, last.dtype());
      if (error <= most) continue;
      ++wrong;
      ADD_FAILURE() << row().name() << " of " << static_cast<double>(value) << " is "
                    << static_cast<double>(got) << ", expected " << static_cast<double>(right)
                    << ", " << error << " ulp";
    }
  }
};

TEST_P(Elementwise, TakesAnotherFormatUnlessTheContractSaysOtherwise) {
  const std::vector<Tensor> in =
      inputs(ACL_FLOAT, kShape, {.strides = {}, .format = ACL_FORMAT_NCHW});
  if (is_in_place() || in.size() > 1) return;
  const Tensor out(ACL_FLOAT, kShape);
  aclTensor* const handles[] = {in.front().tensor(), out.tensor()};
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(row().phase_one()(handles, &size, &executor),
            row().op().domain.equal_formats ? 161002 : 0);
  if (executor != nullptr) aclDestroyAclOpExecutor(executor);
}

TEST_P(Elementwise, RanksFromZeroToTheHighest) {
  std::vector<std::vector<int64_t>> shapes = {{}, {1, 2, 1, 3, 1, 2, 1, 2}};
  if (row().op().domain.max_rank > 8) {
    shapes.emplace_back(row().op().domain.max_rank, 1);
    shapes.back().front() = 3;
    shapes.back().back() = 2;
  }
  for (const std::vector<int64_t>& shape : shapes) {
    const std::vector<Tensor> in = inputs(ACL_FLOAT, shape);
    const std::vector<long double> wanted = expected(in);
    const Tensor out(ACL_FLOAT, shape);
    run(in, out);
    EXPECT_EQ(result(in, out).values(), wanted) << shape.size();
  }
}

TEST_P(Elementwise, EmptyTensorsNeedNoWorkspaceAndNoMemory) {
  const std::vector<Tensor> in = inputs(ACL_FLOAT, {3, 0, 2});
  const Tensor out(ACL_FLOAT, {3, 0, 2});
  std::vector<aclTensor*> handles;
  for (const Tensor& each : in) handles.push_back(each.tensor());
  if (!is_in_place()) handles.push_back(out.tensor());
  uint64_t size = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(row().phase_one()(handles, &size, &executor), 0) << recent_message();
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(row().phase_two()(nullptr, 0, executor, stream()), 0) << recent_message();
}

TEST_P(Elementwise, OutputMayBeAnInput) {
  if (is_in_place()) return;
  for (const testing::LayoutKind layout : testing::kOutputLayouts) {
    for (size_t i = 0; i < slots().size(); ++i) {
      const std::vector<Tensor> in =
          inputs(ACL_FLOAT, kShape, testing::make_layout(kShape, layout));
      const std::vector<long double> wanted = expected(in);
      run(in, in[i]);
      EXPECT_EQ(in[i].values(), wanted) << to_string(layout) << ", input " << i;
    }
  }
}

// A NaN in one input gives NaN where the formula has it; in the last one, which chooses a
// backward's branch, always, unless the contract says otherwise. All other elements stay as they
// were.
TEST_P(Elementwise, NanGoesThroughFromEveryInput) {
  const std::vector<int64_t> shape = {3, 67};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    if (!takes(dtype)) continue;
    const std::vector<long double> clean = expected(inputs(dtype, shape));
    for (size_t k = 0; k < slots().size(); ++k) {
      if (slots()[k]->tensor()->dtype) continue;
      std::vector<Tensor> in = inputs(dtype, shape);
      for (int64_t i = 0; i < in[k].count(); i += 3) in[k].set(i, testing::kNaN);
      std::vector<std::vector<long double>> numbers;
      for (const Tensor& each : in) numbers.push_back(each.values());
      const Tensor out(dtype, shape);
      run(in, out);
      const Tensor& actual = result(in, out);
      for (int64_t i = 0; i < actual.count(); ++i) {
        const auto at = static_cast<size_t>(i);
        if (i % 3 != 0) {
          EXPECT_EQ(actual.get(i), clean[at]) << i;
          continue;
        }
        std::vector<long double> x;
        for (const std::vector<long double>& each : numbers) x.push_back(each[at]);
        const bool always = row().op().results.nan_goes_through && k + 1 == slots().size();
        const bool is_nan =
            always || std::isnan(row().op().results.formula.number(x, row().arguments().numbers()));
        EXPECT_EQ(std::isnan(actual.get(i)), is_nan)
            << row().name() << ": input " << k << ", element " << i << " is " << actual.get(i);
      }
    }
  }
}

TEST_P(Elementwise, EveryInputOf16Bits) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    if (!takes(dtype)) continue;
    Tensor x(dtype, {65536});
    for (size_t i = 0; i < 65536; ++i) {
      testing::store_as(x.data(), i, static_cast<uint16_t>(i));
    }
    compare(x, std::min(bound().of_float, bound().of_16_bits));
  }
}

// A step through all 2^32 patterns that shares no factor with them: every exponent, both signs,
// NaN.
TEST_P(Elementwise, ASampleOfAllFloats) {
  constexpr int64_t kSamples = 1 << 16;
  Tensor x(ACL_FLOAT, {kSamples});
  for (size_t i = 0; i < kSamples; ++i) {
    testing::store_as(x.data(), i, static_cast<uint32_t>(i) * 65651u);
  }
  compare(x, bound().of_float);
}

// In double throughout, where it is accepted by the extension alone, too. Near a zero of the curve
// the error is that of numbers of size 1.
TEST_P(Elementwise, ComputesInDouble) {
  aclgradSetAcceptDouble(1);
  constexpr int64_t kSamples = 5000;
  const TensorSpec& slot = *slots().back()->tensor();
  Tensor x(ACL_DOUBLE, {kSamples});
  for (int64_t i = 0; i < kSamples; ++i) {
    x.set(i, slot.low + (slot.high - slot.low) * (static_cast<long double>(i) + 0.37L) / kSamples);
  }
  const std::vector<long double> values = x.values();
  const std::vector<Tensor> in = with_last(x);
  const Tensor out(ACL_DOUBLE, {kSamples});
  run(in, out);
  for (int64_t i = 0; i < kSamples; ++i) {
    const long double right = exact(values[static_cast<size_t>(i)]);
    const long double bound = std::max(5e-16L, 1.5e-15L * std::abs(right));
    if (result(in, out).get(i) == right) continue;  // infinite, too
    ASSERT_LE(std::abs(result(in, out).get(i) - right), bound)
        << row().name() << " of " << static_cast<double>(values[static_cast<size_t>(i)]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Elementwise,
    ::testing::ValuesIn(cases_of(all_cases(), [](const Row& row) { return row.is_elementwise(); })),
    test_name);

}  // namespace
}  // namespace aclgrad::cases
