// SPDX-License-Identifier: Apache-2.0
// Everything of the framework and of autograd, gradcheck included, without any other library's
// headers: to print shapes, dtypes and tensors with libfmt, include aclgrad/format.h too, and to
// check the operators of a shared library aclgrad/gradcheck_two_phase.h.
#ifndef ACLGRAD_ACLGRAD_H_
#define ACLGRAD_ACLGRAD_H_

#include "aclgrad/backward.h"
#include "aclgrad/bisect.h"
#include "aclgrad/checkpoint.h"
#include "aclgrad/custom.h"
#include "aclgrad/data.h"
#include "aclgrad/dot.h"
#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "aclgrad/generate.h"
#include "aclgrad/gradcheck.h"
#include "aclgrad/gradcheck_graph.h"
#include "aclgrad/gradcheck_model.h"
#include "aclgrad/gradcheck_operator.h"
#include "aclgrad/graph.h"
#include "aclgrad/init.h"
#include "aclgrad/loss_scaler.h"
#include "aclgrad/module.h"
#include "aclgrad/nn.h"
#include "aclgrad/nn_attention.h"
#include "aclgrad/nn_convolution.h"
#include "aclgrad/nn_images.h"
#include "aclgrad/nn_recurrent.h"
#include "aclgrad/nn_sequences.h"
#include "aclgrad/ops.h"
#include "aclgrad/optim.h"
#include "aclgrad/random.h"
#include "aclgrad/record.h"
#include "aclgrad/report.h"
#include "aclgrad/rule.h"
#include "aclgrad/run_report.h"
#include "aclgrad/runtime.h"
#include "aclgrad/safetensors.h"
#include "aclgrad/schedule.h"
#include "aclgrad/session.h"
#include "aclgrad/session_cache.h"
#include "aclgrad/tensor.h"
#include "aclgrad/trainer.h"
#include "aclgrad/variable.h"
#include "aclgrad/viz.h"

#endif  // ACLGRAD_ACLGRAD_H_
