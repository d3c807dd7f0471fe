// SPDX-License-Identifier: Apache-2.0
// The operator library as a whole: initialisation, which it does not need, dumps, which it does not
// make, and the switch for doubles.
#include <atomic>

#include "aclgrad_ext.h"
#include "aclnn/aclnn_base.h"

namespace {
std::atomic<bool> accept_double = false;
}

aclnnStatus aclnnInit(const char* /*configPath*/) { return OK; }

aclnnStatus aclnnFinalize(void) { return OK; }

aclnnStatus aclDumpOpTensors(const char* /*opType*/, const char* /*opName*/,
                             aclTensor** /*tensors*/, size_t /*inputTensorNum*/,
                             size_t /*outputTensorNum*/, aclrtStream /*stream*/) {
  return OK;
}

void aclgradSetAcceptDouble(int32_t accept) { accept_double = accept != 0; }

int32_t aclgradGetAcceptDouble(void) { return accept_double ? 1 : 0; }
