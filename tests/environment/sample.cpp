// SPDX-License-Identifier: Apache-2.0
#include "tests/environment/sample.h"

namespace aclgrad::test {
namespace {

bool is_floating(aclDataType dtype) {
  return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

// What makes a number of ordinary size subnormal.
long double subnormal_scale(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return 0x1p-19L;
  return dtype == ACL_DOUBLE ? 0x1p-1040L : 0x1p-132L;
}

// Contiguous, in the format of its rank.
testing::Array::Layout layout_of(const std::vector<int64_t>& shape) {
  return {{}, 0, -1, contract::format_of(shape.size())};
}

}  // namespace

PreparedRow::PreparedRow(const cases::Row& row, aclDataType dtype, int64_t size) : row_(row) {
  const contract::Arguments call = row.of_size(size);
  cases::Arrays drawn = cases::draw_inputs(call, dtype, /*seed=*/1);
  const std::vector<const contract::Parameter*> inputs = inputs_of(call);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const aclDataType own = inputs[i]->tensor()->dtype.value_or(dtype);
    std::vector<long double>& values = drawn[i].values;
    for (size_t k = 3; is_floating(own) && k < values.size(); k += 5) {
      values[k] *= subnormal_scale(own);
    }
    tensors_.emplace_back(own, drawn[i].shape, layout_of(drawn[i].shape), values);
    handles_.push_back(tensors_.back().tensor());
  }
  for (const contract::Parameter* output : outputs_of(call)) {
    const contract::TensorSpec& spec = *output->tensor();
    tensors_.emplace_back(spec.dtype.value_or(dtype), spec.shape, layout_of(spec.shape));
    handles_.push_back(tensors_.back().tensor());
  }
  for (const testing::Array& tensor : tensors_) before_.push_back(bytes_of(tensor));
}

std::vector<Bytes> PreparedRow::run(aclrtStream stream, const FloatMode* mode) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    std::copy(before_[i].begin(), before_[i].end(),
              static_cast<unsigned char*>(tensors_[i].data()));
  }
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  aclnnStatus phase_one = 0;
  aclnnStatus phase_two = 0;
  aclError waited = 0;
  uint64_t state_before = 0;
  uint64_t state_after = 0;
  {
    const InFloatMode in_mode(mode);
    state_before = float_state();
    phase_one = row_.phase_one()(handles_, &workspace_size, &executor);
    if (phase_one == 0) {
      const testing::Buffer workspace(workspace_size);
      phase_two = row_.phase_two()(workspace.data(), workspace_size, executor, stream);
      waited = aclrtSynchronizeStream(stream);
    }
    state_after = float_state();
  }
  EXPECT_EQ(phase_one, 0) << testing::recent_message();
  EXPECT_EQ(phase_two, 0) << testing::recent_message();
  EXPECT_EQ(waited, 0) << testing::recent_message();
  // In the default environment, functions may raise exceptions as any of the C library may.
  EXPECT_TRUE(mode == nullptr || state_before == state_after) << "the caller's environment changed";
  std::vector<Bytes> after;
  for (const testing::Array& tensor : tensors_) after.push_back(bytes_of(tensor));
  return after;
}

std::vector<aclDataType> floating_dtypes(const cases::Row& row) {
  std::vector<aclDataType> found;
  std::ranges::copy_if(row.dtypes(), std::back_inserter(found), is_floating);
  return found;
}

std::vector<const cases::Row*> a_row_of_each_operator() {
  std::vector<const cases::Row*> rows;
  for (const cases::Row& row : cases::all_cases()) {
    if (rows.empty() || rows.back()->api() != row.api()) rows.push_back(&row);
  }
  return rows;
}

}  // namespace aclgrad::test
