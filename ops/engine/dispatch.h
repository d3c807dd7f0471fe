// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hwy/highway.h"

// A callable that runs the best version of an exported function. It looks that up at every call, as
// a pointer taken before the first look-up would lead through the detection of the processor.
#define ACLGRAD_DISPATCHED(function) \
  [](const auto&... arguments) { HWY_DYNAMIC_DISPATCH(function)(arguments...); }
