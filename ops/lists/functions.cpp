// SPDX-License-Identifier: Apache-2.0
// Functions of one list: aclnnForeachAbs to aclnnForeachTanh.
#include "aclnnop/aclnn_foreach_abs.h"
#include "aclnnop/aclnn_foreach_acos.h"
#include "aclnnop/aclnn_foreach_asin.h"
#include "aclnnop/aclnn_foreach_atan.h"
#include "aclnnop/aclnn_foreach_cos.h"
#include "aclnnop/aclnn_foreach_cosh.h"
#include "aclnnop/aclnn_foreach_erf.h"
#include "aclnnop/aclnn_foreach_erfc.h"
#include "aclnnop/aclnn_foreach_exp.h"
#include "aclnnop/aclnn_foreach_expm1.h"
#include "aclnnop/aclnn_foreach_log.h"
#include "aclnnop/aclnn_foreach_log10.h"
#include "aclnnop/aclnn_foreach_log1p.h"
#include "aclnnop/aclnn_foreach_log2.h"
#include "aclnnop/aclnn_foreach_neg.h"
#include "aclnnop/aclnn_foreach_reciprocal.h"
#include "aclnnop/aclnn_foreach_sigmoid.h"
#include "aclnnop/aclnn_foreach_sign.h"
#include "aclnnop/aclnn_foreach_sin.h"
#include "aclnnop/aclnn_foreach_sinh.h"
#include "aclnnop/aclnn_foreach_sqrt.h"
#include "aclnnop/aclnn_foreach_tan.h"
#include "aclnnop/aclnn_foreach_tanh.h"
#include "ops/lists/lists.h"

namespace aclgrad::ops::lists {

ACLGRAD_FOREACH(Abs, Abs, kFloats, list("x"))
ACLGRAD_FOREACH(Acos, Acos, kFloats, list("x"))
ACLGRAD_FOREACH(Asin, Asin, kFloats, list("x"))
ACLGRAD_FOREACH(Atan, Atan, kFloats, list("x"))
ACLGRAD_FOREACH(Cos, Cos, kFloats, list("x"))
ACLGRAD_FOREACH(Cosh, Cosh, kFloats, list("x"))
ACLGRAD_FOREACH(Erf, Erf, kFloats, list("x"))
ACLGRAD_FOREACH(Erfc, Erfc, kFloats, list("x"))
ACLGRAD_FOREACH(Exp, Exp, kFloats, list("x"))
ACLGRAD_FOREACH(Expm1, Expm1, kFloats, list("x"))
ACLGRAD_FOREACH(Log, Log, kFloats, list("x"))
ACLGRAD_FOREACH(Log10, Log10, kFloats, list("x"))
ACLGRAD_FOREACH(Log1p, Log1p, kFloats, list("x"))
ACLGRAD_FOREACH(Log2, Log2, kFloats, list("x"))
ACLGRAD_FOREACH(Neg, Neg, kFloatsAndInt32, list("x"))
ACLGRAD_FOREACH(Reciprocal, Reciprocal, kFloats, list("x"))
ACLGRAD_FOREACH(Sigmoid, Sigmoid, kFloats, list("x"))
ACLGRAD_FOREACH(Sign, Sign, kNumbersOfLists, list("x"))
ACLGRAD_FOREACH(Sin, Sin, kFloats, list("x"))
ACLGRAD_FOREACH(Sinh, Sinh, kFloats, list("x"))
ACLGRAD_FOREACH(Sqrt, Sqrt, kFloats, list("x"))
ACLGRAD_FOREACH(Tan, Tan, kFloats, list("x"))
ACLGRAD_FOREACH(Tanh, Tanh, kFloats, list("x"))

}  // namespace aclgrad::ops::lists
