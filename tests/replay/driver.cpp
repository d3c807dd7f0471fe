// SPDX-License-Identifier: Apache-2.0
// usage: driver faults | right | near | late | between | gradients | large | recordings |
// right_recordings | die
// An aclnn host program that is recorded. Every operator is called once wrongly and once rightly,
// so that the record says which calls are to be found: those that come after aclrtGetDevice.
#include <dlfcn.h>
#include <signal.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "tests/replay/faulty_provider.h"

namespace {

using aclgrad::replay_test::Fault;

constexpr int64_t kSide = 5;  // 25 elements: no whole number of vectors
constexpr std::size_t kBytes = kSide * kSide * sizeof(float);

void check(int status) {
  if (status != 0) std::abort();
}

aclTensor* tensor_at(void* address, int64_t side = kSide) {
  const int64_t shape[] = {side, side};
  return aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, address);
}

// One block with the tensors one behind the other.
struct Memory {
  explicit Memory(std::size_t count, int64_t side = kSide, bool are_equal = false)
      : bytes(static_cast<std::size_t>(side * side) * sizeof(float)) {
    check(aclrtMalloc(&block, count * bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    const auto elements = static_cast<std::size_t>(side * side);
    std::vector<float> values(count * elements);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(static_cast<float>(are_equal ? i % elements : i) + 1) * 2;
    check(
        aclrtMemcpy(block, count * bytes, values.data(), count * bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    for (std::size_t i = 0; i < count; ++i) tensors.push_back(tensor_at(at(i), side));
  }
  ~Memory() {
    for (aclTensor* const each : tensors) aclDestroyTensor(each);
    aclrtFree(block);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  char* at(std::size_t i) const { return static_cast<char*>(block) + i * bytes; }

  std::size_t bytes;  // of a tensor
  void* block = nullptr;
  std::vector<aclTensor*> tensors;
};

using Plan = std::function<int(const Memory&, uint64_t*, aclOpExecutor**)>;
using Run = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
struct Operator {
  Plan plan;  // of tensors 0 and 1 to tensor 2
  Run run;
};

const std::vector<Operator>& operators() {
  static const aclScalar* const one = [] {
    float value = 1.5f;
    return aclCreateScalar(&value, ACL_FLOAT);
  }();
  static const std::vector<Operator> all = {
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnAddGetWorkspaceSize(m.tensors[0], m.tensors[1], one, m.tensors[2], s, e);
       },
       aclnnAdd},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnMulGetWorkspaceSize(m.tensors[0], m.tensors[1], m.tensors[2], s, e);
       },
       aclnnMul},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnGeluGetWorkspaceSize(m.tensors[0], m.tensors[2], s, e);
       },
       aclnnGelu},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnSiluGetWorkspaceSize(m.tensors[0], m.tensors[2], s, e);
       },
       aclnnSilu},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnSoftmaxGetWorkspaceSize(m.tensors[0], 1, m.tensors[2], s, e);
       },
       aclnnSoftmax},
      {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
         return aclnnMatmulGetWorkspaceSize(m.tensors[0], m.tensors[1], m.tensors[2], 0, s, e);
       },
       aclnnMatmul}};
  return all;
}

void set_fault(Fault fault) {
  static auto* const set = reinterpret_cast<aclgrad::replay_test::SetFault>(
      dlsym(RTLD_DEFAULT, aclgrad::replay_test::kSetFault));
  if (set != nullptr) set(static_cast<int>(fault));
}

// The next call of an operator is one that replay must find.
void mark() {
  int32_t device = 0;
  check(aclrtGetDevice(&device));
}

// Both phases, as far as the first goes.
void call(const Operator& op, const Memory& memory, aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (op.plan(memory, &size, &executor) != 0) return;
  void* workspace = nullptr;
  if (size > 0) check(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  op.run(workspace, size, executor, stream);
  check(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) check(aclrtFree(workspace));
}

void faults(aclrtStream stream) {
  for (const Operator& op : operators()) {
    for (int k = static_cast<int>(Fault::kNone) + 1; k < static_cast<int>(Fault::kOneUnit); ++k) {
      {
        const Memory memory(3);
        set_fault(static_cast<Fault>(k));
        mark();
        call(op, memory, stream);
        set_fault(Fault::kNone);
      }
      const Memory memory(3);
      call(op, memory, stream);
    }
  }
}

// With a fault in the call of that number.
void right(aclrtStream stream, int wrong = -1) {
  int count = 0;
  for (const Operator& op : operators()) {
    const Memory memory(3);
    for (int i = 0; i < 9; ++i) {
      const bool is_wrong = count++ == wrong;
      if (is_wrong) mark();
      set_fault(is_wrong ? Fault::kZeroTail : Fault::kNone);
      call(op, memory, stream);
    }
  }
}

int plan_relu(const aclTensor* in, aclTensor* out, aclOpExecutor** executor) {
  uint64_t size = 0;
  const int status = aclnnReluGetWorkspaceSize(in, out, &size, executor);
  return size == 0 ? status : -1;
}

void relu(const aclTensor* in, aclTensor* out, aclrtStream stream) {
  aclOpExecutor* executor = nullptr;
  check(plan_relu(in, out, &executor));
  check(aclnnRelu(nullptr, 0, executor, stream));
}

// Three equal tensors of a megabyte; the sum of two goes to the third, twice, first rightly.
void large(aclrtStream stream) {
  const Memory memory(3, 512, true);
  call(operators()[0], memory, stream);
  set_fault(Fault::kFirstElement);
  mark();
  call(operators()[0], memory, stream);
  set_fault(Fault::kNone);
}

// A forward of tensor 0, or in place, to tensor 2, and its backward, which is given tensor 1 and
// that result, to tensor 3.
struct Pair {
  Operator forward;
  Operator backward;
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {{[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
          return aclnnSigmoidGetWorkspaceSize(m.tensors[0], m.tensors[2], s, e);
        },
        aclnnSigmoid},
       {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
          return aclnnSigmoidBackwardGetWorkspaceSize(m.tensors[1], m.tensors[2], m.tensors[3], s,
                                                      e);
        },
        aclnnSigmoidBackward}},
      {{[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
          return aclnnInplaceTanhGetWorkspaceSize(m.tensors[2], s, e);
        },
        aclnnInplaceTanh},
       {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
          return aclnnTanhBackwardGetWorkspaceSize(m.tensors[1], m.tensors[2], m.tensors[3], s, e);
        },
        aclnnTanhBackward}},
      {{[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
          return aclnnSoftmaxGetWorkspaceSize(m.tensors[0], 1, m.tensors[2], s, e);
        },
        aclnnSoftmax},
       {[](const Memory& m, uint64_t* s, aclOpExecutor** e) {
          return aclnnSoftmaxBackwardGetWorkspaceSize(m.tensors[1], m.tensors[2], 1, m.tensors[3],
                                                      s, e);
        },
        aclnnSoftmaxBackward}}};
  return all;
}

// The forward of a backward is not the last call of its function; the last backward is wrong.
void gradients(aclrtStream stream) {
  for (const Pair& each : pairs()) {
    const Memory memory(4);
    const Memory other(4);
    call(each.forward, memory, stream);
    for (const std::size_t i : {0, 2}) {
      relu(other.tensors[1], other.tensors[i], stream);
      check(aclrtSynchronizeStream(stream));
    }
    call(each.forward, other, stream);
    call(each.backward, memory, stream);
    set_fault(Fault::kFirstElement);
    mark();
    call(each.backward, memory, stream);
    set_fault(Fault::kNone);
  }
}

// Each of them is right when it is called alone.
void between(aclrtStream first) {
  {  // a stale input: a call that writes beyond its output, and one that reads what lies there
    const Memory memory(4);
    relu(memory.tensors[0], memory.tensors[3], first);
    check(aclrtSynchronizeStream(first));
    set_fault(Fault::kWritesBeyond);
    call(operators()[3], memory, first);
    set_fault(Fault::kNone);
    mark();
    relu(memory.tensors[3], memory.tensors[0], first);
    check(aclrtSynchronizeStream(first));
  }
  {  // a stale input: the host writes to it without a copy
    const Memory memory(3);
    check(aclrtSynchronizeStream(first));
    std::memset(memory.block, 0, sizeof(float));
    mark();
    relu(memory.tensors[0], memory.tensors[1], first);
    check(aclrtSynchronizeStream(first));
  }
  aclrtStream second = nullptr;
  check(aclrtCreateStream(&second));
  {  // a race: nothing orders the second stream after the first, as the event before does
    const Memory memory(3);
    aclrtEvent event = nullptr;
    check(aclrtCreateEvent(&event));
    relu(memory.tensors[0], memory.tensors[1], first);
    check(aclrtRecordEvent(event, first));
    check(aclrtStreamWaitEvent(second, event));
    relu(memory.tensors[1], memory.tensors[2], second);
    check(aclrtSynchronizeStream(second));
    check(aclrtDestroyEvent(event));
    // Complete on return, as this memory of the host is not pinned: what follows needs no event.
    const std::vector<float> values(kSide * kSide, 1);
    check(aclrtMemcpyAsync(memory.block, kBytes, values.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                           first));
    relu(memory.tensors[0], memory.tensors[1], second);
    check(aclrtSynchronizeStream(second));
    relu(memory.tensors[0], memory.tensors[1], first);
    mark();
    relu(memory.tensors[1], memory.tensors[2], second);
    check(aclrtSynchronizeStream(first));
    check(aclrtSynchronizeStream(second));
  }
  {  // overlapping buffers
    const Memory memory(3);
    aclTensor* const shifted = tensor_at(memory.at(0) + kBytes / 5);
    mark();
    relu(memory.tensors[0], shifted, first);
    check(aclrtSynchronizeStream(first));
    aclDestroyTensor(shifted);
  }
  {  // a buffer of another size: the last row lies beyond its end
    const Memory memory(3);
    void* small = nullptr;
    check(aclrtMalloc(&small, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    aclTensor* const tensor = tensor_at(nullptr);
    aclOpExecutor* executor = nullptr;
    check(aclSetRawTensorAddr(tensor, small));
    check(plan_relu(memory.tensors[0], tensor, &executor));
    check(aclSetAclOpExecutorRepeatable(executor));
    // Its address is moved by one row after the checks of phase one.
    check(aclSetOutputTensorAddr(executor, 1, tensor, memory.at(2) + kBytes / 5));
    mark();
    check(aclnnRelu(nullptr, 0, executor, first));
    check(aclrtSynchronizeStream(first));
    check(aclDestroyAclOpExecutor(executor));
    aclDestroyTensor(tensor);
    check(aclrtFree(small));
  }
  check(aclrtDestroyStream(second));
}

// What `calls` queue on the stream, as a recording that runs twice; `meanwhile` in between.
void record_and_run(aclrtStream stream, const std::function<void()>& calls,
                    const std::function<void()>& meanwhile) {
  aclmdlRI model = nullptr;
  check(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  calls();
  check(aclmdlRICaptureEnd(stream, &model));
  check(aclmdlRIExecuteAsync(model, stream));
  check(aclrtSynchronizeStream(stream));
  meanwhile();
  check(aclmdlRIExecute(model, -1));
  check(aclmdlRIDestroy(model));
}

void capture(const Operator& op, const Memory& memory, aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  check(op.plan(memory, &size, &executor));
  if (size > 0) std::abort();
  check(op.run(nullptr, 0, executor, stream));
}

// What is wrong in a recording is wrong each time that it runs.
void recordings(aclrtStream stream) {
  for (const Operator& op : operators()) {
    for (const Fault fault : {Fault::kLastElement, Fault::kZeroTail, Fault::kNan}) {
      const Memory memory(3), other(3);
      record_and_run(
          stream,
          [&] {
            capture(op, memory, stream);
            check(aclrtMemcpyAsync(other.at(0), kBytes, memory.at(2), kBytes,
                                   ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
            set_fault(fault);
            mark();
            capture(op, other, stream);
            set_fault(Fault::kNone);
          },
          [&] {
            check(aclrtMemcpy(memory.at(0), kBytes, memory.at(1), kBytes,
                              ACL_MEMCPY_DEVICE_TO_DEVICE));
          });
    }
  }
  // What lies in tensor 1 in between is not seen by anybody.
  const Memory memory(3);
  record_and_run(
      stream,
      [&] {
        relu(memory.tensors[0], memory.tensors[1], stream);
        capture(operators()[1], memory, stream);
        check(aclrtMemsetAsync(memory.at(1), kBytes, 0, kBytes, stream));
        relu(memory.tensors[2], memory.tensors[1], stream);
      },
      [] {});
  // A call writes to its input.
  const Memory changed(3);
  record_and_run(
      stream,
      [&] {
        set_fault(Fault::kWritesInput);
        capture(operators()[1], changed, stream);
        set_fault(Fault::kNone);
      },
      [] {});
  // What a result has overwritten nobody has seen; it is a result all the same.
  const Memory reused(3);
  void* pinned = nullptr;
  check(aclrtMallocHost(&pinned, kBytes));
  std::memset(pinned, 0, kBytes);
  record_and_run(
      stream,
      [&] {
        check(aclrtMemcpyAsync(reused.at(2), kBytes, pinned, kBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                               stream));
        relu(reused.tensors[2], reused.tensors[1], stream);
        set_fault(Fault::kFirstElement);
        mark();
        capture(operators()[2], reused, stream);
        set_fault(Fault::kNone);
      },
      [] {});
  check(aclrtFreeHost(pinned));
  // The host writes to an input without a copy.
  const Memory stale(3);
  record_and_run(
      stream,
      [&] {
        mark();
        relu(stale.tensors[0], stale.tensors[1], stream);
      },
      [&] { std::memset(stale.block, 0, sizeof(float)); });
  // A second stream reads what a recording writes; in it a copy from the host waits for nothing.
  const Memory memory_of_both(4);
  const std::vector<float> host(kSide * kSide, 1);
  aclrtStream second = nullptr;
  check(aclrtCreateStream(&second));
  aclmdlRI model = nullptr;
  check(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  relu(memory_of_both.tensors[0], memory_of_both.tensors[1], stream);
  check(aclrtMemcpyAsync(memory_of_both.at(2), kBytes, host.data(), kBytes,
                         ACL_MEMCPY_HOST_TO_DEVICE, stream));
  check(aclmdlRICaptureEnd(stream, &model));
  check(aclmdlRIExecuteAsync(model, stream));
  mark();
  relu(memory_of_both.tensors[1], memory_of_both.tensors[3], second);
  check(aclrtSynchronizeStream(stream));
  check(aclrtSynchronizeStream(second));
  check(aclmdlRIDestroy(model));
  check(aclrtDestroyStream(second));
}

// Work of a recording that is no operator, copy or fill; work that runs while another stream is
// captured.
void right_recordings(aclrtStream stream) {
  constexpr std::size_t kRow = kSide * sizeof(float);
  const Memory memory(3), other(3), whole(3);
  record_and_run(
      stream,
      [&] {
        relu(memory.tensors[0], memory.tensors[1], stream);
        check(aclrtMemcpy2dAsync(memory.at(1), kRow, other.at(0), kRow, kRow / 2, kSide,
                                 ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        capture(operators()[1], memory, stream);
        check(aclrtMemcpy2dAsync(whole.at(0), kRow, other.at(0), kRow, kRow, kSide,
                                 ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        capture(operators()[1], whole, stream);
      },
      [] {});
  const Memory first(3), second(3);
  relu(first.tensors[0], first.tensors[1], nullptr);
  check(aclrtSynchronizeStream(nullptr));
  record_and_run(
      stream,
      [&] {
        relu(second.tensors[0], second.tensors[1], stream);
        relu(first.tensors[2], first.tensors[1], nullptr);
      },
      [] {});
  if (aclGetRecentErrMsg() != nullptr) std::abort();
  relu(first.tensors[1], first.tensors[2], nullptr);
  check(aclrtSynchronizeStream(nullptr));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  check(aclInit(nullptr));
  check(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  check(aclrtCreateStream(&stream));
  if (what == "faults") {
    faults(stream);
  } else if (what == "between") {
    between(stream);
  } else if (what == "gradients") {
    gradients(stream);
  } else if (what == "recordings") {
    recordings(stream);
  } else if (what == "right_recordings") {
    right_recordings(stream);
  } else if (what == "large") {
    large(stream);
  } else if (what == "right" || what == "die") {
    right(stream);
    if (what == "die") raise(SIGKILL);
  } else if (what == "near") {  // another device's matrix products
    const Memory memory(3);
    set_fault(Fault::kOneUnit);
    call(operators().back(), memory, stream);
    set_fault(Fault::kNone);
  } else if (what == "late") {
    right(stream, 20);
  } else {
    return 3;
  }
  check(aclrtDestroyStream(stream));
  return 0;
}
