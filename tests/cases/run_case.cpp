// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <numeric>
#include <random>

#include "aclgrad_contract/numbers.h"
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

using contract::is_whole;
using contract::rounded;

constexpr unsigned char kSentinel = 0xA5;

using Tensor = aclgrad::testing::Array;

Tensor::Layout place(const std::vector<int64_t>& shape, Layout layout) {
  Tensor::Layout placed;
  placed.format = contract::format_of(shape.size());
  placed.strides.assign(shape.size(), 1);
  std::vector<size_t> order(shape.size());  // dimensions from the fastest to the slowest
  std::iota(order.begin(), order.end(), size_t{0});
  if (layout != Layout::kTransposed) std::reverse(order.begin(), order.end());
  int64_t stride = layout == Layout::kStrided ? 2 : 1;
  for (size_t dimension : order) {
    placed.strides[dimension] = stride;
    stride *= shape[dimension];
  }
  placed.offset = layout == Layout::kOffset ? 5 : 0;
  placed.storage = placed.offset + stride;
  return placed;
}

Tensor make_tensor(const Slot& slot, aclDataType dtype, Layout layout, int64_t size) {
  const std::vector<int64_t> shape = resolve(slot.shape, size);
  Tensor tensor(slot.dtype.value_or(dtype), shape, place(shape, layout));
  std::memset(tensor.data(), kSentinel, tensor.memory().bytes());
  return tensor;
}

// Whether bytes that belong to no element still hold the sentinel.
bool sentinels_stand(const Tensor& tensor) {
  const size_t size = aclDataTypeSize(tensor.dtype());
  std::vector<bool> covered(tensor.memory().bytes());
  for (int64_t i = 0; i < tensor.count(); ++i) {
    std::fill_n(covered.begin() + static_cast<ptrdiff_t>(tensor.place(i) * size), size, true);
  }
  const auto* bytes = static_cast<const unsigned char*>(tensor.data());
  for (size_t i = 0; i < covered.size(); ++i) {
    if (!covered[i] && bytes[i] != kSentinel) return false;
  }
  return true;
}

Array read(const Tensor& tensor) { return {tensor.shape(), tensor.values()}; }

}  // namespace

const char* layout_name(Layout layout) {
  constexpr const char* kNames[] = {"contiguous", "transposed", "strided", "offset"};
  return kNames[static_cast<size_t>(layout)];
}

std::string test_name(const ::testing::TestParamInfo<size_t>& row) {
  std::string name = std::to_string(row.param) + "_" + all_cases()[row.param].name();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

Arrays draw_inputs(const Case& row, aclDataType dtype, uint64_t seed, int64_t size) {
  std::mt19937_64 generator(seed);
  Arrays drawn;
  for (const Slot& slot : row.inputs) {
    Array array{resolve(slot.shape, size), {}};
    for (int64_t i = 0; i < count_of(array.shape); ++i) {
      const auto unit = static_cast<long double>(generator() >> 11) * 0x1p-53L;
      const long double value = slot.low + (slot.high - slot.low) * unit;
      const aclDataType own = slot.dtype.value_or(dtype);
      const bool is_unsigned = is_whole(own) && rounded(-1, own) == 0;
      array.values.push_back(is_unsigned     ? rounded(std::round(std::abs(value)), own)
                             : is_whole(own) ? rounded(std::round(value), own)
                                             : value);
    }
    drawn.push_back(std::move(array));
  }
  return drawn;
}

RunResult run_case(const Case& row, aclDataType dtype, Layout layout, aclrtStream stream,
                   uint64_t seed, const Arrays* given, int64_t size) {
  const Arrays drawn = given != nullptr ? *given : draw_inputs(row, dtype, seed, size);
  std::vector<Tensor> inputs;
  std::vector<aclTensor*> handles;
  RunResult result;
  result.size = size;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    inputs.push_back(make_tensor(row.inputs[i], dtype, layout, size));
    inputs.back().fill(drawn[i].values);
    handles.push_back(inputs.back().tensor());
    result.inputs.push_back(read(inputs.back()));
  }
  std::deque<Tensor> own_outputs;
  std::vector<const Tensor*> outputs;
  for (const Slot& slot : row.outputs) {
    if (slot.aliases) {
      outputs.push_back(&inputs[*slot.aliases]);
    } else {
      outputs.push_back(&own_outputs.emplace_back(make_tensor(slot, dtype, layout, size)));
      handles.push_back(outputs.back()->tensor());
    }
  }

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(row.phase_one(handles, &workspace_size, &executor), 0)
      << aclgrad::testing::recent_message();
  if (executor == nullptr) return result;
  aclgrad::testing::Buffer workspace(workspace_size);
  EXPECT_EQ(row.phase_two(workspace.data(), workspace_size, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << aclgrad::testing::recent_message();
  for (const Tensor* output : outputs) {
    result.outputs.push_back(read(*output));
    const auto* bytes = static_cast<const unsigned char*>(output->data());
    result.untouched.push_back(std::all_of(bytes, bytes + output->memory().bytes(),
                                           [](unsigned char byte) { return byte == kSentinel; }));
    result.wrote_outside |= !sentinels_stand(*output);
  }
  return result;
}

}  // namespace aclgrad::cases
