/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for every function over lists of tensors (aclnnForeach...).
 *
 * Each does for every tensor of its lists what a function of single tensors does, with the same
 * bits. Lists may be of any length, the same for all lists of a call: 0 is success, with nothing
 * to do. The tensors of a list may differ in size and layout; tensors of one place have the same
 * size (nothing is broadcast). Tensors without elements are passed over. Unless a function says
 * otherwise, all tensors of all lists have one dtype.
 *
 * In place: out may be the list x, or a list of other tensor objects on the same memory and in the
 * same layout. The same holds for the other inputs. Tensors that overlap in part are undefined.
 *
 * Scalars (aclScalar, aclScalarList) beside floating tensors are of FLOAT, DOUBLE, FLOAT16, BF16,
 * INT32, INT64 or BOOL, beside integers of INT8, INT16, INT32, INT64, UINT8 or BOOL. Scalars in a
 * tensor on the device have the dtype of the lists (beside BF16 a single one may be FLOAT) and are
 * read when the task runs.
 *
 * A size or length that does not fit gives 561002. Limits: ranks at most 8. A list owns its
 * tensors: aclDestroyTensorList destroys them. No list, tensor or scalar object of the call is
 * needed any more when phase two has returned.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */
