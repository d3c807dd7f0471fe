// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/storage.h"

#include <fmt/format.h>

#include "aclgrad_ext.h"
#include "ops/meta/hooks.h"
#include "ops/meta/objects.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

// Smallest and largest position a view reaches, in elements from the base. False when 64 bits
// cannot hold them.
bool footprint(const aclTensor& tensor, int64_t& low, int64_t& high) {
  low = high = tensor.offset;
  for (size_t i = 0; i < tensor.view_shape.size(); ++i) {
    int64_t span = 0;
    if (__builtin_mul_overflow(tensor.view_shape[i] - 1, tensor.view_strides[i], &span))
      return false;
    int64_t& end = span < 0 ? low : high;
    if (__builtin_add_overflow(end, span, &end)) return false;
  }
  return true;
}

// The storage's number of elements; false when 64 bits cannot hold it or its bytes.
bool has_storage(const aclTensor& tensor, int64_t element_size, int64_t& elements) {
  int64_t bytes = 0;
  return count_fits(tensor.storage_shape, elements) &&
         !__builtin_mul_overflow(elements, element_size, &bytes);
}

// Whether the view lies in its storage, and then, how many bytes from its address on it reaches.
bool fits_storage(const aclTensor& tensor, size_t& reached) {
  reached = 0;
  int64_t elements = 0, storage = 0, low = 0, high = 0;
  if (!count_fits(tensor.view_shape, elements)) return false;
  if (elements == 0) return true;
  const auto size = static_cast<int64_t>(aclDataTypeSize(tensor.dtype));
  if (!has_storage(tensor, size, storage) || !footprint(tensor, low, high) || low < 0 ||
      high >= storage) {
    return false;
  }
  reached = static_cast<size_t>(bytes_of(tensor.dtype, high + 1));
  return true;
}

// "Invalid output tensor out: the view of size [2] with strides [1] and offset 0"
std::string view_text(const Arguments& arguments, size_t i) {
  const aclTensor& tensor = arguments.tensor(i);
  return fmt::format("Invalid {} tensor {}: the view of size {} with strides {} and offset {}",
                     arguments.role(i) == Role::kInput ? "input" : "output", arguments.name(i),
                     to_string(tensor.view_shape), to_string(tensor.view_strides), tensor.offset);
}

// Whether the vendor uses the tensor as it lies in memory, and does not look whether it is there.
bool is_used_as_it_is(const Arguments& arguments, size_t i) {
  const aclTensor& tensor = arguments.tensor(i);
  return is_contiguous(tensor) || (arguments.may_be_transposed(i) && is_transposed(tensor));
}

CheckResult leaves_storage(const Arguments& arguments, size_t i) {
  const aclTensor& tensor = arguments.tensor(i);
  const bool is_copied = arguments.role(i) == Role::kInput && !is_used_as_it_is(arguments, i);
  return {is_copied ? kInnerNullPointer : kInvalidParameter,
          fmt::format("ViewShape overlap. {} leaves its storage of size {}, expected every element "
                      "inside.",
                      view_text(arguments, i), to_string(tensor.storage_shape)),
          "The storageDims given to aclCreateTensor are too small for the view, or sizes overflow "
          "64 bits."};
}

CheckResult leaves_allocation(const Arguments& arguments, size_t i, size_t reached, size_t there) {
  return {kInvalidParameter,
          fmt::format("{} reaches {} bytes from its address, expected at most the {} that its "
                      "allocation has there.",
                      view_text(arguments, i), reached, there),
          "The memory is smaller than the storageDims given to aclCreateTensor, or the address is "
          "not where the storage begins."};
}

}  // namespace

bool fits_storage(const aclTensor& tensor) {
  size_t reached = 0;
  return fits_storage(tensor, reached);
}

bool fits_allocation(const aclTensor& tensor) {
  const auto size = static_cast<int64_t>(aclDataTypeSize(tensor.dtype));
  const auto base = reinterpret_cast<intptr_t>(tensor.data);
  int64_t elements = 0, storage = 0, low = 0, high = 0, bytes = 0;
  if (!count_fits(tensor.view_shape, elements) || elements == 0 ||
      !has_storage(tensor, size, storage) || !footprint(tensor, low, high) ||
      __builtin_add_overflow(high, 1, &high) || __builtin_mul_overflow(low, size, &bytes) ||
      __builtin_mul_overflow(high, size, &bytes)) {
    return false;
  }
  intptr_t first = 0, end = 0;
  if (__builtin_add_overflow(base, bytes_of(tensor.dtype, low), &first) ||
      __builtin_add_overflow(base, bytes_of(tensor.dtype, high), &end)) {
    return false;
  }
  return static_cast<size_t>(end - first) <=
         aclgradAllocationBytes(reinterpret_cast<const void*>(first));
}

CheckResult check_storage(const Arguments& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments.role(i) == Role::kAttribute || arguments[i].tensor() == nullptr) continue;
    const aclTensor& tensor = arguments.tensor(i);
    size_t reached = 0;
    if (!fits_storage(tensor, reached)) {
      const bool strict = hooks() != nullptr && hooks()->is_strict();
      if (!strict && is_used_as_it_is(arguments, i) && fits_allocation(tensor)) continue;
      return leaves_storage(arguments, i);
    }
    if (reached == 0) continue;
    const size_t there = aclgradAllocationBytes(tensor.data);
    if (there != 0 && reached > there) return leaves_allocation(arguments, i, reached, there);
  }
  return {};
}

}  // namespace aclgrad::ops
