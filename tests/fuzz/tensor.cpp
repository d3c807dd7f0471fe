// SPDX-License-Identifier: Apache-2.0
// Tensors of any dims, strides, offsets, dtypes and formats. Creation checks next to nothing, as
// the contract has it, so what was given must come out again.
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {
namespace {

constexpr uint64_t kMaxDims = 25;  // that a tensor can have

struct Layout {
  std::vector<int64_t> view, storage, strides;
  bool has_strides;
  int64_t offset;
  aclDataType dtype;
  aclFormat format;
  bool null_view, null_storage;
};

std::vector<int64_t> extents(Input& input, size_t count) {
  std::vector<int64_t> values(count);
  for (int64_t& each : values) each = input.extent();
  return values;
}

Layout read_layout(Input& input) {
  Layout layout;
  layout.view = extents(input, input.below(kMaxDims + 3));
  layout.storage = extents(input, input.below(kMaxDims + 3));
  layout.has_strides = !input.once_in(3);
  layout.strides = extents(input, layout.view.size());
  layout.offset = input.extent();
  layout.dtype = static_cast<aclDataType>(input.number<int8_t>());
  layout.format = static_cast<aclFormat>(input.number<int8_t>());
  layout.null_view = input.once_in(16);
  layout.null_storage = input.once_in(16);
  return layout;
}

bool is_accepted(const std::vector<int64_t>& dims, bool is_null) {
  return is_null ? dims.empty() : dims.size() <= kMaxDims;
}

using GetDims = aclnnStatus (*)(const aclTensor*, int64_t**, uint64_t*);

std::vector<int64_t> dims_of(const aclTensor* tensor, GetDims get) {
  int64_t* values = nullptr;
  uint64_t count = 0;
  require(get(tensor, &values, &count) == 0, "dims of a live tensor");
  std::vector<int64_t> dims(values, values + count);
  delete[] values;
  return dims;
}

void check_getters(const aclTensor* tensor, const Layout& layout) {
  require(dims_of(tensor, aclGetViewShape) == layout.view, "the view dims that were given");
  require(dims_of(tensor, aclGetStorageShape) == layout.storage,
          "the storage dims that were given");
  const std::vector<int64_t> strides = dims_of(tensor, aclGetViewStrides);
  require(!layout.has_strides || strides == layout.strides, "the strides that were given");
  require(strides.size() == layout.view.size(), "as many strides as dims");
  int64_t offset = 0;
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  require(aclGetViewOffset(tensor, &offset) == 0 && offset == layout.offset, "the offset");
  require(aclGetDataType(tensor, &dtype) == 0 && dtype == layout.dtype, "the dtype");
  require(aclGetFormat(tensor, &format) == 0 && format == layout.format, "the format");
}

aclTensor* create(const Layout& layout, void* data) {
  return aclCreateTensor(
      layout.null_view ? nullptr : layout.view.data(), layout.view.size(), layout.dtype,
      layout.has_strides ? layout.strides.data() : nullptr, layout.offset, layout.format,
      layout.null_storage ? nullptr : layout.storage.data(), layout.storage.size(), data);
}

}  // namespace

void fuzz_tensor(const uint8_t* data, size_t size) {
  Input input(data, size);
  char memory = 0;
  while (!input.empty()) {
    Layout layout = read_layout(input);
    aclTensor* const tensor = create(layout, &memory);
    const bool expected = is_accepted(layout.view, layout.null_view) &&
                          is_accepted(layout.storage, layout.null_storage);
    require((tensor != nullptr) == expected, "a tensor exactly of dims that can be held");
    if (tensor == nullptr) {
      require_message(1, "aclCreateTensor");
      require(aclDestroyTensor(nullptr) == 0, "destroying null");
      continue;
    }
    check_getters(tensor, layout);

    const Layout next = read_layout(input);
    const aclnnStatus status = aclInitTensor(
        tensor, next.null_view ? nullptr : next.view.data(), next.view.size(), next.dtype,
        next.has_strides && next.view.size() >= layout.view.size() ? next.strides.data() : nullptr,
        next.offset, next.format, next.null_storage ? nullptr : next.storage.data(),
        next.storage.size(), nullptr);
    require(status == 0 || status == 161002, "a documented status of aclInitTensor");
    require_message(status, "aclInitTensor");
    void* address = nullptr;
    require(aclGetRawTensorAddr(tensor, &address) == 0 && address == &memory,
            "the address stays when none is given");
    require(aclDestroyTensor(tensor) == 0, "a live tensor is destroyed");
    require(aclDestroyTensor(tensor) == 161002, "a destroyed tensor is not destroyed again");
    require_message(1, "aclDestroyTensor");
    uint64_t count = 0;
    int64_t* dims = nullptr;
    require(aclGetViewShape(tensor, &dims, &count) == 161002, "a destroyed tensor has no dims");
    require_message(1, "aclGetViewShape");
  }
}

}  // namespace aclgrad::fuzz
