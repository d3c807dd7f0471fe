// SPDX-License-Identifier: Apache-2.0
// A node that queues work of its own on a stream.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>

#include "aclgrad/aclgrad.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/runtime.h"
#include "aclgrad_ext.h"

namespace aclgrad {

struct Behaviour {
  bool async = true;
  std::chrono::milliseconds takes{0};
  int status = 0;  // of its task
};

/// output = input + 1 of float32, by a task.
class SlowIncrement final : public StreamOp {
 public:
  explicit SlowIncrement(Behaviour behaviour) : behaviour_(behaviour) {}
  std::string_view name() const override { return "slow_increment"; }
  std::string_view call_name() const override { return "aclgradLaunchTask"; }
  bool is_async() const override { return behaviour_.async; }

  void queue(const StreamCall& call, aclrtStream stream) const override {
    auto* const work = new Work{call, behaviour_};
    const int status = aclgradLaunchTask(stream, "slow increment", run, work, [](void* argument) {
      delete static_cast<Work*>(argument);
    });
    check_status(status, "aclgradLaunchTask", label(call.node()));
  }

 private:
  struct Work {
    StreamCall call;
    Behaviour behaviour;
  };
  static aclError run(void* argument) {
    const Work& work = *static_cast<Work*>(argument);
    std::this_thread::sleep_for(work.behaviour.takes);
    const StreamCall::Buffer& from = work.call.inputs().front();
    const StreamCall::Buffer& to = work.call.outputs().front();
    for (std::int64_t i = 0; i < to.spec->shape.numel(); ++i) {
      static_cast<float*>(to.address)[i] = static_cast<const float*>(from.address)[i] + 1;
    }
    return work.behaviour.status;
  }

  Behaviour behaviour_;
};

inline Value increment(const Value& x, Behaviour behaviour = {}) {
  Recorder record("slow_increment", {x}, std::source_location::current());
  return record.add(std::make_shared<SlowIncrement>(behaviour), {x.shape(), x.dtype()});
}

}  // namespace aclgrad
