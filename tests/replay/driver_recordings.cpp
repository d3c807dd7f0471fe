// SPDX-License-Identifier: Apache-2.0
// Operators that are captured into recordings, which run twice.
#include <cstring>

#include "aclnn/acl_meta.h"
#include "tests/replay/driver.h"

namespace aclgrad::replay_test {
namespace {

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

}  // namespace

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

}  // namespace aclgrad::replay_test
