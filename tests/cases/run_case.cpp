// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <random>

#include "aclgrad_contract/numbers.h"
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

using contract::is_whole;
using contract::rounded;

constexpr unsigned char kSentinel = 0xA5;

using Tensor = aclgrad::testing::Array;

Tensor make_tensor(const Slot& slot, aclDataType dtype, LayoutKind layout, int64_t size) {
  const std::vector<int64_t> shape = resolve(slot.shape, size);
  Tensor::Layout placed = testing::make_layout(shape, layout);
  placed.format = contract::format_of(shape.size());
  Tensor tensor(slot.dtype.value_or(dtype), shape, placed);
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
  const std::vector<unsigned char> bytes = bytes_of(tensor);
  for (size_t i = 0; i < covered.size(); ++i) {
    if (!covered[i] && bytes[i] != kSentinel) return false;
  }
  return true;
}

Array read(const Tensor& tensor) { return {tensor.shape(), tensor.values()}; }

}  // namespace

std::string to_string(const Layouts& layouts) {
  std::string text;
  for (const LayoutKind each : layouts) text += (text.empty() ? "" : ", ") + to_string(each);
  return text;
}

Layouts layouts_of(const Case& row, LayoutKind inputs, LayoutKind outputs) {
  Layouts all(row.inputs.size(), inputs);
  for (const Slot& each : row.outputs) {
    if (each.aliases && testing::repeats_elements(inputs)) all[*each.aliases] = LayoutKind::kGaps;
  }
  all.push_back(outputs);
  return all;
}

std::string test_name(const ::testing::TestParamInfo<const Case*>& row) {
  std::string name = std::to_string(row.index) + "_" + row.param->name();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

std::vector<const Case*> cases_of(const std::vector<Case>& table,
                                  const std::function<bool(const Case&)>& chosen) {
  std::vector<const Case*> cases;
  for (const Case& each : table) {
    if (!chosen || chosen(each)) cases.push_back(&each);
  }
  return cases;
}

Case in_double(Case row) {
  for (std::vector<Slot>* slots : {&row.inputs, &row.outputs}) {
    for (Slot& slot : *slots) {
      if (slot.dtype == ACL_FLOAT) slot.dtype.reset();
    }
  }
  return row;
}

int64_t large_size(const Case& row) {
  constexpr int64_t kEnough = 40'000;
  const auto elements = [&](int64_t size) {
    int64_t most = 0;
    for (const Slot& each : row.inputs) most = std::max(most, count_of(resolve(each.shape, size)));
    for (const Slot& each : row.outputs) most = std::max(most, count_of(resolve(each.shape, size)));
    return most;
  };
  int64_t size = kTestSize;
  while (elements(size) < kEnough && elements(2 * size) > elements(size)) size *= 2;
  return size;
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

RunResult run_case(const Case& row, aclDataType dtype, const Layouts& layouts, aclrtStream stream,
                   uint64_t seed, const Arrays* given, int64_t size) {
  const Arrays drawn = given != nullptr ? *given : draw_inputs(row, dtype, seed, size);
  std::vector<Tensor> inputs;
  std::vector<aclTensor*> handles;
  const auto layout_of = [&](size_t tensor) {
    return layouts[std::min(tensor, layouts.size() - 1)];
  };
  RunResult result;
  result.size = size;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    inputs.push_back(make_tensor(row.inputs[i], dtype, layout_of(handles.size()), size));
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
      outputs.push_back(
          &own_outputs.emplace_back(make_tensor(slot, dtype, layout_of(handles.size()), size)));
      handles.push_back(outputs.back()->tensor());
    }
  }

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(row.phase_one(handles, &workspace_size, &executor), 0)
      << aclgrad::testing::recent_message();
  if (executor == nullptr) return result;
  std::vector<std::vector<unsigned char>> before;
  for (const Tensor& each : inputs) before.push_back(bytes_of(each));
  aclgrad::testing::Buffer workspace(workspace_size);
  EXPECT_EQ(row.phase_two(workspace.data(), workspace_size, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << aclgrad::testing::recent_message();
  for (const Tensor* output : outputs) {
    result.outputs.push_back(read(*output));
    const std::vector<unsigned char> bytes = bytes_of(*output);
    result.untouched.push_back(
        std::ranges::all_of(bytes, [](unsigned char byte) { return byte == kSentinel; }));
    result.wrote_outside |= !sentinels_stand(*output);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_output = std::ranges::count(outputs, &inputs[i]) > 0;
    result.wrote_outside |= !is_output && bytes_of(inputs[i]) != before[i];
  }
  return result;
}

}  // namespace aclgrad::cases
