// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace aclgrad::detail {
namespace {

std::size_t hash_of(const TensorSpec& spec, const std::vector<std::int64_t>& strides) {
  std::uint64_t hash = static_cast<std::uint64_t>(spec.dtype);
  auto mix = [&hash](std::int64_t number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  for (const std::int64_t dim : spec.shape.dims()) mix(dim);
  for (const std::int64_t stride : strides) mix(stride);
  return static_cast<std::size_t>(hash);
}

// Axes with one element never step, and where there is one element at most there is no order.
bool is_dense(const Shape& shape, const std::vector<std::int64_t>& strides) {
  if (shape.numel() < 2) return true;
  std::int64_t dense = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const std::int64_t dim = shape.dims()[axis];
    if (dim != 1 && strides[axis] != dense) return false;
    dense *= dim;
  }
  return true;
}

}  // namespace

const Layout* LayoutTable::find(TensorSpec spec, std::vector<std::int64_t> strides) {
  auto matches = [&](const Layout* layout) {
    return layout->spec.dtype == spec.dtype && layout->spec.shape == spec.shape &&
           layout->strides == strides;
  };
  if (latest_ != nullptr && matches(latest_)) return latest_;
  const std::size_t hash = hash_of(spec, strides);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (matches(entry->second)) return latest_ = entry->second;
  }
  const bool contiguous = is_dense(spec.shape, strides);
  latest_ = &layouts_.emplace_back(Layout{std::move(spec), std::move(strides), contiguous});
  by_hash_.emplace(hash, latest_);
  return latest_;
}

const Layout* LayoutTable::find_dense(TensorSpec spec) {
  std::vector<std::int64_t> strides = spec.shape.strides();
  return find(std::move(spec), std::move(strides));
}

std::span<ValueId> IdLists::make(std::size_t count) {
  if (count > free_.size()) {
    const std::size_t size = std::max(kChunk, count);
    chunks_.push_back(std::make_unique<ValueId[]>(size));
    free_ = {chunks_.back().get(), size};
  }
  const std::span<ValueId> list = free_.first(count);
  free_ = free_.subspan(count);
  return list;
}

const std::string& GraphData::name(ValueId id) const {
  static const std::string kNone;
  const auto found = names.find(id);
  return found == names.end() ? kNone : found->second;
}

std::string GraphData::description(ValueId id) const {
  const std::string& given = name(id);
  return given.empty() ? fmt::format("value {}", id) : fmt::format("`{}`", given);
}

const Variable* GraphData::storage_variable(ValueId root) const {
  if (!storages.contains(root)) return nullptr;
  return &static_cast<const VariableOp&>(*node(value(root).node).op).variable;
}

bool GraphData::is_whole(ValueId id) const {
  const ValueRecord& record = value(id);
  return record.offset == 0 && record.layout->contiguous &&
         record.layout->spec.shape.numel() == value(record.root).layout->spec.shape.numel();
}

}  // namespace aclgrad::detail
