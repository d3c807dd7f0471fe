// SPDX-License-Identifier: Apache-2.0
// All recording functions. Each appends a node to the graph of its arguments and returns the node's
// (first) output; the last parameter is the line that messages name, filled in by itself.
#ifndef ACLGRAD_OPS_H_
#define ACLGRAD_OPS_H_

#include "aclgrad/ops/activations.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/channel_norm.h"
#include "aclgrad/ops/convolution.h"
#include "aclgrad/ops/dropout.h"
#include "aclgrad/ops/fill.h"
#include "aclgrad/ops/foreach.h"
#include "aclgrad/ops/functions.h"
#include "aclgrad/ops/indices.h"
#include "aclgrad/ops/losses.h"
#include "aclgrad/ops/matmul.h"
#include "aclgrad/ops/normalization.h"
#include "aclgrad/ops/pooling.h"
#include "aclgrad/ops/reduce.h"
#include "aclgrad/ops/search.h"
#include "aclgrad/ops/selection.h"
#include "aclgrad/ops/shapes.h"
#include "aclgrad/ops/update.h"
#include "aclgrad/ops/views.h"

#endif  // ACLGRAD_OPS_H_
