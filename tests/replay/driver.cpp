// SPDX-License-Identifier: Apache-2.0
// usage: driver faults | right | near | late | between | gradients | large | recordings |
// right_recordings | die
// An aclnn host program that is recorded. Every operator is called once wrongly and once rightly,
// so that the record says which calls are to be found: those that come after aclrtGetDevice.
#include <signal.h>

#include <cstring>
#include <string>

#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "tests/replay/driver.h"

namespace aclgrad::replay_test {
namespace {

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

}  // namespace
}  // namespace aclgrad::replay_test

int main(int argc, char** argv) {
  using namespace aclgrad::replay_test;
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
