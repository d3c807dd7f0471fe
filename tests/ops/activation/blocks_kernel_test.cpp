// SPDX-License-Identifier: Apache-2.0
// The activation kernels as blocks: the same bits on every instruction set, and no effect of where
// in a block an element stands or of what lies beyond its end.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ops/activation/elu_kernel.h"
#include "ops/activation/geglu_kernel.h"
#include "ops/activation/gelu_kernel.h"
#include "ops/activation/hardswish_kernel.h"
#include "ops/activation/selu_kernel.h"
#include "tests/ops/engine/targets.h"
#include "tests/ops/support/native_kernels.h"

namespace aclgrad::ops {
namespace {

// The body in double of a kernel; what runs in float is tested through the operators.
RealKernel exact_body(const Kernel& kernel) {
  const auto* both = std::get_if<FloatKernel>(&kernel);
  return both != nullptr ? both->exact : std::get<RealKernel>(kernel);
}

struct Row {
  Row(std::string name_of_row, const Kernel& of)
      : name(std::move(name_of_row)), kernel(exact_body(of)) {}

  std::string name;
  RealKernel kernel;
};

std::vector<Row> rows() {
  const auto elu = EluFunction::of(1.5f, 1.25f, 0.75f);
  return {{"selu", selu_kernel()},
          {"selu backward", selu_backward_kernel()},
          {"elu", elu_kernel(elu)},
          {"elu backward", elu_backward_kernel(elu, false)},
          {"elu backward of result", elu_backward_kernel(elu, true)},
          {"hardswish", hardswish_kernel()},
          {"hardswish backward", hardswish_backward_kernel(Interval::kClosed)},
          {"hardswish backward V2", hardswish_backward_kernel(Interval::kOpen)},
          {"gelu erf", gelu_kernel(GeluForm::kErf)},
          {"gelu tanh", gelu_kernel(GeluForm::kTanh)},
          {"gelu backward erf", gelu_backward_kernel(GeluForm::kErf)},
          {"gelu backward tanh", gelu_backward_kernel(GeluForm::kTanh)},
          {"geglu erf", geglu_kernel(GeluForm::kErf)},
          {"geglu tanh", geglu_kernel(GeluForm::kTanh)},
          {"geglu backward erf", geglu_backward_kernel(GeluForm::kErf)},
          {"geglu backward tanh", geglu_backward_kernel(GeluForm::kTanh)}};
}

// Four inputs and two outputs are the most that a row has. Inputs 0 and 2 are factors; 1 and 3 run
// through the interesting range, which rows of one input get as well.
struct Blocks {
  alignas(64) double in[4][kBlock];
  alignas(64) double out[2][kBlock];
  alignas(64) double shifted_out[2][kBlock];

  // Element i is that of place start + i in a longer sequence; beyond `count` lies `padding`.
  Blocks(size_t start, size_t count, double padding) {
    for (size_t i = 0; i < kBlock; ++i) {
      const auto n = static_cast<double>(start + i);
      in[0][i] = i < count ? 1.0 + 0.01 * n : padding;
      in[1][i] = i < count ? -9.0 + 0.0357 * n : padding;
      in[2][i] = i < count ? 2.0 - 0.02 * n : padding;
      in[3][i] = i < count ? 5.0 - 0.0213 * n : padding;
    }
    std::memset(out, 0, sizeof(out));
    std::memset(shifted_out, 0, sizeof(shifted_out));
  }

  void run(const RealKernel& kernel, size_t count) {
    const double* const inputs[] = {in[0], in[1], in[2], in[3]};
    const double* const shifted[] = {in[1], in[2], in[3], in[0]};
    double* const outputs[] = {out[0], out[1]};
    double* const shifted_outputs[] = {shifted_out[0], shifted_out[1]};
    kernel(inputs, outputs, count);
    kernel(shifted, shifted_outputs, count);
  }

  bool same(const Blocks& other, size_t begin, size_t count) const {
    for (size_t k = 0; k < 2; ++k) {
      const size_t bytes = count * sizeof(double);
      if (std::memcmp(out[k], other.out[k] + begin, bytes) != 0) return false;
      if (std::memcmp(shifted_out[k], other.shifted_out[k] + begin, bytes) != 0) return false;
    }
    return true;
  }
};

TEST(Kernels, EveryInstructionSetGivesTheSameBits) {
  const std::vector<Row> best = rows();
  testing::for_each_target([&](int64_t) {
    const std::vector<Row> others = rows();  // a kernel is of the target for which it was made
    for (size_t i = 0; i < best.size(); ++i) {
      Blocks expected(0, kBlock, 0);
      expected.run(best[i].kernel, kBlock);
      Blocks actual(0, kBlock, 0);
      actual.run(others[i].kernel, kBlock);
      EXPECT_TRUE(actual.same(expected, 0, kBlock)) << best[i].name;
    }
  });
}

// Its formula in float relies on that: it does not look whether a result could be a neighbour.
TEST(Kernels, HardswishOfEvery16BitElementIsTheNearest) {
  testing::for_each_target([](int64_t) {
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
      EXPECT_TRUE(agrees_with_double(hardswish_kernel(), {all_patterns(dtype)})) << dtype;
    }
  });
}

// So does its backward's in BF16. All mantissas of the gradient, and the ends of its exponents.
TEST(Kernels, HardswishBackwardOfEveryBfloat16MantissaIsTheNearest) {
  const Numbers x = all_patterns(ACL_BF16);
  std::vector<uint16_t> gradients;
  for (uint16_t mantissa = 0; mantissa < 0x80; ++mantissa) gradients.push_back(0x3f80 | mantissa);
  for (uint16_t pattern = 1; pattern < 0x0e00; pattern += 37) gradients.push_back(pattern);
  for (uint16_t pattern = 0x7f00; pattern < 0x7f90; pattern += 9) gradients.push_back(pattern);
  for (const Interval interval : {Interval::kClosed, Interval::kOpen}) {
    for (const uint16_t gradient : gradients) {
      Numbers g(ACL_BF16, kPatterns);
      for (size_t i = 0; i < kPatterns; ++i) {
        std::memcpy(g.bytes.data() + 2 * i, &gradient, sizeof gradient);
      }
      ASSERT_TRUE(agrees_with_double(hardswish_backward_kernel(interval), {g, x})) << gradient;
    }
  }
}

TEST(Kernels, PositionAndPaddingDoNotMatter) {
  constexpr size_t kStart = 101;
  constexpr size_t kCount = 37;
  testing::for_each_target([&](int64_t) {
    for (const Row& row : rows()) {
      Blocks whole(0, kBlock, 0);
      whole.run(row.kernel, kBlock);
      Blocks part(kStart, kCount, std::numeric_limits<double>::quiet_NaN());
      part.run(row.kernel, kCount);
      EXPECT_TRUE(part.same(whole, kStart, kCount)) << row.name;
    }
  });
}

// Nothing but the kernel is made here, so nothing else can have asked for a target.
TEST(Kernels, DispatchIsNotBypassed) {
  if (testing::kOneTarget) GTEST_SKIP() << "there is nothing to choose from";
  const auto elu = EluFunction::of(1, 1, 1);
  const std::function<FloatKernel()> makers[] = {
      selu_kernel,
      selu_backward_kernel,
      hardswish_kernel,
      [&] { return elu_kernel(elu); },
      [&] { return elu_backward_kernel(elu, false); },
      [&] { return elu_backward_kernel(elu, true); },
      [] { return hardswish_backward_kernel(Interval::kOpen); },
      [] { return gelu_kernel(GeluForm::kErf); },
      [] { return gelu_backward_kernel(GeluForm::kErf); },
      [] { return geglu_kernel(GeluForm::kErf); },
      [] { return geglu_backward_kernel(GeluForm::kErf); }};
  testing::for_each_target([&](int64_t target) {
    for (const auto& make : makers) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().DeInit();
      EXPECT_TRUE(make().exact);
      EXPECT_TRUE(hwy::GetChosenTarget().IsInitialized());
    }
  });
}

}  // namespace
}  // namespace aclgrad::ops
