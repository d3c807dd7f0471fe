/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory: addresses are reserved, and memory is mapped to them, later and piece by piece.
 * So a pool of memory grows without moving:
 *
 *   aclrtReserveMemAddress(&pool, most, 0, NULL, 1);
 *   aclrtMallocPhysical(&handle, size, &prop, 0);
 *   aclrtMapMem(pool, size, 0, handle, 0);
 *   ...
 *   aclrtUnmapMem(pool);
 *   aclrtFreePhysical(handle);
 *   aclrtReleaseMemAddress(pool);
 *
 * Addresses with memory are device memory for every other call; what lies side by side is one range
 * for copies and tensors. Sizes are multiples of the granularity, and none is 0. No call needs a
 * context, none waits for work that uses the memory, and resetting a device leaves all of it alone.
 * Also returned by all: 100000 for NULL or size 0; 107000 for a size, an address or an argument
 * that breaks a rule; 207001 when the system has no more memory or addresses.
 *
 * Include acl/acl_rt.h, which includes this header.
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that has no address yet. */
typedef void* aclrtDrvMemHandle;

/* How other processes get the memory: not at all. */
typedef enum aclrtMemHandleType { ACL_MEM_HANDLE_TYPE_NONE = 0 } aclrtMemHandleType;

typedef enum aclrtMemAllocationType { ACL_MEM_ALLOCATION_TYPE_PINNED = 0 } aclrtMemAllocationType;

typedef enum aclrtMemGranularityOptions {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF
} aclrtMemGranularityOptions;

/* Of which kind memory is. `location` is a device; `reserve` is 0. */
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;

/*
 * Reserves addresses, which nothing may touch before memory is mapped to them; *virPtr is a
 * multiple of the granularity. alignment is 0; expectPtr is an address that would be welcome, or
 * NULL; flags is 0 or, for huge pages, 1, which is all the same here.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment,
                                                    void* expectPtr, uint64_t flags);

/* 107017 for an address that was not reserved; 107000 while memory is mapped there. */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void* virPtr);

/*
 * Memory of zeros. handleType, allocationType and location must be as named above, flags 0. 107001
 * for a location that is no device.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                                                 const aclrtPhysicalMemProp* prop, uint64_t flags);

/* What is mapped stays until it is unmapped; the handle ends at once. 107017 for one that has. */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/*
 * Maps the first `size` bytes of the memory to reserved addresses, none of which has memory. The
 * same memory may be mapped to several. offset and flags are 0. 107017 for a handle that is none.
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void* virPtr, size_t size, size_t offset,
                                         aclrtDrvMemHandle handle, uint64_t flags);

/* Takes a mapping away, at whose start virPtr is; 107017 elsewhere. The addresses stay reserved. */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void* virPtr);

/* In bytes: 2 MiB for both options and all memory. */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                                              aclrtMemGranularityOptions option,
                                                              size_t* granularity);

#ifdef __cplusplus
}
#endif
