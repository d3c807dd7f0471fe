// SPDX-License-Identifier: Apache-2.0
// Results that are looked up against the same ones computed: an operator that has seen few elements
// computes, one that has seen many looks up, and the results must be the same.
#include "ops/engine/lut16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ops/activation/elu_kernel.h"
#include "ops/activation/geglu_kernel.h"
#include "ops/activation/gelu_kernel.h"
#include "ops/activation/selu_kernel.h"
#include "tests/ops/activation/bit_runs.h"

namespace aclgrad::ops {
namespace {

TEST(Lut16, IsMadeOnceItPays) {
  static Lut16 table;  // what it has made stays
  int times = 0;
  const auto fill = [&](Lut16Values& values) {
    ++times;
    for (size_t i = 0; i < Lut16Values::kEntries; ++i) {
      values.fast[i] = static_cast<float>(i);
      values.exact[i] = static_cast<double>(i) + 0.5;
    }
  };
  EXPECT_EQ(table.get(Lut16Values::kEntries - 1, fill), nullptr);
  EXPECT_EQ(times, 0);
  const Lut16Values* const values = table.get(1, fill);
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values->fast[12345], 12345.0f);
  EXPECT_EQ(values->exact[12345], 12345.5);
  EXPECT_EQ(table.get(1, fill), values);
  EXPECT_EQ(times, 1);
}

TEST(Lut16, IsMadeByOneThreadWhileOthersDoWithout) {
  static Lut16 table;  // what it has made stays
  std::atomic<int> times{0};
  std::atomic<int> found{0};
  const auto ask = [&] {
    const Lut16Values* values = table.get(Lut16Values::kEntries, [&](Lut16Values& to) {
      ++times;
      std::fill_n(to.fast, Lut16Values::kEntries, 2.5f);
      std::fill_n(to.exact, Lut16Values::kEntries, 3.5);
    });
    if (values != nullptr && values->exact[Lut16Values::kEntries - 1] == 3.5) ++found;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(ask);
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(times, 1);
  EXPECT_GE(found, 1);
}

struct SetOfTables {
  Lut16s tables;
};

TEST(Lut16, TheFirstFewKeysHaveTables) {
  static TablesByKey<int, SetOfTables, 2> tables;
  SetOfTables* const one = tables.find(1);
  SetOfTables* const two = tables.find(2);
  ASSERT_NE(one, nullptr);
  ASSERT_NE(two, nullptr);
  EXPECT_NE(one, two);
  EXPECT_EQ(tables.find(1), one);
  EXPECT_EQ(tables.find(2), two);
  EXPECT_EQ(tables.find(3), nullptr);
}

struct Function {
  const char* name;
  FloatKernel kernel;
  size_t inputs;
  size_t outputs;
  size_t argument;  // the input that is looked up
};

std::vector<Function> functions() {
  std::vector<Function> result = {
      {"selu", selu_kernel(), 1, 1, 0},
  };
  for (const GeluForm form : {GeluForm::kErf, GeluForm::kTanh}) {
    result.push_back({"gelu", gelu_kernel(form), 1, 1, 0});
    result.push_back({"gelu backward", gelu_backward_kernel(form), 2, 1, 1});
    result.push_back({"geglu", geglu_kernel(form), 2, 2, 0});
    result.push_back({"geglu backward", geglu_backward_kernel(form), 4, 2, 1});
  }
  for (const EluFunction& f : {EluFunction::of(1, 1, 1), EluFunction::of(1.25f, 0.75f, 1.5f),
                               EluFunction::of(1.1f, 0.9f, 2)}) {
    result.push_back({"elu", elu_kernel(f), 1, 1, 0});
    for (const bool of_result : {false, true}) {
      result.push_back({"elu backward", elu_backward_kernel(f, of_result), 2, 1, 1});
    }
  }
  return result;
}

using Patterns = std::vector<uint16_t>;

// All outputs of the kernel, called for so many elements at a time.
std::vector<Patterns> run_in_blocks(const Function& function, aclDataType dtype,
                                    const std::vector<Patterns>& inputs, size_t block) {
  const size_t count = inputs[0].size();
  std::vector<Patterns> outputs(function.outputs, Patterns(count));
  const std::vector<int64_t> steps(4, 0);
  for (size_t begin = 0; begin < count; begin += block) {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const Patterns& each : inputs) in.push_back(&each[begin]);
    for (Patterns& each : outputs) out.push_back(&each[begin]);
    const size_t rest = std::min(block, count - begin);
    function.kernel.native(
        {dtype, in.data(), out.data(), rest, false, 1, steps.data(), steps.data()});
  }
  for (Patterns& each : outputs) {
    for (uint16_t& bits : each) {
      bits = static_cast<uint16_t>(testing::with_one_nan(bits, dtype));
    }
  }
  return outputs;
}

// Fewer elements at a time than the loop over vectors takes are always computed.
TEST(Lut16, GivesWhatIsComputed) {
  constexpr size_t kFew = 13;
  constexpr int kGradients = 2;
  for (const Function& function : functions()) {
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
      SCOPED_TRACE(std::string(function.name) + " " + testing::short_name(dtype));
      for (uint64_t seed = 0; seed < kGradients; ++seed) {
        std::vector<Patterns> inputs(function.inputs, Patterns(Lut16Values::kEntries));
        for (size_t k = 0; k < inputs.size(); ++k) {
          const testing::Bits sample =
              testing::sample_bits(dtype, Lut16Values::kEntries, 100 * seed + k);
          for (size_t i = 0; i < Lut16Values::kEntries; ++i) {
            inputs[k][i] = static_cast<uint16_t>(k == function.argument ? i : sample[i]);
          }
        }
        const auto looked_up = run_in_blocks(function, dtype, inputs, Lut16Values::kEntries);
        const auto computed = run_in_blocks(function, dtype, inputs, kFew);
        EXPECT_TRUE(looked_up == computed);
      }
    }
  }
}

// Among the smallest numbers a float holds too little of a product to tell whether it is a tie.
TEST(Lut16, RoundsWhatIsNearlyATie) {
  const FloatKernel kernel =
      elu_backward_kernel(EluFunction::of(1.1f, 0.9f, 1.7f), /*is_result=*/true);
  const Function function{"elu backward", kernel, 2, 1, 1};
  const size_t count = Lut16Values::kEntries;  // enough for a table
  const auto computed =
      run_in_blocks(function, ACL_BF16, {Patterns(count, 0x01fa), Patterns(count, 0xbf60)}, count);
  // 0x1.86ffffa7fffd6p-126, just below the middle between 0x00c3 and 0x00c4.
  EXPECT_EQ(computed[0], Patterns(count, 0x00c3));
}

}  // namespace
}  // namespace aclgrad::ops
