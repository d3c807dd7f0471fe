/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor's older way to run one operator by its name is outside this library (use the two-phase
 * functions of aclnnop/); the header exists because acl/acl.h includes it.
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
