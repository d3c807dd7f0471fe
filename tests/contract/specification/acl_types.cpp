// SPDX-License-Identifier: Apache-2.0
// Scalar types, handles and structures of the runtime.
#include <cstddef>

#include "acl/acl.h"
#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

static_assert(kIs<aclError, int>);
static_assert(kIs<aclFloat16, uint16_t>);

static_assert(kIs<aclrtStream, void*>);
static_assert(kIs<aclrtEvent, void*>);
static_assert(kIs<aclrtContext, void*>);
static_assert(kIs<aclmdlRI, void*>);
static_assert(kIs<aclrtTaskGrp, void*>);

static_assert(kIs<aclrtCallback, void (*)(void*)>);
static_assert(kIs<aclrtHostFunc, void (*)(void*)>);
static_assert(kIs<aclrtExceptionInfoCallback, void (*)(aclrtExceptionInfo*)>);
static_assert(kIs<aclrtExceptionInfo, struct rtExceptionInfo>);

// ---- aclrtPtrAttributes ------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtMemLocation::id), uint32_t>);
static_assert(kIs<decltype(aclrtMemLocation::type), aclrtMemLocationType>);
static_assert(offsetof(aclrtMemLocation, id) == 0);
static_assert(offsetof(aclrtMemLocation, type) == 4);
static_assert(sizeof(aclrtMemLocation) == 8);

static_assert(kIs<decltype(aclrtPtrAttributes::location), aclrtMemLocation>);
static_assert(kIs<decltype(aclrtPtrAttributes::pageSize), uint32_t>);
static_assert(kIs<decltype(aclrtPtrAttributes::rsv), uint32_t[4]>);
static_assert(offsetof(aclrtPtrAttributes, location) == 0);
static_assert(offsetof(aclrtPtrAttributes, pageSize) == 8);
static_assert(offsetof(aclrtPtrAttributes, rsv) == 12);
static_assert(sizeof(aclrtPtrAttributes) == 28);

// ---- aclrtPhysicalMemProp ----------------------------------------------------------------------

static_assert(kIs<aclrtDrvMemHandle, void*>);
static_assert(kIs<decltype(aclrtPhysicalMemProp::handleType), aclrtMemHandleType>);
static_assert(kIs<decltype(aclrtPhysicalMemProp::allocationType), aclrtMemAllocationType>);
static_assert(kIs<decltype(aclrtPhysicalMemProp::memAttr), aclrtMemAttr>);
static_assert(kIs<decltype(aclrtPhysicalMemProp::location), aclrtMemLocation>);
static_assert(kIs<decltype(aclrtPhysicalMemProp::reserve), uint64_t>);
static_assert(offsetof(aclrtPhysicalMemProp, handleType) == 0);
static_assert(offsetof(aclrtPhysicalMemProp, allocationType) == 4);
static_assert(offsetof(aclrtPhysicalMemProp, memAttr) == 8);
static_assert(offsetof(aclrtPhysicalMemProp, location) == 12);
static_assert(offsetof(aclrtPhysicalMemProp, reserve) == 24);
static_assert(sizeof(aclrtPhysicalMemProp) == 32);

// ---- aclrtMallocConfig -------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtMallocAttrValue::moduleId), uint16_t>);
static_assert(kIs<decltype(aclrtMallocAttrValue::deviceId), uint32_t>);
static_assert(kIs<decltype(aclrtMallocAttrValue::vaFlag), uint32_t>);
static_assert(kIs<decltype(aclrtMallocAttrValue::rsv), uint8_t[8]>);
static_assert(sizeof(aclrtMallocAttrValue) == 8);

static_assert(kIs<decltype(aclrtMallocAttribute::attr), aclrtMallocAttrType>);
static_assert(kIs<decltype(aclrtMallocAttribute::value), aclrtMallocAttrValue>);
static_assert(offsetof(aclrtMallocAttribute, attr) == 0);
static_assert(offsetof(aclrtMallocAttribute, value) == 4);
static_assert(sizeof(aclrtMallocAttribute) == 12);

static_assert(kIs<decltype(aclrtMallocConfig::attrs), aclrtMallocAttribute*>);
static_assert(kIs<decltype(aclrtMallocConfig::numAttrs), size_t>);
static_assert(offsetof(aclrtMallocConfig, attrs) == 0);
static_assert(offsetof(aclrtMallocConfig, numAttrs) == 8);
static_assert(sizeof(aclrtMallocConfig) == 16);

}  // namespace aclgrad::specification
