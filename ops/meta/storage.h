// SPDX-License-Identifier: Apache-2.0
// Whether the memory that a program gives holds the elements of its views.
#pragma once

#include "ops/meta/operator.h"

namespace aclgrad::ops {

// What only the layout of the memory decides, of every tensor: all elements must lie in the storage
// that the program says, and, where the address is in an allocation of the runtime's, in that.
//
// The vendor finds the first where it makes a strided input contiguous (561103), and so neither for
// contiguous tensors nor for what a kernel takes transposed, which would then read or write foreign
// memory; here that is a parameter error, unless the memory is there: programs that pass the
// vendor's check run. The memory checks are strict.
CheckResult check_storage(const Arguments& arguments);

// Bytes from an element to the one that so many stand behind it: two of INT4 share one.
inline int64_t bytes_of(aclDataType dtype, int64_t elements) {
  if (dtype == ACL_INT4) return elements < 0 ? elements / 2 : (elements + 1) / 2;
  return elements * static_cast<int64_t>(aclDataTypeSize(dtype));
}

}  // namespace aclgrad::ops
