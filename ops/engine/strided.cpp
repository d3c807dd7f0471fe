// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/strided.h"

#include "ops/engine/dtype/formats.h"

namespace aclgrad::ops {

StridedIndex::StridedIndex(const Dims& shape, const Dims& strides)
    : shape_(shape), strides_(strides), count_(count_elements(shape)) {
  collapse_dimensions(shape_, {&strides_});
}

StridedIndex StridedIndex::broadcast(const Dims& shape, const Dims& strides, const Dims& common) {
  Dims spread = Dims::filled(common.size(), 0);
  const size_t lead = common.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) spread[lead + i] = strides[i];
  }
  return {common, spread};
}

std::optional<int64_t> StridedIndex::row_distance(int64_t length) const {
  if (dense()) return length;
  const bool is_rows = shape_.size() == 2 && inner_stride() == 1 && inner_extent() == length;
  return is_rows ? std::optional(strides_[0]) : std::nullopt;
}

int64_t StridedIndex::offset(int64_t index) const {
  int64_t result = 0;
  for (size_t i = shape_.size(); i-- > 0;) {
    result += index % shape_[i] * strides_[i];
    index /= shape_[i];
  }
  return result;
}

const void* element(const void* base, aclDataType dtype, int64_t offset) {
  return static_cast<const char*>(base) + offset * static_cast<int64_t>(element_size(dtype));
}

void* element(void* base, aclDataType dtype, int64_t offset) {
  return static_cast<char*>(base) + offset * static_cast<int64_t>(element_size(dtype));
}

}  // namespace aclgrad::ops
