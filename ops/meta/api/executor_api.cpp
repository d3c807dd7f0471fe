// SPDX-License-Identifier: Apache-2.0
// What a program may do with an executor between the phases: repeat it, move its tensors, drop it.
#include "ops/meta/executor.h"

#include "ops/meta/objects.h"

using namespace aclgrad::ops;

namespace {

// The message is made by make_message().
template <class MakeMessage>
aclnnStatus refuse_with(const char* function, aclnnStatus status, MakeMessage make_message,
                        const char* cause = "") noexcept {
  if_memory_allows([&] { report(function, status, make_message(), cause); });
  return status;
}

aclnnStatus refuse(const char* function, aclnnStatus status, const char* message,
                   const char* cause = "") noexcept {
  return refuse_with(
      function, status, [&] { return std::string(message); }, cause);
}

aclnnStatus check_executor(const char* function, const aclOpExecutor* executor) {
  if (executor == nullptr) {
    return refuse(function, kInnerNullPointer,
                  "argument executor must not be null, but got a null pointer.");
  }
  if (aclgradHandleCheck(executor, ACLGRAD_HANDLE_EXECUTOR) == 0) {
    return refuse(function, kInnerError,
                  "argument executor is not a live executor, expected one that phase one returned "
                  "and that was neither run nor destroyed since.",
                  kExecutorIsGone);
  }
  return kSuccess;
}

// The order is the vendor's: the tensor's own address changes even when the executor is then
// refused.
aclnnStatus set_address(const char* function, aclOpExecutor* executor, const aclTensor* tensor,
                        void* addr) {
  if (tensor == nullptr) {
    return refuse(function, kInnerNullPointer,
                  "argument tensor must not be null, but got a null pointer.");
  }
  if (aclgradHandleCheck(tensor, ACLGRAD_HANDLE_TENSOR) == 0) {
    return refuse(function, kInvalidParameter,
                  "argument tensor is not a live handle, expected one in use.", kDestroyed);
  }
  const_cast<aclTensor*>(tensor)->data = addr;
  if (const aclnnStatus status = check_executor(function, executor); status != kSuccess) {
    return status;
  }
  bool known = false;
  for (aclOpExecutor::Binding& binding : executor->bindings) {
    if (binding.object != tensor) continue;
    binding.base = addr;
    known = true;
  }
  if (known) return kSuccess;
  return refuse_with(function, kInvalidParameter, [&] {
    return fmt::format(
        "argument tensor ({}) is not known to the executor, expected one of the tensors given to "
        "{}GetWorkspaceSize.",
        static_cast<const void*>(tensor), executor->spec->name);
  });
}

aclnnStatus set_list_address(const char* function, aclOpExecutor* executor, size_t index,
                             const aclTensorList* tensors, void* addr) {
  if (tensors == nullptr) {
    return refuse(function, kInnerNullPointer,
                  "argument tensors must not be null, but got a null pointer.");
  }
  if (aclgradHandleCheck(tensors, ACLGRAD_HANDLE_TENSOR_LIST) == 0) {
    return refuse(function, kInvalidParameter,
                  "argument tensors is not a live handle, expected one in use.", kDestroyed);
  }
  if (index >= tensors->elements.size()) {
    return refuse_with(function, kInvalidParameter, [&] {
      return fmt::format(
          "argument relativeIndex is {}, expected less than {}, the size of the list.", index,
          tensors->elements.size());
    });
  }
  return set_address(function, executor, tensors->elements[index], addr);
}

}  // namespace

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  constexpr char kFunction[] = "aclSetAclOpExecutorRepeatable";
  if (const aclnnStatus status = check_executor(kFunction, executor); status != kSuccess) {
    return status;
  }
  if (!executor->plan->is_repeatable) {
    return refuse_with(kFunction, kInnerError, [&] {
      return fmt::format(
          "argument executor is one of {}, whose result's size depends on numbers, expected one "
          "that can be repeated: call phase one for every run.",
          executor->spec->name);
    });
  }
  executor->repeatable = true;
  return kSuccess;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  constexpr char kFunction[] = "aclDestroyAclOpExecutor";
  if (const aclnnStatus status = check_executor(kFunction, executor); status != kSuccess) {
    return status;
  }
  return destroy(kFunction, executor, ACLGRAD_HANDLE_EXECUTOR);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor,
                                  void* addr) {
  return set_address("aclSetInputTensorAddr", executor, tensor, addr);
}
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor,
                                   void* addr) {
  return set_address("aclSetOutputTensorAddr", executor, tensor, addr);
}
aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address("aclSetTensorAddr", executor, tensor, addr);
}
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return set_list_address("aclSetDynamicInputTensorAddr", executor, relativeIndex, tensors, addr);
}
aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return set_list_address("aclSetDynamicOutputTensorAddr", executor, relativeIndex, tensors, addr);
}
aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return set_list_address("aclSetDynamicTensorAddr", executor, relativeIndex, tensors, addr);
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  return aclSetInputTensorAddr(executor, index, tensor, addr);
}
aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  return aclSetOutputTensorAddr(executor, index, tensor, addr);
}
aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                             void* addr) {
  return aclSetTensorAddr(executor, index, tensor, addr);
}
aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                         const size_t relativeIndex, aclTensorList* tensors,
                                         void* addr) {
  return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                          const size_t relativeIndex, aclTensorList* tensors,
                                          void* addr) {
  return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                    const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
