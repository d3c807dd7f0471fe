// SPDX-License-Identifier: Apache-2.0
// Enumerations and flags of the runtime, by value.
#include "acl/acl.h"

// ---- Flags --------------------------------------------------------------------------------------

static_assert(ACL_EVENT_SYNC == 0x1);
static_assert(ACL_EVENT_CAPTURE_STREAM_PROGRESS == 0x2);
static_assert(ACL_EVENT_TIME_LINE == 0x8);
static_assert(ACL_EVENT_DEVICE_USE_ONLY == 0x10);
static_assert(ACL_EVENT_EXTERNAL == 0x20);
static_assert(ACL_EVENT_IPC == 0x40);
static_assert(ACL_STREAM_FAST_LAUNCH == 0x1);
static_assert(ACL_STREAM_FAST_SYNC == 0x2);
static_assert(ACL_STREAM_PERSISTENT == 0x4);
static_assert(ACL_STREAM_HUGE == 0x8);
static_assert(ACL_STREAM_CPU_SCHEDULE == 0x10);
static_assert(ACL_STREAM_DEVICE_USE_ONLY == 0x20);
static_assert(ACL_CONTINUE_ON_FAILURE == 0);
static_assert(ACL_STOP_ON_FAILURE == 1);
static_assert(ACL_EVENT_RECORD_DEFAULT == 0);
static_assert(ACL_EVENT_RECORD_EXTERNAL == 1);
static_assert(ACL_EVENT_WAIT_DEFAULT == 0);
static_assert(ACL_EVENT_WAIT_EXTERNAL == 1);
static_assert(ACL_PKG_VERSION_MAX_SIZE == 128);

// ---- aclrtMemMallocPolicy -----------------------------------------------------------------------

static_assert(sizeof(aclrtMemMallocPolicy) == 4);
static_assert(ACL_MEM_MALLOC_HUGE_FIRST == 0);
static_assert(ACL_MEM_MALLOC_HUGE_ONLY == 1);
static_assert(ACL_MEM_MALLOC_NORMAL_ONLY == 2);
static_assert(ACL_MEM_MALLOC_HUGE_FIRST_P2P == 3);
static_assert(ACL_MEM_MALLOC_HUGE_ONLY_P2P == 4);
static_assert(ACL_MEM_MALLOC_NORMAL_ONLY_P2P == 5);
static_assert(ACL_MEM_MALLOC_HUGE1G_ONLY == 6);
static_assert(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P == 7);
static_assert(ACL_MEM_TYPE_LOW_BAND_WIDTH == 0x0100);
static_assert(ACL_MEM_TYPE_HIGH_BAND_WIDTH == 0x1000);
static_assert(ACL_MEM_ACCESS_USER_SPACE_READONLY == 0x100000);

// ---- aclrtMemcpyKind ----------------------------------------------------------------------------

static_assert(sizeof(aclrtMemcpyKind) == 4);
static_assert(ACL_MEMCPY_HOST_TO_HOST == 0);
static_assert(ACL_MEMCPY_HOST_TO_DEVICE == 1);
static_assert(ACL_MEMCPY_DEVICE_TO_HOST == 2);
static_assert(ACL_MEMCPY_DEVICE_TO_DEVICE == 3);
static_assert(ACL_MEMCPY_DEFAULT == 4);
static_assert(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE == 5);
static_assert(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE == 6);
static_assert(ACL_MEMCPY_INTER_DEVICE_TO_DEVICE == 7);

// ---- aclrtRunMode -------------------------------------------------------------------------------

static_assert(sizeof(aclrtRunMode) == 4);
static_assert(ACL_DEVICE == 0);
static_assert(ACL_HOST == 1);

// ---- aclrtStreamStatus --------------------------------------------------------------------------

static_assert(sizeof(aclrtStreamStatus) == 4);
static_assert(ACL_STREAM_STATUS_COMPLETE == 0);
static_assert(ACL_STREAM_STATUS_NOT_READY == 1);
static_assert(ACL_STREAM_STATUS_RESERVED == 0xFFFF);

// ---- aclrtEventStatus ---------------------------------------------------------------------------

static_assert(sizeof(aclrtEventStatus) == 4);
static_assert(ACL_EVENT_STATUS_COMPLETE == 0);
static_assert(ACL_EVENT_STATUS_NOT_READY == 1);
static_assert(ACL_EVENT_STATUS_RESERVED == 2);

// ---- aclrtEventRecordedStatus -------------------------------------------------------------------

static_assert(sizeof(aclrtEventRecordedStatus) == 4);
static_assert(ACL_EVENT_RECORDED_STATUS_NOT_READY == 0);
static_assert(ACL_EVENT_RECORDED_STATUS_COMPLETE == 1);

// ---- aclrtEventWaitStatus -----------------------------------------------------------------------

static_assert(sizeof(aclrtEventWaitStatus) == 4);
static_assert(ACL_EVENT_WAIT_STATUS_COMPLETE == 0);
static_assert(ACL_EVENT_WAIT_STATUS_NOT_READY == 1);
static_assert(ACL_EVENT_WAIT_STATUS_RESERVED == 0xFFFF);

// ---- aclrtCallbackBlockType ---------------------------------------------------------------------

static_assert(sizeof(aclrtCallbackBlockType) == 4);
static_assert(ACL_CALLBACK_NO_BLOCK == 0);
static_assert(ACL_CALLBACK_BLOCK == 1);

// ---- aclmdlRICaptureMode ------------------------------------------------------------------------

static_assert(sizeof(aclmdlRICaptureMode) == 4);
static_assert(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL == 0);
static_assert(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL == 1);
static_assert(ACL_MODEL_RI_CAPTURE_MODE_RELAXED == 2);

// ---- aclmdlRICaptureStatus ----------------------------------------------------------------------

static_assert(sizeof(aclmdlRICaptureStatus) == 4);
static_assert(ACL_MODEL_RI_CAPTURE_STATUS_NONE == 0);
static_assert(ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE == 1);
static_assert(ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED == 2);

// ---- aclrtMemAttr -------------------------------------------------------------------------------

static_assert(sizeof(aclrtMemAttr) == 4);
static_assert(ACL_DDR_MEM == 0);
static_assert(ACL_HBM_MEM == 1);
static_assert(ACL_DDR_MEM_HUGE == 2);
static_assert(ACL_DDR_MEM_NORMAL == 3);
static_assert(ACL_HBM_MEM_HUGE == 4);
static_assert(ACL_HBM_MEM_NORMAL == 5);
static_assert(ACL_DDR_MEM_P2P_HUGE == 6);
static_assert(ACL_DDR_MEM_P2P_NORMAL == 7);
static_assert(ACL_HBM_MEM_P2P_HUGE == 8);
static_assert(ACL_HBM_MEM_P2P_NORMAL == 9);
static_assert(ACL_HBM_MEM_HUGE1G == 10);
static_assert(ACL_HBM_MEM_P2P_HUGE1G == 11);
static_assert(ACL_MEM_NORMAL == 12);
static_assert(ACL_MEM_HUGE == 13);
static_assert(ACL_MEM_HUGE1G == 14);
static_assert(ACL_MEM_P2P_NORMAL == 15);
static_assert(ACL_MEM_P2P_HUGE == 16);
static_assert(ACL_MEM_P2P_HUGE1G == 17);

// ---- aclrtMemLocationType -----------------------------------------------------------------------

static_assert(sizeof(aclrtMemLocationType) == 4);
static_assert(ACL_MEM_LOCATION_TYPE_HOST == 0);
static_assert(ACL_MEM_LOCATION_TYPE_DEVICE == 1);
static_assert(ACL_MEM_LOCATION_TYPE_UNREGISTERED == 2);
static_assert(ACL_MEM_LOCATION_TYPE_MANAGED == 3);
static_assert(ACL_MEM_LOCATION_TYPE_HOST_NUMA == 4);

// ---- Virtual memory -----------------------------------------------------------------------------

static_assert(sizeof(aclrtMemHandleType) == 4);
static_assert(ACL_MEM_HANDLE_TYPE_NONE == 0);
static_assert(sizeof(aclrtMemAllocationType) == 4);
static_assert(ACL_MEM_ALLOCATION_TYPE_PINNED == 0);
static_assert(sizeof(aclrtMemGranularityOptions) == 4);
static_assert(ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM == 0);
static_assert(ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED == 1);
static_assert(ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF == 0xFFFF);

// ---- aclrtDeviceStatus --------------------------------------------------------------------------

static_assert(sizeof(aclrtDeviceStatus) == 4);
static_assert(ACL_RT_DEVICE_STATUS_NORMAL == 0);
static_assert(ACL_RT_DEVICE_STATUS_ABNORMAL == 1);
static_assert(ACL_RT_DEVICE_STATUS_END == 0xFFFF);

// ---- aclrtFloatOverflowMode ---------------------------------------------------------------------

static_assert(sizeof(aclrtFloatOverflowMode) == 4);
static_assert(ACL_RT_OVERFLOW_MODE_SATURATION == 0);
static_assert(ACL_RT_OVERFLOW_MODE_INFNAN == 1);
static_assert(ACL_RT_OVERFLOW_MODE_UNDEF == 2);

// ---- aclrtLastErrLevel --------------------------------------------------------------------------

static_assert(sizeof(aclrtLastErrLevel) == 4);
static_assert(ACL_RT_THREAD_LEVEL == 0);

// ---- aclLogLevel --------------------------------------------------------------------------------

static_assert(sizeof(aclLogLevel) == 4);
static_assert(ACL_DEBUG == 0);
static_assert(ACL_INFO == 1);
static_assert(ACL_WARNING == 2);
static_assert(ACL_ERROR == 3);

// ---- aclMemType ---------------------------------------------------------------------------------

static_assert(sizeof(aclMemType) == 4);
static_assert(ACL_MEMTYPE_DEVICE == 0);
static_assert(ACL_MEMTYPE_HOST == 1);
static_assert(ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT == 2);

// ---- aclSysParamOpt -----------------------------------------------------------------------------

static_assert(sizeof(aclSysParamOpt) == 4);
static_assert(ACL_OPT_DETERMINISTIC == 0);
static_assert(ACL_OPT_ENABLE_DEBUG_KERNEL == 1);
static_assert(ACL_OPT_STRONG_CONSISTENCY == 2);
static_assert(ACL_OPT_ENABLE_KERNEL_EARLY_START == 3);

// ---- aclCannAttr --------------------------------------------------------------------------------

static_assert(sizeof(aclCannAttr) == 4);
static_assert(ACL_CANN_ATTR_UNDEFINED == -1);
static_assert(ACL_CANN_ATTR_INF_NAN == 0);
static_assert(ACL_CANN_ATTR_BF16 == 1);
static_assert(ACL_CANN_ATTR_JIT_COMPILE == 2);

// ---- aclDeviceInfo ------------------------------------------------------------------------------

static_assert(sizeof(aclDeviceInfo) == 4);
static_assert(ACL_DEVICE_INFO_UNDEFINED == -1);
static_assert(ACL_DEVICE_INFO_AI_CORE_NUM == 0);
static_assert(ACL_DEVICE_INFO_VECTOR_CORE_NUM == 1);
static_assert(ACL_DEVICE_INFO_L2_SIZE == 2);

// ---- aclrtDevAttr -------------------------------------------------------------------------------

static_assert(sizeof(aclrtDevAttr) == 4);
static_assert(ACL_DEV_ATTR_AICPU_CORE_NUM == 1);
static_assert(ACL_DEV_ATTR_AICORE_CORE_NUM == 101);
static_assert(ACL_DEV_ATTR_CUBE_CORE_NUM == 102);
static_assert(ACL_DEV_ATTR_VECTOR_CORE_NUM == 201);
static_assert(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE == 301);
static_assert(ACL_DEV_ATTR_L2_CACHE_SIZE == 302);
static_assert(ACL_DEV_ATTR_NPU_ARCH == 601);

// ---- aclrtDevResLimitType -----------------------------------------------------------------------

static_assert(sizeof(aclrtDevResLimitType) == 4);
static_assert(ACL_RT_DEV_RES_CUBE_CORE == 0);
static_assert(ACL_RT_DEV_RES_VECTOR_CORE == 1);

// ---- aclCANNPackageName -------------------------------------------------------------------------

static_assert(sizeof(aclCANNPackageName) == 4);
static_assert(ACL_PKG_NAME_CANN == 0);
static_assert(ACL_PKG_NAME_RUNTIME == 1);
static_assert(ACL_PKG_NAME_COMPILER == 2);
static_assert(ACL_PKG_NAME_HCCL == 3);
static_assert(ACL_PKG_NAME_TOOLKIT == 4);
static_assert(ACL_PKG_NAME_OPP == 5);
static_assert(ACL_PKG_NAME_OPP_KERNEL == 6);
static_assert(ACL_PKG_NAME_DRIVER == 7);
