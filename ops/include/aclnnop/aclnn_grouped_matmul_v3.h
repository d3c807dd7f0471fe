/* SPDX-License-Identifier: Apache-2.0 */
/* Included by programs that call nothing of it: there is nothing here. */
#pragma once

#include "aclnn/aclnn_base.h"
