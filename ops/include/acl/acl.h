/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one header that host programs include: everything of the runtime interface.
 */
#pragma once

#include <stdio.h> /* host programs print with printf without asking for it */

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"
