// SPDX-License-Identifier: Apache-2.0
// Every row that takes any layout: strided, transposed, shifted, expanded, reversed inputs and
// outputs, work in place, 0-d and empty tensors, many dimensions, and any number of threads. A
// layout must not change a bit of the result.
#include <functional>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "tests/ops/operators/activations/cases.h"

namespace aclgrad::testing {
namespace {

const Shape kShape{3, 4, 5};

struct NamedLayout {
  const char* name;
  Array::Layout layout;
};

// Layouts of a [3, 4, 5] tensor that let every element have a place of its own.
std::vector<NamedLayout> layouts() {
  return {{"contiguous", {}},
          {"offset", {{20, 5, 1}, 7}},
          {"transposed", {{1, 15, 3}, 0}},
          {"stride 2", {{40, 10, 2}, 1}},
          {"rows with gaps", {{64, 16, 1}, 3}},
          {"NCHW", {{20, 5, 1}, 0, -1, ACL_FORMAT_NCHW}}};
}

// Layouts that only an input may have.
std::vector<NamedLayout> input_layouts() {
  std::vector<NamedLayout> result = layouts();
  result.push_back({"expanded rows", {{0, 0, 1}, 2}});
  result.push_back({"expanded everywhere", {{0, 0, 0}, 4}});
  result.push_back({"reversed", {{-20, -5, -1}, 59, 60}});
  return result;
}

std::vector<long double> sample_values() {
  std::vector<long double> values;
  for (int i = 0; i < 60; ++i) values.push_back(-4.3L + 0.143L * i);
  return values;
}

class Layouts : public AclTest {
 protected:
  std::vector<long double> contiguous_result(const Case& row, const Array& x) {
    const Array copy(x.dtype(), x.shape(), Array::Layout{}, x.values());
    const Array out(x.dtype(), x.shape());
    EXPECT_EQ(row.run(stream(), copy, out), 0) << recent_message();
    return out.values();
  }
};

TEST_F(Layouts, NoLayoutChangesABit) {
  for (const Case& row : activation_cases()) {
    if (!row.takes_any_layout) continue;
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (const NamedLayout& in : input_layouts()) {
        const Array x(dtype, kShape, in.layout, sample_values());
        const std::vector<long double> expected = contiguous_result(row, x);
        for (const NamedLayout& out_layout : layouts()) {
          const Array out(dtype, kShape, out_layout.layout);
          ASSERT_EQ(row.run(stream(), x, out), 0) << recent_message();
          ASSERT_EQ(out.values(), expected)
              << row.name << ": " << in.name << " to " << out_layout.name;
        }
      }
    }
  }
}

TEST_F(Layouts, NothingIsWrittenBetweenTheElementsOfAnOutput) {
  for (const Case& row : activation_cases()) {
    if (!row.takes_any_layout) continue;
    const Array x(ACL_FLOAT, {2, 3}, Array::Layout{}, {1, 2, 3, 4, 5, 6});
    Array whole(ACL_FLOAT, {30});
    whole.fill({77});
    const Array out(whole, {2, 3}, {{12, 2}, 5});
    ASSERT_EQ(row.run(stream(), x, out), 0);
    int touched = 0;
    for (int64_t i = 0; i < whole.count(); ++i) touched += whole.get(i) != 77 ? 1 : 0;
    EXPECT_EQ(touched, 6) << row.name;
  }
}

TEST_F(Layouts, ZeroDimensionsAndManyDimensions) {
  for (const Case& row : activation_cases()) {
    if (!row.takes_any_layout) continue;
    const Array x(ACL_FLOAT, {}, {-0.6L});
    const Array out(ACL_FLOAT, {}, {99});
    ASSERT_EQ(row.run(stream(), x, out), 0) << row.name << ": " << recent_message();
    EXPECT_LE(ulp_error(out.get(0), row.reference(x.get(0)), ACL_FLOAT), 0.51) << row.name;

    const Array eight(ACL_FLOAT, {1, 2, 1, 3, 1, 2, 1, 2}, Array::Layout{}, sample_values());
    const Array result(ACL_FLOAT, eight.shape());
    ASSERT_EQ(row.run(stream(), eight, result), 0) << row.name << ": " << recent_message();
    for (int64_t i = 0; i < eight.count(); ++i) {
      EXPECT_LE(ulp_error(result.get(i), row.reference(eight.get(i)), ACL_FLOAT), 1.0) << row.name;
    }
  }
}

TEST_F(Layouts, SomeOperatorsTakeAnyNumberOfDimensions) {
  Shape shape(25, 1);
  shape[3] = 2;
  shape[24] = 3;
  for (const char* name : {"Selu", "SeluBackward", "Hardswish"}) {
    const Case row = activation_case(name);
    const Array x(ACL_FLOAT, shape, {-2, -1, 0, 1, 2, 3});
    const Array out(ACL_FLOAT, shape);
    ASSERT_EQ(row.run(stream(), x, out), 0) << name << ": " << recent_message();
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_LE(ulp_error(out.get(i), row.reference(x.get(i)), ACL_FLOAT), 0.51) << name;
    }
  }
}

TEST_F(Layouts, EmptyTensorsNeedNoWorkspaceAndNoMemory) {
  for (const Case& row : activation_cases()) {
    if (!row.takes_any_layout) continue;
    const Array x(ACL_FLOAT, {3, 0, 2});
    const Array out(ACL_FLOAT, {3, 0, 2});
    EXPECT_EQ(row.run(stream(), x, out), 0) << row.name << ": " << recent_message();
  }
  const Array empty(ACL_FLOAT, {0});
  uint64_t workspace_size = 1;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnSeluGetWorkspaceSize(empty.tensor(), empty.tensor(), &workspace_size, &executor),
            0);
  EXPECT_EQ(workspace_size, 0u);
  ASSERT_NE(executor, nullptr);
  EXPECT_EQ(aclnnSelu(nullptr, 0, executor, stream()), 0);
}

TEST_F(Layouts, OutputMayBeTheInput) {
  for (const Case& row : activation_cases()) {
    if (!row.takes_any_layout) continue;
    for (const NamedLayout& layout : layouts()) {
      const Array x(ACL_FLOAT, kShape, layout.layout, sample_values());
      const std::vector<long double> expected = contiguous_result(row, x);
      ASSERT_EQ(row.run(stream(), x, x), 0);
      EXPECT_EQ(x.values(), expected) << row.name << " " << layout.name;
    }
  }
}

TEST_F(Layouts, InplaceEntryPoints) {
  const Scalar alpha(kEluAlpha);
  const Scalar scale(kEluScale);
  const Scalar input_scale(kEluInputScale);
  const auto check = [&](const char* name, const std::function<aclnnStatus(const Array&)>& run) {
    for (const NamedLayout& layout : layouts()) {
      const Array x(ACL_FLOAT16, kShape, layout.layout, sample_values());
      const std::vector<long double> expected = contiguous_result(activation_case(name), x);
      EXPECT_EQ(run(x), 0) << recent_message();
      EXPECT_EQ(x.values(), expected) << name << " " << layout.name;
    }
  };
  check("Selu", [&](const Array& x) {
    return call(aclnnInplaceSeluGetWorkspaceSize, aclnnInplaceSelu, x.tensor());
  });
  check("Elu", [&](const Array& x) {
    return call(aclnnInplaceEluGetWorkspaceSize, aclnnInplaceElu, x.tensor(), alpha.get(),
                scale.get(), input_scale.get());
  });
  check("Hardswish", [&](const Array& x) {
    return call(aclnnInplaceHardswishGetWorkspaceSize, aclnnInplaceHardswish, x.tensor());
  });
}

// The gradient as the output, for the backward operators that take one.
TEST_F(Layouts, GradientMayBeTheOutput) {
  const Array x(ACL_FLOAT, {60}, Array::Layout{}, sample_values());
  const auto check = [&](const char* name, const std::function<aclnnStatus(const Array&)>& run) {
    const Array gradient = ones_like(x);
    EXPECT_EQ(run(gradient), 0) << recent_message();
    EXPECT_EQ(gradient.values(), contiguous_result(activation_case(name), x)) << name;
  };
  check("SeluBackward", [&](const Array& g) {
    return call(aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward, g.tensor(), x.tensor(),
                g.tensor());
  });
  check("HardswishBackward", [&](const Array& g) {
    return call(aclnnHardswishBackwardGetWorkspaceSize, aclnnHardswishBackward, g.tensor(),
                x.tensor(), g.tensor());
  });
  check("HardswishBackwardV2", [&](const Array& g) {
    return call(aclnnHardswishBackwardV2GetWorkspaceSize, aclnnHardswishBackwardV2, g.tensor(),
                x.tensor(), g.tensor());
  });
}

TEST_F(Layouts, NumberOfThreadsDoesNotChangeABit) {
  for (const Case& row : activation_cases()) {
    Array x(ACL_FLOAT, {50'000});
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, -6 + 1.2e-4L * static_cast<long double>(i));
    const Array one(ACL_FLOAT, x.shape());
    const Array three(ACL_FLOAT, x.shape());
    ASSERT_EQ(aclgradSetNumThreads(1), 0);
    ASSERT_EQ(row.run(stream(), x, one), 0);
    ASSERT_EQ(aclgradSetNumThreads(3), 0);
    ASSERT_EQ(row.run(stream(), x, three), 0);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.memory().bytes()), 0) << row.name;
  }
}

}  // namespace
}  // namespace aclgrad::testing
