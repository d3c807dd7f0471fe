// SPDX-License-Identifier: Apache-2.0
// Stands before the operator library and does wrong what it is told to, as a device might: replay
// has to find it.
#include "tests/replay/faulty_provider.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/aclnn_tanh_backward.h"

namespace {

using aclgrad::replay_test::Fault;

Fault next_fault = Fault::kNone;

struct Tensors {
  const aclTensor* in;
  const aclTensor* out;
};
std::map<const aclOpExecutor*, Tensors> planned;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Floats {
  float* data;
  std::size_t count;
};

// Of a contiguous tensor of float32.
Floats floats_of(const aclTensor* tensor) {
  void* address = nullptr;
  aclGetRawTensorAddr(tensor, &address);
  int64_t* shape = nullptr;
  uint64_t rank = 0;
  aclGetViewShape(tensor, &shape, &rank);
  std::size_t count = 1;
  for (uint64_t i = 0; i < rank; ++i) count *= static_cast<std::size_t>(shape[i]);
  delete[] shape;
  return {static_cast<float*>(address), count};
}

struct Damage {
  Fault fault;
  Floats in;
  Floats out;
  std::vector<float> before;  // what was in `out`
};

void damage(const Damage& what) {
  const auto& [fault, in, out, before] = what;
  const std::size_t last = out.count - 1;
  switch (fault) {
    case Fault::kLastElement:
      out.data[last] += 0.001f;
      break;
    case Fault::kFirstElement:
      out.data[0] *= 1.0001f;
      break;
    case Fault::kSign:
      for (std::size_t i = 0; i < out.count; ++i) out.data[i] = -out.data[i] - 1;
      break;
    case Fault::kZeroTail:
      for (std::size_t i = out.count / 8 * 8 - 1; i < out.count; ++i) out.data[i] = 0;
      break;
    case Fault::kSwapped: {
      const float first = out.data[0] + 0.5f;
      out.data[0] = out.data[last];
      out.data[last] = first;
      break;
    }
    case Fault::kUnwritten:
      std::ranges::copy(before, out.data);
      break;
    case Fault::kLowPrecision:
      for (std::size_t i = 0; i < out.count; ++i) {
        unsigned bits = 0;
        std::memcpy(&bits, out.data + i, sizeof bits);
        bits = (bits & 0xffff0000u) ^ 0x00018000u;
        std::memcpy(out.data + i, &bits, sizeof bits);
      }
      break;
    case Fault::kNan:
      out.data[last / 2] = __builtin_nanf("");
      break;
    case Fault::kWritesInput:
      in.data[0] += 1;
      break;
    case Fault::kOneUnit:
      for (std::size_t i = 0; i < out.count; ++i) out.data[i] = std::nextafter(out.data[i], 100.0f);
      break;
    case Fault::kWritesBeyond:  // the memory of the next tensor, which the driver has put there
      out.data[out.count] += 1;
      break;
    default:
      break;
  }
}

aclnnStatus note(aclnnStatus status, aclOpExecutor** executor, const aclTensor* in,
                 const aclTensor* out) {
  if (status == 0) planned[*executor] = {in, out};
  return status;
}

bool is_capturing(aclrtStream stream) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  return aclmdlRICaptureGetInfo(stream, &status, nullptr) == 0 &&
         status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

aclnnStatus run(const char* name, void* workspace, uint64_t size, aclOpExecutor* executor,
                aclrtStream stream) {
  static auto& damages = *new std::deque<Damage>;  // recordings run as long as there are any
  const Tensors tensors = planned[executor];
  Damage& what =
      damages.emplace_back(Damage{next_fault, floats_of(tensors.in), floats_of(tensors.out), {}});
  const bool is_now = !is_capturing(stream);
  if (is_now) aclrtSynchronizeStream(stream);
  what.before.assign(what.out.data, what.out.data + what.out.count);
  const aclnnStatus status = real<aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>(name)(
      workspace, size, executor, stream);
  if (what.fault == Fault::kNone) return status;
  if (is_now) {
    aclrtSynchronizeStream(stream);
    damage(what);
  } else {
    const auto later = [](void* data) { damage(*static_cast<const Damage*>(data)); };
    aclrtLaunchHostFunc(stream, later, &what);
  }
  return what.fault == Fault::kFailsLater ? 561103 : status;
}

// What a wrong check answers in place of the right status.
bool refuses() { return next_fault == Fault::kRefuses; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void replay_test_set_fault(int number) {
  next_fault = static_cast<Fault>(number);
}

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                     const aclScalar* alpha, aclTensor* out, uint64_t* size,
                                     aclOpExecutor** executor) {
  if (refuses()) return 161002;
  static auto* const plan = real<decltype(aclnnAddGetWorkspaceSize)>("aclnnAddGetWorkspaceSize");
  return note(plan(self, other, alpha, out, size, executor), executor, self, out);
}
aclnnStatus aclnnAdd(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  return run("aclnnAdd", workspace, size, executor, stream);
}

aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor* self, const aclTensor* other, aclTensor* out,
                                     uint64_t* size, aclOpExecutor** executor) {
  if (refuses()) return 161001;
  static auto* const plan = real<decltype(aclnnMulGetWorkspaceSize)>("aclnnMulGetWorkspaceSize");
  return note(plan(self, other, out, size, executor), executor, self, out);
}
aclnnStatus aclnnMul(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  return run("aclnnMul", workspace, size, executor, stream);
}

aclnnStatus aclnnGeluGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* size,
                                      aclOpExecutor** executor) {
  if (refuses()) return 161002;
  static auto* const plan = real<decltype(aclnnGeluGetWorkspaceSize)>("aclnnGeluGetWorkspaceSize");
  return note(plan(self, out, size, executor), executor, self, out);
}
aclnnStatus aclnnGelu(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  return run("aclnnGelu", workspace, size, executor, stream);
}

aclnnStatus aclnnSiluGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* size,
                                      aclOpExecutor** executor) {
  if (refuses()) return 161002;
  static auto* const plan = real<decltype(aclnnSiluGetWorkspaceSize)>("aclnnSiluGetWorkspaceSize");
  return note(plan(self, out, size, executor), executor, self, out);
}
aclnnStatus aclnnSilu(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  return run("aclnnSilu", workspace, size, executor, stream);
}

aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out,
                                         uint64_t* size, aclOpExecutor** executor) {
  if (refuses()) return 161002;
  static auto* const plan =
      real<decltype(aclnnSoftmaxGetWorkspaceSize)>("aclnnSoftmaxGetWorkspaceSize");
  return note(plan(self, dim, out, size, executor), executor, self, out);
}
aclnnStatus aclnnSoftmax(void* workspace, uint64_t size, aclOpExecutor* executor,
                         aclrtStream stream) {
  return run("aclnnSoftmax", workspace, size, executor, stream);
}

aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                 const aclTensor* output, aclTensor* gradInput,
                                                 uint64_t* size, aclOpExecutor** executor) {
  static auto* const plan =
      real<decltype(aclnnSigmoidBackwardGetWorkspaceSize)>("aclnnSigmoidBackwardGetWorkspaceSize");
  return note(plan(gradOutput, output, gradInput, size, executor), executor, gradOutput, gradInput);
}
aclnnStatus aclnnSigmoidBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return run("aclnnSigmoidBackward", workspace, size, executor, stream);
}

aclnnStatus aclnnTanhBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* output,
                                              aclTensor* gradInput, uint64_t* size,
                                              aclOpExecutor** executor) {
  static auto* const plan =
      real<decltype(aclnnTanhBackwardGetWorkspaceSize)>("aclnnTanhBackwardGetWorkspaceSize");
  return note(plan(gradOutput, output, gradInput, size, executor), executor, gradOutput, gradInput);
}
aclnnStatus aclnnTanhBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                              aclrtStream stream) {
  return run("aclnnTanhBackward", workspace, size, executor, stream);
}

aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                 const aclTensor* output, int64_t dim,
                                                 aclTensor* out, uint64_t* size,
                                                 aclOpExecutor** executor) {
  static auto* const plan =
      real<decltype(aclnnSoftmaxBackwardGetWorkspaceSize)>("aclnnSoftmaxBackwardGetWorkspaceSize");
  return note(plan(gradOutput, output, dim, out, size, executor), executor, gradOutput, out);
}
aclnnStatus aclnnSoftmaxBackward(void* workspace, uint64_t size, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return run("aclnnSoftmaxBackward", workspace, size, executor, stream);
}

aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor* self, const aclTensor* mat2,
                                        aclTensor* out, int8_t cubeMathType, uint64_t* size,
                                        aclOpExecutor** executor) {
  if (refuses()) return 161002;
  static auto* const plan =
      real<decltype(aclnnMatmulGetWorkspaceSize)>("aclnnMatmulGetWorkspaceSize");
  return note(plan(self, mat2, out, cubeMathType, size, executor), executor, self, out);
}
aclnnStatus aclnnMatmul(void* workspace, uint64_t size, aclOpExecutor* executor,
                        aclrtStream stream) {
  return run("aclnnMatmul", workspace, size, executor, stream);
}

}  // extern "C"
