// SPDX-License-Identifier: Apache-2.0
// The formats as gradcheck knows them, and the memory that it watches.
#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/gradcheck/memory.h"

namespace aclgrad::gradcheck {
namespace {

TEST(Memory, NumbersThatRepeatHaveStride0) {
  const Array rows{{2, 3}, {1, 2, 3, 1, 2, 3}};
  const Guarded memory(DType::float32, rows, Layout::broadcast, 0xA5);
  EXPECT_EQ(memory.view().strides, (Dims{0, 1}));
  EXPECT_EQ(memory.view().storage, 3);
  EXPECT_EQ(memory.read().values, rows.values);
  EXPECT_EQ(memory.changed_outside(), 0u);
  const Guarded output(DType::float32, {2, 3}, Layout::broadcast, 0xA5);
  EXPECT_EQ(output.view().strides, (Dims{3, 1}));
}

TEST(Numbers, EveryPatternOf16BitsSurvives) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      std::byte in[2] = {std::byte(bits & 0xff), std::byte(bits >> 8)};
      const Number value = load(in, dtype, 0);
      if (std::isnan(value)) continue;
      std::byte out[2];
      store(out, dtype, 0, value);
      ASSERT_TRUE(out[0] == in[0] && out[1] == in[1]) << bits;
    }
  }
}

TEST(Numbers, RoundToNearestEven) {
  EXPECT_EQ(round_to(2049, DType::float16), 2048);
  EXPECT_EQ(round_to(2051, DType::float16), 2052);
  EXPECT_EQ(round_to(65520, DType::float16), INFINITY);
  EXPECT_EQ(round_to(65519, DType::float16), 65504);
  EXPECT_EQ(round_to(0x1p-25L, DType::float16), 0);
  EXPECT_EQ(round_to(0x1.8p-25L, DType::float16), 0x1p-24L);
  EXPECT_EQ(round_to(257, DType::bfloat16), 256);
  EXPECT_EQ(round_to(1 + 0x1p-24L, DType::float32), 1);
  EXPECT_EQ(round_to(300, DType::int8), 127);
  EXPECT_EQ(round_to(-1.9L, DType::int32), -1);
  EXPECT_EQ(ulp(1, DType::float16), 0x1p-10L);
  EXPECT_EQ(ulp(0, DType::float32), 0x1p-149L);
  EXPECT_EQ(next_above(1, DType::float16), 1 + 0x1p-10L);
  EXPECT_EQ(next_above(-1, DType::float16), -1 + 0x1p-11L);
}

TEST(Numbers, NamesOfDtypes) {
  EXPECT_EQ(dtype_from_text("bf16"), DType::bfloat16);
  EXPECT_EQ(dtype_from_text("FLOAT16"), DType::float16);
  EXPECT_EQ(dtype_from_text("float"), DType::float32);
  EXPECT_THROW(dtype_from_text("quarter"), DTypeError);
}

TEST(Memory, ChangesOutsideAreFound) {
  for (const Layout layout : kLayouts) {
    const Guarded memory(DType::float16, {3, 2}, layout, 0xA5);
    memory.fill({1, 2, 3, 4, 5, 6});
    EXPECT_EQ(memory.changed_outside(), 0u) << to_string(layout);
    EXPECT_EQ(memory.read().values, (std::vector<Number>{1, 2, 3, 4, 5, 6}));
    const View view = memory.view();
    store(view.data, view.dtype, view.storage, 0);
    std::string where;
    EXPECT_EQ(memory.changed_outside(&where), 2u);
    EXPECT_EQ(where, "1 bytes after its end");
  }
  const Guarded strided(DType::float32, {2}, Layout::strided, 0xA5);
  store(strided.view().data, DType::float32, 1, 0);
  EXPECT_EQ(strided.changed_outside(), 4u);
  EXPECT_EQ(layout_from_text("offset"), Layout::offset);
  EXPECT_THROW(layout_from_text("round"), ValueError);
}

}  // namespace
}  // namespace aclgrad::gradcheck
