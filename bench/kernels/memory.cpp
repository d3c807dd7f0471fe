// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "acl/acl_rt.h"
#include "aclgrad_common/float16.h"
#include "bench/prepared.h"

namespace aclgrad::bench {
namespace {

// So many different values, then the same again: too many for a branch predictor to learn, few
// enough to be made quickly.
constexpr size_t kDistinct = 999'983;

// Inputs have the first blocks, outputs those behind them.
constexpr size_t kInputs = 8;

// The largest, the smallest normal and the smallest number of a dtype, as powers of two; what is
// tiny in the wider two is only so small that squares of it are still normal.
struct Range {
  float huge, tiny, subnormal;
};

Range range_of(aclDataType dtype) {
  return dtype == ACL_FLOAT16 ? Range{15, -14, -24}
                              : Range{127, -100, dtype == ACL_FLOAT ? -149.0f : -133.0f};
}

// Of either sign, with an exponent drawn from [low, high).
float of_magnitude(float low, float high, std::mt19937& engine) {
  const float magnitude = std::exp2(std::uniform_real_distribution<float>(low, high)(engine));
  return engine() % 2 == 0 ? magnitude : -magnitude;
}

float drawn(Data data, aclDataType dtype, std::mt19937& engine) {
  const auto normal = [&](float stddev) {
    return std::normal_distribution<float>(0, stddev)(engine);
  };
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(engine);
  };
  const Range range = range_of(dtype);
  const float smallest_normal = dtype == ACL_FLOAT16 ? -14 : -126;
  switch (data) {
    case Data::wide:
      return uniform(-20, 20);
    case Data::deviation_3:
      return normal(3);
    case Data::deviation_10:
      return normal(10);
    case Data::deviation_100:
      return normal(100);
    case Data::tail:
    case Data::outside:
      return uniform(-40, -3);
    case Data::huge:
      return of_magnitude(10, range.huge, engine);
    case Data::tiny:
      return of_magnitude(range.tiny, range.tiny / 2, engine);
    case Data::subnormal:
      return of_magnitude(range.subnormal, smallest_normal, engine);
    case Data::zero:
      return engine() % 2 == 0 ? 0.0f : -0.0f;
    default:
      return normal(1);
  }
}

float drawn(Fill fill, Data data, aclDataType dtype, std::mt19937& engine) {
  if (fill == Fill::index) return static_cast<float>(engine() % 8);
  if (data == Data::nan && engine() % 100 == 0) return NAN;
  if (data == Data::infinity && engine() % 100 == 0)
    return engine() % 2 == 0 ? INFINITY : -INFINITY;
  if (fill == Fill::gradient) {
    const float x = drawn(Data::normal, dtype, engine);
    if (data == Data::gradient_thousandth) return 1e-3f * x;
    return data == Data::gradient_1e5 ? 1e-5f * x : x;
  }
  const float x = drawn(data, dtype, engine);
  if (fill == Fill::elu && data != Data::outside) return x > 0 ? x : 0.9f * std::expm1(x);
  if (fill == Fill::log_share) return -std::fabs(x) - 1;
  return fill == Fill::positive ? std::fabs(x) + 0.25f : x;
}

template <class T>
void repeat(const std::vector<float>& values, void* to, size_t count, T (*convert)(float)) {
  T* const out = static_cast<T*>(to);
  const size_t distinct = std::min(count, values.size());
  std::transform(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(distinct), out,
                 convert);
  for (size_t done = distinct; done < count; done += distinct) {
    std::memcpy(out + done, out, std::min(distinct, count - done) * sizeof(T));
  }
}

int64_t extent(int64_t symbol, const std::vector<int64_t>& size) {
  if (symbol == kRows) return size[0];
  if (symbol == kColumns) return size[1];
  if (symbol == kHalf) return size[1] / 2;
  return symbol == kInner ? size[2] : symbol;
}

void apply(Layout layout, View& view) {
  const int64_t rows = view.shape[0];
  const int64_t columns = view.shape[1];
  if (layout == Layout::strided) view.strides = {2 * columns, 2};
  if (layout == Layout::transposed) view.strides = {1, rows};
  if (layout == Layout::row_broadcast) view.strides = {0, 1};
}

}  // namespace

Memory::Memory() { require(aclrtSetDevice(0), "aclrtSetDevice"); }

Memory::~Memory() {
  for (const auto& [index, block] : blocks_) aclrtFree(block.allocation);
}

const std::vector<float>& Memory::values(const Contents& contents, size_t count) {
  std::vector<float>& list = values_[contents];
  if (list.size() < std::min(count, kDistinct)) {
    std::mt19937 engine(static_cast<unsigned>(contents.fill) + 1);
    list.resize(std::min(count, kDistinct));
    for (float& value : list) value = drawn(contents.fill, contents.data, contents.dtype, engine);
  }
  return list;
}

Memory::Block& Memory::block(size_t index, size_t bytes) {
  Block& found = blocks_[index];
  if (found.bytes >= bytes) return found;
  if (found.allocation != nullptr) aclrtFree(found.allocation);
  // Tensors that begin at the same place in their pages would evict each other from the caches.
  const size_t offset = index * 17 * 64;
  require(aclrtMalloc(&found.allocation, bytes + offset, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  found = {found.allocation, static_cast<char*>(found.allocation) + offset, bytes};
  std::memset(found.data, 0, bytes);  // has the pages mapped
  return found;
}

void* Memory::output(size_t index, size_t bytes) { return block(kInputs + index, bytes).data; }

void* Memory::input(size_t index, size_t count, const Contents& contents, bool is_written) {
  const aclDataType dtype = contents.dtype;
  Block& block = this->block(index, count * aclDataTypeSize(dtype));
  if (block.contents == contents && block.filled >= count) return block.data;
  block.contents = is_written ? std::nullopt : std::optional(contents);
  block.filled = count;
  const std::vector<float>& from = values(contents, count);
  if (dtype == ACL_FLOAT) repeat<float>(from, block.data, count, [](float x) { return x; });
  if (dtype == ACL_INT64) {
    repeat<int64_t>(from, block.data, count, [](float x) { return static_cast<int64_t>(x); });
  }
  if (aclDataTypeSize(dtype) == 1) {  // BOOL, and the bits of masks
    repeat<uint8_t>(from, block.data, count, [](float x) { return static_cast<uint8_t>(x > 3); });
  }
  if (dtype == ACL_FLOAT16) {
    repeat<uint16_t>(from, block.data, count, [](float x) { return common::to_float16(x); });
  }
  if (dtype == ACL_BF16) {
    repeat<uint16_t>(from, block.data, count, [](float x) { return common::to_bfloat16(x); });
  }
  return block.data;
}

Problem Memory::problem(const Cell& cell) {
  const Operation& operation = *cell.operation;
  Problem problem{.operation = operation.name,
                  .row = operation.row,
                  .inputs = {},
                  .outputs = {},
                  .contiguous = cell.layout == Layout::contiguous,
                  .streams = operation.streams};
  const auto view_of = [&](const Operand& operand) {
    View view{nullptr, operand.dtype.value_or(cell.dtype), operand.shape, {}, operand.unread};
    for (int64_t& size : view.shape) size = extent(size, cell.size);
    view.strides = contiguous_strides(view.shape);
    if (operand.transposed) view.strides = {1, view.shape[0]};
    return view;
  };
  const auto is_written = [&](size_t input) {
    return std::ranges::any_of(operation.outputs,
                               [&](const Operand& out) { return out.aliases == input; });
  };
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    View view = view_of(operation.inputs[i]);
    const bool may_differ = view.shape.size() == 2 && !is_written(i);
    if (may_differ && (cell.layout != Layout::row_broadcast || operation.broadcast == i)) {
      if (cell.layout != Layout::contiguous) apply(cell.layout, view);
    }
    const int64_t spread = cell.layout == Layout::strided ? 2 : 1;
    view.data = input(i, static_cast<size_t>(view.count() * spread),
                      {operation.inputs[i].fill, cell.data, view.dtype}, is_written(i));
    problem.inputs.push_back(std::move(view));
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const Operand& operand = operation.outputs[i];
    View view = view_of(operand);
    view.data = operand.aliases ? problem.inputs[*operand.aliases].data
                                : output(i, static_cast<size_t>(view.bytes()));
    problem.outputs.push_back(std::move(view));
  }
  return problem;
}

}  // namespace aclgrad::bench
