/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution of offline models is outside this library; the header exists because acl/acl.h includes
 * it. Recorded models (aclmdlRI) are part of the runtime: see acl/acl_rt.h.
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt.h"
