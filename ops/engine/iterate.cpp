// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/iterate.h"

#include "ops/engine/dtype/formats.h"

namespace aclgrad::ops {

void collapse_dimensions(Dims& shape, std::span<Dims* const> strides) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    // Nothing bounds the other extents, nor the strides: they are not to be multiplied.
    shape = {0};
    for (Dims* s : strides) *s = {1};
    return;
  }
  size_t kept = 0;  // dimensions [0, kept) are final, but for joining
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const bool joins = kept > 0 && std::all_of(strides.begin(), strides.end(), [&](const Dims* s) {
                         return (*s)[kept - 1] == (*s)[d] * shape[d];
                       });
    if (joins) {
      shape[kept - 1] *= shape[d];
      for (Dims* s : strides) (*s)[kept - 1] = (*s)[d];
    } else {
      shape[kept] = shape[d];
      for (Dims* s : strides) (*s)[kept] = (*s)[d];
      ++kept;
    }
  }
  if (kept == 0) {
    shape = {1};
    for (Dims* s : strides) *s = {1};
    return;
  }
  shape = Dims(shape.data(), kept);
  for (Dims* s : strides) *s = Dims(s->data(), kept);
}

Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& common) {
  Dims spread = Dims::filled(common.size(), 0);
  const size_t lead = common.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1) spread[lead + d] = strides[d];
  }
  return spread;
}

Dims selected(const Dims& all, const DimSet& set, bool inside) {
  Dims some;
  for (size_t d = 0; d < all.size(); ++d) {
    if (set[d] == inside) some.push_back(all[d]);
  }
  return some;
}

StridedIndex::StridedIndex(const Dims& shape, const Dims& strides)
    : shape_(shape), strides_(strides), count_(count_elements(shape)) {
  Dims* const strides_of_view = &strides_;
  collapse_dimensions(shape_, {&strides_of_view, 1});
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

Elements::Elements(const Arguments& arguments, size_t tensor)
    : parameter(tensor),
      dtype(arguments.dtype(tensor)),
      index(arguments.shape(tensor), arguments.strides(tensor)) {}

Elements::Elements(const Arguments& arguments, size_t tensor, const Dims& common)
    : parameter(tensor),
      dtype(arguments.dtype(tensor)),
      index(common, broadcast_strides(arguments.shape(tensor), arguments.strides(tensor), common)) {
}

Slices::Slices(const Arguments& arguments, size_t tensor, const DimSet& inside) {
  const Dims& shape = arguments.shape(tensor);
  const Dims& strides = arguments.strides(tensor);
  parameter = tensor;
  dtype = arguments.dtype(tensor);
  index = {selected(shape, inside, true), selected(strides, inside, true)};
  starts = {selected(shape, inside, false), selected(strides, inside, false)};
}

}  // namespace aclgrad::ops
