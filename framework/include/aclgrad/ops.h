// SPDX-License-Identifier: Apache-2.0
// All recording functions. Each appends a node to the graph of its arguments and returns the node's
// (first) output; the last parameter is the line that messages name, filled in by itself.
#pragma once

#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/attention.h"
#include "aclgrad/ops/convolution.h"
#include "aclgrad/ops/functions.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/linalg.h"
#include "aclgrad/ops/logic.h"
#include "aclgrad/ops/loss.h"
#include "aclgrad/ops/matmul.h"
#include "aclgrad/ops/normalization.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/ops/ordering.h"
#include "aclgrad/ops/pooling.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/recurrent.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/resampling.h"
#include "aclgrad/ops/rounding.h"
#include "aclgrad/ops/shape.h"
