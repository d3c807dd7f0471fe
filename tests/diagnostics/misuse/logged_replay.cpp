// SPDX-License-Identifier: Apache-2.0
// No misuse, but a recording in which a task may overtake an operator only if that leaves it its
// memory: it overwrites the end of what the operator has written.
#include "aclgrad_ext.h"
#include "misuse.h"

namespace {

constexpr int64_t kUnits = 100;
constexpr int64_t kUnitFloats = 16;
constexpr int64_t kUnitBytes = kUnitFloats * static_cast<int64_t>(sizeof(float));

// to = from + 1, and 41 without `from`.
struct AddOne {
  const float* from;
  float* to;

  void run(int64_t begin, int64_t end) const {
    for (int64_t i = begin * kUnitFloats; i < end * kUnitFloats; ++i) {
      to[i] = from == nullptr ? 41.0F : from[i] + 1.0F;
    }
  }
};

const AddOne& task_of(const void* argument) { return *static_cast<const AddOne*>(argument); }

constexpr aclgradTiling kTiling{
    .units = [](const void*) { return kUnits; },
    .operands =
        [](const void* argument, aclgradFootprint* operands, size_t capacity) {
          const AddOne& task = task_of(argument);
          const aclgradFootprint all[] = {{task.to, kUnitBytes, kUnitBytes, 1},
                                          {task.from, kUnitBytes, kUnitBytes, 0}};
          const size_t count = task.from == nullptr ? 1 : 2;
          for (size_t i = 0; i < count && i < capacity; ++i) operands[i] = all[i];
          return count;
        },
    .row_groups = nullptr,
    .run = [](void* argument, const aclgradTile* part) -> aclError {
      for (int64_t row = 0; row < part->rows; ++row) {
        task_of(argument).run(part->begin + row * part->stride, part->end + row * part->stride);
      }
      return ACL_SUCCESS;
    },
    .move = nullptr,
};

void launch(AddOne& task, aclrtStream stream) {
  const auto run = [](void* argument) -> aclError {
    task_of(argument).run(0, kUnits);
    return ACL_SUCCESS;
  };
  misuse::require(aclgradLaunchTiled(stream, "addition", run, &task, nullptr, &kTiling));
}

}  // namespace

int main() {
  const misuse::Device device;
  constexpr int64_t kCount = 100000;
  const size_t bytes = kCount * sizeof(float);
  auto* const small = static_cast<float*>(misuse::zeros(kUnits * kUnitBytes));
  auto* const result = static_cast<float*>(misuse::zeros(bytes));
  aclTensor* const in = misuse::floats(misuse::zeros(bytes), kCount);
  aclTensor* const out = misuse::floats(result, kCount);
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  AddOne first{nullptr, small};
  AddOne last{small, result + kCount - kUnits * kUnitFloats};
  aclmdlRI model = nullptr;
  misuse::require(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  launch(first, device.stream);
  misuse::require(aclnnSelu(nullptr, 0, executor, device.stream));
  launch(last, device.stream);
  misuse::require(aclmdlRICaptureEnd(device.stream, &model));
  misuse::require(aclmdlRIExecuteAsync(model, device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  misuse::require(aclmdlRIDestroy(model));
  return result[kCount - 1] == 42.0F ? 0 : 1;
}
