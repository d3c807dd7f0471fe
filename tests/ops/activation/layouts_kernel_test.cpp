// SPDX-License-Identifier: Apache-2.0
// Where an element lies must not show in its result: lengths and offsets (heads and tails of
// vectors), and sizes beyond the caches, against one contiguous run on one thread, bit by bit.
// Other layouts and numbers of threads are in tests/cases.
#include <gtest/gtest.h>

#include "tests/ops/activation/bit_runs.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::testing {
namespace {

class ActivationLayouts : public AclTest {
 protected:
  void TearDown() override {
    choose_targets(0);
    AclTest::TearDown();
  }

  Bits run_contiguous(const Activation& activation, aclDataType dtype, const Shape& shape,
                      const std::vector<Bits>& data) {
    aclgradSetNumThreads(1);
    const BitRun run(activation, dtype, shape, data);
    EXPECT_EQ(run.run(stream()), 0) << recent_message();
    return run.results();
  }
};

// Two rows of memory per tensor, of which views of every length at every offset are taken; the
// tensors of a call are misaligned against each other.
TEST_F(ActivationLayouts, EveryLengthAndOffset) {
  constexpr int64_t kLength = 70;
  constexpr int64_t kOffsets = 18;
  constexpr int64_t kRow = 128;
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    const size_t bytes = aclDataTypeSize(dtype);
    const std::vector<Bits> data = sample_inputs(activation, dtype, kRow);
    const Bits expected = run_contiguous(activation, dtype, {1, kRow}, data);
    for_each_target([&](int64_t target) {
      std::vector<Array> memory;
      for (const Bits& elements : data) {
        const Array& in = memory.emplace_back(ACL_UINT8, Shape{2 * kRow * 4 + 64});
        for (size_t i = 0; i < elements.size(); ++i) write_bits(in.data(), bytes, i, elements[i]);
      }
      // Other instruction sets than the best take every eleventh of the pairs.
      const int64_t step = target == all_targets().front() ? 1 : 11;
      int64_t pair = 0;
      for (int64_t length = 0; length <= kLength; ++length) {
        for (int64_t offset = 0; offset < kOffsets; ++offset) {
          if (pair++ % step != 0) continue;
          Activation::Tensors in;
          Activation::Tensors out;
          std::vector<TensorHandle> handles;
          std::vector<Array> results;
          const auto view = [&](void* data_address, int width, int64_t begin) {
            const int64_t shape[] = {width, length};
            const int64_t strides[] = {kRow, 1};
            const int64_t storage = 2 * kRow;
            handles.emplace_back(aclCreateTensor(shape, 2, dtype, strides, begin, ACL_FORMAT_ND,
                                                 &storage, 1, data_address));
            return handles.back().get();
          };
          for (size_t k = 0; k < data.size(); ++k) {
            in.push_back(view(memory[k].data(), activation.inputs[k], offset));
          }
          const int64_t out_offset = (offset * 7 + length) % kOffsets;
          for (const int width : activation.outputs) {
            const Array& result = results.emplace_back(ACL_UINT8, Shape{2 * kRow * 4});
            std::memset(result.data(), kUntouched, result.memory().bytes());
            out.push_back(view(result.data(), width, out_offset));
          }
          ASSERT_EQ(run_two_phases(stream(), activation.phase_one, activation.phase_two, in, out,
                                   int64_t{0}),
                    0)
              << recent_message();
          size_t base = 0;
          for (size_t k = 0; k < results.size(); ++k) {
            for (int64_t i = 0; i < activation.outputs[k] * kRow; ++i) {
              const int64_t place = i % kRow - out_offset;
              const bool inside = place >= 0 && place < length;
              const uint32_t gap = bytes == 2 ? 0xA5A5u : 0xA5A5A5A5u;
              const uint32_t wanted =
                  inside ? expected[base + static_cast<size_t>(i - out_offset + offset)] : gap;
              ASSERT_EQ(
                  with_one_nan(read_bits(results[k].data(), bytes, static_cast<size_t>(i)), dtype),
                  wanted)
                  << "length " << length << ", offset " << offset << ", element " << place;
            }
            base += static_cast<size_t>(activation.outputs[k] * kRow);
          }
        }
      }
    });
  });
}

// Sizes at which a kernel may store past the caches: what repeats in the input repeats in the
// output.
TEST_F(ActivationLayouts, LargeTensors) {
  constexpr size_t kPeriod = 8192;
  constexpr int64_t kCount = (int64_t{3} << 19) + 5;
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    if (dtype != ACL_FLOAT) return;
    const size_t bytes = aclDataTypeSize(dtype);
    const std::vector<Bits> data = sample_inputs(activation, dtype, kPeriod);
    const Bits expected = run_contiguous(activation, dtype, {1, kPeriod}, data);
    Activation::Tensors in;
    Activation::Tensors out;
    std::vector<Array> arrays;
    for (size_t k = 0; k < data.size(); ++k) {
      const Array& array = arrays.emplace_back(dtype, Shape{activation.inputs[k], kCount});
      in.push_back(array.tensor());
      for (int64_t i = 0; i < array.count(); ++i) {
        const auto place =
            static_cast<size_t>(i / kCount) * kPeriod + static_cast<size_t>(i % kCount) % kPeriod;
        write_bits(array.data(), bytes, static_cast<size_t>(i), data[k][place]);
      }
    }
    const size_t first_output = arrays.size();
    for (const int width : activation.outputs) {
      out.push_back(arrays.emplace_back(dtype, Shape{width, kCount}).tensor());
    }
    aclgradSetNumThreads(0);
    ASSERT_EQ(
        run_two_phases(stream(), activation.phase_one, activation.phase_two, in, out, int64_t{0}),
        0)
        << recent_message();
    size_t base = 0;
    for (size_t k = first_output; k < arrays.size(); ++k) {
      const int width = activation.outputs[k - first_output];
      for (int64_t i = 0; i < arrays[k].count(); ++i) {
        const auto place = base + static_cast<size_t>(i / kCount) * kPeriod +
                           static_cast<size_t>(i % kCount) % kPeriod;
        ASSERT_EQ(with_one_nan(read_bits(arrays[k].data(), bytes, static_cast<size_t>(i)), dtype),
                  expected[place])
            << "element " << i;
      }
      base += static_cast<size_t>(width) * kPeriod;
    }
  });
}

}  // namespace
}  // namespace aclgrad::testing
