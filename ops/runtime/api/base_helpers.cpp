// SPDX-License-Identifier: Apache-2.0
// Element sizes, half precision, data buffers and versions: what works without any device.
#include <algorithm>
#include <cmath>
#include <new>

#include "aclgrad_common/float16.h"
#include "ops/runtime/call/call.h"

// The opaque type of the public header.
struct aclDataBuffer {
  void* data;
  size_t size;
};

using namespace aclgrad::runtime;

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
      return 0;
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_COMPLEX128:
      return 16;
    default:
      // The 64-bit types, and by the vendor's custom everything that has no row of its own.
      return 8;
  }
}

float aclFloat16ToFloat(aclFloat16 value) {
  constexpr uint16_t kTop = 0x7C00;
  // Exponent 31 gets no special reading, as it is one more than 30: that is how the vendor's helper
  // works.
  if ((value & kTop) != kTop) return aclgrad::common::float16_to_float(value);
  return 2 * aclgrad::common::float16_to_float(static_cast<uint16_t>(value ^ 0x0400));
}

aclFloat16 aclFloatToFloat16(float value) {
  constexpr uint16_t kLargest = 0x7BFF;
  if (std::isnan(value)) return static_cast<aclFloat16>(kLargest);
  const uint16_t half = aclgrad::common::to_float16(static_cast<double>(value));
  const auto magnitude = std::min<uint16_t>(half & 0x7FFF, kLargest);
  return static_cast<aclFloat16>((half & 0x8000) | magnitude);
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  return new (std::nothrow) aclDataBuffer{data, size};
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return entry(__func__, [&](const Call& call) {
    call.require(dataBuffer, "dataBuffer");
    delete dataBuffer;
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return entry(__func__, [&](const Call& call) {
    call.require(dataBuffer, "dataBuffer");
    *dataBuffer = {data, size};
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? nullptr : dataBuffer->data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return dataBuffer == nullptr ? 0 : dataBuffer->size;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return entry(__func__, [&](const Call& call) {
    call.require(majorVersion, "majorVersion");
    call.require(minorVersion, "minorVersion");
    call.require(patchVersion, "patchVersion");
    *majorVersion = 1;
    *minorVersion = 17;
    *patchVersion = 0;
  });
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return entry(__func__, [&](const Call& call) {
    call.require(value, "value");
    switch (cannAttr) {
      case ACL_CANN_ATTR_INF_NAN:
      case ACL_CANN_ATTR_BF16:
        *value = 1;
        return;
      case ACL_CANN_ATTR_JIT_COMPILE:
        *value = 0;
        return;
      case ACL_CANN_ATTR_UNDEFINED:
        break;
    }
    call.bad_value(ACL_ERROR_INVALID_PARAM, "cannAttr", static_cast<int>(cannAttr),
                   "a value of aclCannAttr (0..2)");
  });
}
