// SPDX-License-Identifier: Apache-2.0
// The numbers in the headers are part of the binary interface: a sample of each table, its ends
// and its irregular rows.
#include <iostream>

#include "support.h"

namespace {

static_assert(std::is_same_v<aclError, int> && std::is_same_v<aclrtStream, void*>);
static_assert(std::is_same_v<aclFloat16, uint16_t> && std::is_same_v<aclmdlRI, void*>);

static_assert(ACL_DT_UNDEFINED == -1 && ACL_FLOAT == 0 && ACL_FLOAT16 == 1 && ACL_INT8 == 2 &&
              ACL_INT32 == 3 && ACL_UINT8 == 4 && ACL_INT16 == 6 && ACL_INT64 == 9 &&
              ACL_DOUBLE == 11 && ACL_BOOL == 12 && ACL_STRING == 13 && ACL_COMPLEX64 == 16 &&
              ACL_BF16 == 27 && ACL_INT4 == 29 && ACL_COMPLEX32 == 33 && ACL_FLOAT4_E1M2 == 41);

static_assert(ACL_FORMAT_UNDEFINED == -1 && ACL_FORMAT_NCHW == 0 && ACL_FORMAT_ND == 2 &&
              ACL_FORMAT_NC1HWC0 == 3 && ACL_FORMAT_NC1HWC0_C04 == 12 && ACL_FORMAT_NDHWC == 27 &&
              ACL_FORMAT_FRACTAL_NZ == 29 && ACL_FRACTAL_Z_3D == 33 && ACL_FORMAT_NCL == 47 &&
              ACL_FORMAT_FRACTAL_NZ_C0_8 == 54);

static_assert(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P == 7 && ACL_MEM_TYPE_HIGH_BAND_WIDTH == 0x1000 &&
              ACL_MEMCPY_DEFAULT == 4 && ACL_MEMCPY_INTER_DEVICE_TO_DEVICE == 7 && ACL_HOST == 1);
static_assert(ACL_EVENT_STATUS_COMPLETE == 0 && ACL_EVENT_RECORDED_STATUS_COMPLETE == 1 &&
              ACL_EVENT_WAIT_STATUS_RESERVED == 0xFFFF && ACL_STREAM_STATUS_NOT_READY == 1);
static_assert(ACL_MODEL_RI_CAPTURE_MODE_RELAXED == 2 &&
              ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED == 2 && ACL_MEM_P2P_HUGE1G == 17 &&
              ACL_DEV_ATTR_NPU_ARCH == 601 && ACL_OPT_ENABLE_KERNEL_EARLY_START == 3 &&
              ACL_PKG_NAME_DRIVER == 7 && ACL_MEM_LOCATION_TYPE_HOST_NUMA == 4);
static_assert(ACL_EVENT_TIME_LINE == 0x8 && ACL_EVENT_IPC == 0x40 &&
              ACL_STREAM_DEVICE_USE_ONLY == 0x20 && ACL_STOP_ON_FAILURE == 1 &&
              ACL_PKG_VERSION_MAX_SIZE == 128);

static_assert(ACL_SUCCESS == 0 && ACL_ERROR_INVALID_PARAM == 100000 &&
              ACL_ERROR_GROUP_NOT_CREATE == 100041 && ACL_ERROR_PROF_REPEAT_SUBSCRIBE == 148046 &&
              ACL_ERROR_PROF_MODULES_UNSUPPORTED == 200007 &&
              ACL_ERROR_STORAGE_OVER_LIMIT == 300000 && ACL_ERROR_PROFILING_FAILURE == 500005);
static_assert(ACL_ERROR_RT_PARAM_INVALID == 107000 && ACL_ERROR_RT_INVALID_HANDLE == 107017 &&
              ACL_ERROR_STREAM_CAPTURE_CONFLICT == 107032 &&
              ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC == 107041 &&
              ACL_ERROR_RT_FEATURE_NOT_SUPPORT == 207000 &&
              ACL_ERROR_RT_STREAM_SYNC_TIMEOUT == 507046 &&
              ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED == 507903);

static_assert(sizeof(aclrtMemLocation) == 8 && sizeof(aclrtPtrAttributes) == 28 &&
              sizeof(aclrtMallocAttrValue) == 8);

TEST(Headers, StatusesCanBeCases) {
  const auto name = [](aclError status) {
    switch (status) {
      case ACL_SUCCESS:
        return "success";
      case ACL_ERROR_REPEAT_INITIALIZE:
        return "repeated";
      case ACL_ERROR_RT_CONTEXT_NULL:
        return "no context";
      default:
        return "other";
    }
  };
  EXPECT_STREQ(name(100002), "repeated");
  EXPECT_STREQ(name(107002), "no context");
}

TEST(Headers, BringPrintf) {
  // Host programs use it after <iostream> and acl/acl.h alone.
  std::cout << std::flush;
  EXPECT_EQ(printf("%s", "\n"), 1);
}

}  // namespace
