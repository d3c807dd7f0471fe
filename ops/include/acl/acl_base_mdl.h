/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base types of whole-model execution. Offline models are outside this library; the header exists
 * because the vendor's headers are layered this way.
 */
#pragma once

#include "acl/acl_base_rt.h"
