// SPDX-License-Identifier: Apache-2.0
// Where an element lies must not show in its result: lengths and offsets (heads and tails of
// vectors), strides, the output in place of an input, the number of threads, large sizes. All
// against one contiguous run on one thread, bit by bit.
#include <gtest/gtest.h>

#include "tests/ops/kernels/bit_runs.h"
#include "tests/ops/kernels/targets.h"

namespace aclgrad::testing {
namespace {

// Strides of the tensor as it would be contiguous.
Shape dense_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

LayoutOf inner_stride(int64_t step, int64_t offset) {
  return [=](const Shape& shape) {
    Array::Layout layout{.strides = dense_strides(shape), .offset = offset};
    for (int64_t& stride : layout.strides) stride *= step;
    return layout;
  };
}

// Rows with a gap behind each.
LayoutOf padded_rows(int64_t padding, int64_t offset) {
  return [=](const Shape& shape) {
    return Array::Layout{.strides = {shape[1] + padding, 1}, .offset = offset};
  };
}

Array::Layout transposed(const Shape& shape) { return {.strides = {1, shape[0]}}; }
Array::Layout transposed_padded(const Shape& shape) {
  return {.strides = {1, shape[0] + 3}, .offset = 1};
}

class ActivationLayouts : public AclTest {
 protected:
  void TearDown() override {
    choose_targets(0);
    AclTest::TearDown();
  }

  Bits run_contiguous(const Activation& activation, aclDataType dtype, const Shape& shape,
                      int64_t dim, const std::vector<Bits>& data) {
    aclgradSetNumThreads(1);
    const BitRun run(activation, dtype, shape, dim, data, {contiguous}, contiguous);
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
    const Bits expected = run_contiguous(activation, dtype, {1, kRow}, 0, data);
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

// Inputs and outputs each in a layout of their own; the output's memory between its elements stays.
TEST_F(ActivationLayouts, Strides) {
  const std::vector<LayoutOf> layouts = {contiguous,        inner_stride(2, 0),
                                         transposed,        padded_rows(13, 5),
                                         transposed_padded, inner_stride(3, 7)};
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    for (const int64_t dim : {0, 1}) {
      if (dim == 1 && activation.inputs[0] == 1 && activation.outputs[0] == 1) continue;
      const Shape shape{13, 37};
      const std::vector<Bits> data = sample_inputs(activation, dtype, 13 * 37);
      const Bits expected = run_contiguous(activation, dtype, shape, dim, data);
      for_each_target([&](int64_t) {
        for (size_t a = 0; a < layouts.size(); ++a) {
          for (size_t b = 0; b < layouts.size(); ++b) {
            SCOPED_TRACE("layouts " + std::to_string(a) + " and " + std::to_string(b));
            const BitRun run(activation, dtype, shape, dim, data,
                             {layouts[a], layouts[(a + b) % layouts.size()], layouts[a]},
                             layouts[b]);
            ASSERT_EQ(run.run(stream()), 0) << recent_message();
            ASSERT_TRUE(same_bits(run.results(), expected));
            EXPECT_TRUE(run.left_the_rest_alone());
          }
        }
      });
    }
  });
}

// Rows or columns that are one and the same memory: few, so many that not all are worked on at
// once, and short ones.
TEST_F(ActivationLayouts, Broadcast) {
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    for (const Shape& shape : {Shape{11, 70}, Shape{500, 70}, Shape{701, 6}}) {
      for (const bool rows : {true, false}) {
        const auto columns = static_cast<size_t>(shape[1]);
        std::vector<Bits> data =
            sample_inputs(activation, dtype, static_cast<size_t>(shape[0] * shape[1]));
        for (size_t k = 0; k < data.size(); ++k) {
          // Halves lie along the dimension that is not repeated.
          const size_t width = columns * static_cast<size_t>(rows ? activation.inputs[k] : 1);
          for (size_t i = 0; i < data[k].size(); ++i) {
            data[k][i] = data[k][rows ? i % width : i - i % width];
          }
        }
        const int64_t dim = rows ? 1 : 0;
        const Bits expected = run_contiguous(activation, dtype, shape, dim, data);
        const LayoutOf repeated = [&](const Shape& wide) {
          return rows ? Array::Layout{.strides = {0, 1}, .storage = wide[1]}
                      : Array::Layout{.strides = {1, 0}, .storage = wide[0]};
        };
        for (const std::vector<LayoutOf>& layouts :
             {std::vector<LayoutOf>{repeated}, std::vector<LayoutOf>{contiguous, repeated},
              std::vector<LayoutOf>{repeated, contiguous}}) {
          const BitRun run(activation, dtype, shape, dim, data, layouts, contiguous);
          ASSERT_EQ(run.run(stream()), 0) << recent_message();
          EXPECT_TRUE(same_bits(run.results(), expected)) << shape[0] << " rows";
        }
      }
    }
  });
}

TEST_F(ActivationLayouts, InPlace) {
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    if (!activation.in_place) return;
    const std::vector<Bits> data = sample_inputs(activation, dtype, 9 * 111);
    const Bits expected = run_contiguous(activation, dtype, {9, 111}, 0, data);
    for (const LayoutOf& layout :
         {LayoutOf(contiguous), inner_stride(2, 3), LayoutOf(transposed)}) {
      BitRun run(activation, dtype, {9, 111}, 0, data, {layout}, contiguous);
      run.in_place();
      ASSERT_EQ(run.run(stream()), 0) << recent_message();
      EXPECT_TRUE(same_bits(run.results(), expected));
    }
  });
}

TEST_F(ActivationLayouts, NumbersOfThreads) {
  const Shape shape{151, 263};
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    const std::vector<Bits> data = sample_inputs(activation, dtype, 151 * 263);
    const Bits expected = run_contiguous(activation, dtype, shape, 0, data);
    for (const LayoutOf& layout : {LayoutOf(contiguous), LayoutOf(transposed)}) {
      const BitRun run(activation, dtype, shape, 0, data, {layout}, layout);
      for (const int threads : {1, 2, 5}) {
        aclgradSetNumThreads(threads);
        ASSERT_EQ(run.run(stream()), 0) << recent_message();
        EXPECT_TRUE(same_bits(run.results(), expected)) << threads << " threads";
      }
    }
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
    const Bits expected = run_contiguous(activation, dtype, {1, kPeriod}, 0, data);
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
