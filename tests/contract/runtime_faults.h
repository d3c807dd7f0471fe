// SPDX-License-Identifier: Apache-2.0
// Wrong calls of the runtime and of the meta layer: at least one for every check of every function.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

namespace aclgrad::contract {

// What wrong calls are made with: device 0 set on this thread, and one of everything.
class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Addresses that are no handles and no device memory.
  void* invalid_handle() { return unknown_; }
  aclrtStream captured();       // a stream that is being captured
  aclrtEvent captured_event();  // `reusable`, recorded on such a stream
  aclmdlRI slow_model();        // one that runs for a while
  void keep_busy();             // lets the stream work for a while
  aclmdlRI model();             // a recorded model
  aclrtStream with_reports();   // a stream with this thread subscribed

  char* mapped();                // kPiece bytes of reserved addresses with the memory
  aclrtDrvMemHandle physical();  // of kPiece bytes
  char* unmapped() { return mapped() + kPiece; }  // the reserved kPiece bytes after these
  aclTensor* tensor();                            // of two numbers, without memory
  aclOpExecutor* executor();                      // of aclnnInplaceSelu, with a tensor of its own
  aclTensorList* empty_list();                    // knows no element 0

  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;     // as aclrtCreateEvent makes it
  aclrtEvent timer = nullptr;     // with ACL_EVENT_TIME_LINE only
  aclrtEvent reusable = nullptr;  // of aclrtCreateEventExWithFlag
  void* memory = nullptr;         // kBytes of the device
  char host[64] = {};
  static constexpr size_t kBytes = 64;
  static constexpr size_t kPiece = size_t{2} << 20;

 private:
  int64_t unknown_[8] = {};
  std::vector<aclrtStream> captured_;
  std::vector<aclrtStream> subscribed_;
  void* reserved_ = nullptr;
  aclrtDrvMemHandle physical_ = nullptr;
  std::vector<aclTensor*> tensors_;
  std::vector<aclOpExecutor*> executors_;
  std::vector<aclTensorList*> lists_;
};

// The captured stream, after a call that makes its capture void.
aclrtStream made_void(aclrtStream captured);

struct RuntimeFault {
  const char* function;
  int status;
  std::vector<std::string> words;  // all in the message, after the function's name
  // Returns the call's status; for a function that returns a handle, `status` when that is null.
  std::function<int(World& world)> call;
  bool on_bare_thread = false;  // without a context
};

// A number that is no member of an enumeration; from C an argument can be any.
template <class Enum>
Enum no_member(int number = 99) {
  return static_cast<Enum>(number);
}

std::vector<RuntimeFault> device_faults();
std::vector<RuntimeFault> stream_faults();
std::vector<RuntimeFault> event_faults();
std::vector<RuntimeFault> callback_faults();
std::vector<RuntimeFault> capture_faults();
std::vector<RuntimeFault> memory_faults();
std::vector<RuntimeFault> virtual_memory_faults();
std::vector<RuntimeFault> meta_faults();
std::vector<RuntimeFault> older_interface_faults();

// All of these.
const std::vector<RuntimeFault>& runtime_faults();

struct Outcome {
  int status;
  std::string message;
};

// The call in a world of its own, and the message that it leaves.
Outcome provoke(const RuntimeFault& fault);

}  // namespace aclgrad::contract
