// SPDX-License-Identifier: Apache-2.0
// The functions of the C interface, written by functions.awk from the public headers: each as the
// headers declare it.
#include "headers.inc"
#include "ops/record/pass.h"

using aclgrad::record::Function;
using aclgrad::record::Pass;

extern "C" {

#include "functions.inc"

}  // extern "C"
