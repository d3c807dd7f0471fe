// SPDX-License-Identifier: Apache-2.0
// Element types and formats, by value.
#include "acl/acl.h"

// ---- aclDataType --------------------------------------------------------------------------------

static_assert(sizeof(aclDataType) == 4);
static_assert(ACL_DT_UNDEFINED == -1);
static_assert(ACL_FLOAT == 0);
static_assert(ACL_FLOAT16 == 1);
static_assert(ACL_INT8 == 2);
static_assert(ACL_INT32 == 3);
static_assert(ACL_UINT8 == 4);
static_assert(ACL_INT16 == 6);
static_assert(ACL_UINT16 == 7);
static_assert(ACL_UINT32 == 8);
static_assert(ACL_INT64 == 9);
static_assert(ACL_UINT64 == 10);
static_assert(ACL_DOUBLE == 11);
static_assert(ACL_BOOL == 12);
static_assert(ACL_STRING == 13);
static_assert(ACL_COMPLEX64 == 16);
static_assert(ACL_COMPLEX128 == 17);
static_assert(ACL_BF16 == 27);
static_assert(ACL_INT4 == 29);
static_assert(ACL_UINT1 == 30);
static_assert(ACL_COMPLEX32 == 33);
static_assert(ACL_HIFLOAT8 == 34);
static_assert(ACL_FLOAT8_E5M2 == 35);
static_assert(ACL_FLOAT8_E4M3FN == 36);
static_assert(ACL_FLOAT8_E8M0 == 37);
static_assert(ACL_FLOAT6_E3M2 == 38);
static_assert(ACL_FLOAT6_E2M3 == 39);
static_assert(ACL_FLOAT4_E2M1 == 40);
static_assert(ACL_FLOAT4_E1M2 == 41);

// ---- aclFormat ----------------------------------------------------------------------------------

static_assert(sizeof(aclFormat) == 4);
static_assert(ACL_FORMAT_UNDEFINED == -1);
static_assert(ACL_FORMAT_NCHW == 0);
static_assert(ACL_FORMAT_NHWC == 1);
static_assert(ACL_FORMAT_ND == 2);
static_assert(ACL_FORMAT_NC1HWC0 == 3);
static_assert(ACL_FORMAT_FRACTAL_Z == 4);
static_assert(ACL_FORMAT_NC1HWC0_C04 == 12);
static_assert(ACL_FORMAT_HWCN == 16);
static_assert(ACL_FORMAT_NDHWC == 27);
static_assert(ACL_FORMAT_FRACTAL_NZ == 29);
static_assert(ACL_FORMAT_NCDHW == 30);
static_assert(ACL_FORMAT_NDC1HWC0 == 32);
static_assert(ACL_FRACTAL_Z_3D == 33);
static_assert(ACL_FORMAT_NC == 35);
static_assert(ACL_FORMAT_NCL == 47);
static_assert(ACL_FORMAT_FRACTAL_NZ_C0_16 == 50);
static_assert(ACL_FORMAT_FRACTAL_NZ_C0_32 == 51);
static_assert(ACL_FORMAT_FRACTAL_NZ_C0_2 == 52);
static_assert(ACL_FORMAT_FRACTAL_NZ_C0_4 == 53);
static_assert(ACL_FORMAT_FRACTAL_NZ_C0_8 == 54);
