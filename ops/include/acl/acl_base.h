/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalar types, data types, formats and error codes, without any runtime call.
 */
#pragma once

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"
#include "acl/error_codes/rt_error_codes.h"
