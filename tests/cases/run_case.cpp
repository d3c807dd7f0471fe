// SPDX-License-Identifier: Apache-2.0
#include <array>
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

Tensor make_tensor(const TensorSpec& spec, aclDataType dtype, LayoutKind layout) {
  Tensor::Layout placed = testing::make_layout(spec.shape, layout);
  placed.format = contract::format_of(spec.shape.size());
  Tensor tensor(spec.dtype.value_or(dtype), spec.shape, placed);
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

long double untouched(aclDataType dtype) {
  std::array<unsigned char, 16> bytes;
  bytes.fill(kSentinel);
  return contract::load(bytes.data(), dtype, 0);
}

std::string to_string(const Layouts& layouts) {
  std::string text;
  for (const LayoutKind each : layouts) text += (text.empty() ? "" : ", ") + to_string(each);
  return text;
}

Layouts layouts_of(const Row& row, LayoutKind inputs, LayoutKind outputs) {
  Layouts all;
  for (const Parameter* each : inputs_of(row.arguments())) {
    // What is written, or has elements of its own, does not hold one in several places.
    const bool is_possible =
        !testing::repeats_elements(inputs) ||
        (each->tensor()->role != contract::Role::kInPlace && each->tensor()->elements.empty());
    all.push_back(is_possible ? inputs : LayoutKind::kGaps);
  }
  all.push_back(outputs);
  return all;
}

std::string test_name(const ::testing::TestParamInfo<const Row*>& row) {
  std::string name = std::to_string(row.index) + "_" + row.param->name();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

std::vector<const Row*> cases_of(const std::vector<Row>& table,
                                 const std::function<bool(const Row&)>& chosen) {
  std::vector<const Row*> cases;
  for (const Row& each : table) {
    if (!chosen || chosen(each)) cases.push_back(&each);
  }
  return cases;
}

Arguments in_double(Arguments call) {
  for (Parameter& each : call.parameters()) {
    auto* tensor = std::get_if<TensorSpec>(&each.spec);
    if (tensor != nullptr && tensor->dtype == ACL_FLOAT) tensor->dtype.reset();
  }
  return call;
}

int64_t large_size(const Row& row) {
  constexpr int64_t kEnough = 40'000;
  const auto elements = [&](int64_t size) {
    int64_t most = 0;
    const Arguments call = row.of_size(size);
    for (const size_t place : places_of_tensors(call)) {
      most = std::max(most, count_of(call.parameters()[place].tensor()->shape));
    }
    return most;
  };
  int64_t size = kTestSize;
  while (elements(size) < kEnough && elements(2 * size) > elements(size)) size *= 2;
  return size;
}

Arrays draw_inputs(const Arguments& call, aclDataType dtype, uint64_t seed) {
  std::mt19937_64 generator(seed);
  Arrays drawn;
  for (const Parameter* input : inputs_of(call)) {
    const TensorSpec& spec = *input->tensor();
    Array array{spec.shape, {}};
    const aclDataType own = spec.dtype.value_or(dtype);
    const bool is_unsigned = is_whole(own) && rounded(-1, own) == 0;
    array.values.reserve(static_cast<size_t>(count_of(array.shape)));
    for (int64_t i = 0; i < count_of(array.shape); ++i) {
      const auto unit = static_cast<long double>(generator() >> 11) * 0x1p-53L;
      const long double value = spec.drawn(static_cast<size_t>(i), unit);
      array.values.push_back(is_unsigned     ? rounded(std::round(std::abs(value)), own)
                             : is_whole(own) ? rounded(std::round(value), own)
                                             : value);
    }
    drawn.push_back(std::move(array));
  }
  return drawn;
}

RunResult run_case(const Row& row, const Arguments& call, aclDataType dtype, const Layouts& layouts,
                   aclrtStream stream, uint64_t seed, const Arrays* given) {
  const Arrays own = given != nullptr ? Arrays{} : draw_inputs(call, dtype, seed);
  const Arrays& drawn = given != nullptr ? *given : own;
  std::deque<Tensor> tensors;
  std::vector<aclTensor*> handles;
  std::vector<const Tensor*> outputs;
  const auto add = [&](const Parameter* parameter) -> Tensor& {
    const LayoutKind layout = layouts[std::min(handles.size(), layouts.size() - 1)];
    Tensor& tensor = tensors.emplace_back(make_tensor(*parameter->tensor(), dtype, layout));
    handles.push_back(tensor.tensor());
    if (parameter->tensor()->role != contract::Role::kInput) outputs.push_back(&tensor);
    return tensor;
  };
  RunResult result;
  for (const Parameter* input : inputs_of(call)) {
    Tensor& tensor = add(input);
    tensor.fill(drawn[result.inputs.size()].values);
    result.inputs.push_back(read(tensor));
  }
  for (const Parameter* output : outputs_of(call)) add(output);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(row.phase_one()(handles, &workspace_size, &executor), 0)
      << aclgrad::testing::recent_message();
  if (executor == nullptr) return result;
  std::vector<std::vector<unsigned char>> before;
  for (size_t i = 0; i < result.inputs.size(); ++i) before.push_back(bytes_of(tensors[i]));
  aclgrad::testing::Buffer workspace(workspace_size);
  EXPECT_EQ(row.phase_two()(workspace.data(), workspace_size, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0) << aclgrad::testing::recent_message();
  for (const Tensor* output : outputs) {
    result.outputs.push_back(read(*output));
    const std::vector<unsigned char> bytes = bytes_of(*output);
    result.untouched.push_back(
        std::ranges::all_of(bytes, [](unsigned char byte) { return byte == kSentinel; }));
    result.wrote_outside |= !sentinels_stand(*output);
  }
  for (size_t i = 0; i < before.size(); ++i) {
    const bool is_output = std::ranges::count(outputs, &tensors[i]) > 0;
    result.wrote_outside |= !is_output && bytes_of(tensors[i]) != before[i];
  }
  return result;
}

RunResult run_case(const Row& row, aclDataType dtype, const Layouts& layouts, aclrtStream stream,
                   uint64_t seed, const Arrays* inputs, int64_t size) {
  return run_case(row, row.of_size(size), dtype, layouts, stream, seed, inputs);
}

}  // namespace aclgrad::cases
