// SPDX-License-Identifier: Apache-2.0
// Sets of data types that several operators accept. BF16 is accepted from the A2 generation on,
// except in the sets whose names say otherwise.
#pragma once

#include "ops/meta/dtypes.h"

namespace aclgrad::ops {

inline constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};
inline constexpr DtypeSet kRealFloats{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};

// Real numbers with integers of all sizes, but no unsigned ones beyond UINT8.
inline constexpr DtypeSet kRealNumbers{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8},
    {ACL_BF16}};
inline constexpr DtypeSet kRealNumbersAndBool{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8,
     ACL_BOOL},
    {ACL_BF16}};
inline constexpr DtypeSet kNumbers{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16,
                                    ACL_INT32, ACL_INT64, ACL_UINT8, ACL_COMPLEX64, ACL_COMPLEX128},
                                   {ACL_BF16}};
inline constexpr DtypeSet kNumbersAndBool{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8,
     ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
    {ACL_BF16}};

// All dtypes that are not complex, and all.
inline constexpr DtypeSet kAllReal{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8,
     ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_BOOL},
    {ACL_BF16}};
inline constexpr DtypeSet kAllDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8,
     ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
    {ACL_BF16}};

// BF16 on every product.
inline constexpr DtypeSet kComplexFloatsAndBf16{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16}};
inline constexpr DtypeSet kAllDtypesAndBf16{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8,
     ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16}};

}  // namespace aclgrad::ops
