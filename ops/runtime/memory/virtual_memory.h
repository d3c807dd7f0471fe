// SPDX-License-Identifier: Apache-2.0
// Reserved addresses, and memory that the program maps to them.
#ifndef ACLGRAD_OPS_RUNTIME_MEMORY_VIRTUAL_MEMORY_H_
#define ACLGRAD_OPS_RUNTIME_MEMORY_VIRTUAL_MEMORY_H_

namespace aclgrad::runtime {

// Whether the address is reserved, with memory or without.
bool is_reserved(const void* address);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_MEMORY_VIRTUAL_MEMORY_H_
