// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "aclgrad_ext.h"
#include "ops/meta/executor.h"
#include "ops/meta/hooks.h"
#include "ops/meta/if_memory_allows.h"
#include "ops/meta/objects.h"
#include "ops/meta/rules.h"
#include "ops/meta/storage.h"
#include "ops/runtime/base/float_environment.h"

namespace aclgrad::ops {
namespace {

CheckResult check(const Arguments& arguments) {
  for (const Rule& rule : arguments.spec().rules) {
    if (CheckResult result = rule(arguments); result.status != OK) return result;
  }
  return check_storage(arguments);
}

// All that an operator may touch of a tensor.
Tiling::Footprint whole_tensor(const Arguments& arguments, size_t i) {
  const aclTensor& tensor = arguments.tensor(i);
  const bool is_written = arguments.role(i) != Role::kInput;
  if (is_empty(tensor)) return {i, 0, 0, 0, is_written};
  int64_t first = 0;
  int64_t last = 0;
  for (size_t d = 0; d < tensor.view_shape.size(); ++d) {
    const int64_t stride = tensor.view_strides[d];
    (stride < 0 ? first : last) += (tensor.view_shape[d] - 1) * stride;
  }
  return {i, bytes_of(tensor.dtype, first), 0, bytes_of(tensor.dtype, last + 1 - first),
          is_written};
}

std::unique_ptr<aclOpExecutor> make_executor(const Arguments& arguments, Plan plan) {
  plan.touched.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments.role(i) == Role::kAttribute || arguments[i].tensor() == nullptr) continue;
    plan.touched.push_back(whole_tensor(arguments, i));
  }
  auto executor = std::make_unique<aclOpExecutor>();
  executor->spec = &arguments.spec();
  executor->plan = std::make_shared<const Plan>(std::move(plan));
  executor->bindings.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments.role(i) == Role::kAttribute || arguments[i].tensor() == nullptr) continue;
    const aclTensor& tensor = arguments.tensor(i);
    // A view without elements was not held to its storage: its offset may be anything.
    const int64_t offset = is_empty(tensor) ? 0 : tensor.offset;
    executor->bindings[i] = {&tensor, tensor.data, bytes_of(tensor.dtype, offset),
                             arguments.parameter(i)};
  }
  return executor;
}

// One queued run. It shares the plan and has its own copy of the addresses, so that the executor
// may be changed or destroyed as soon as phase two has returned. The addresses stand behind it in
// the same memory, one for each binding, and then, as many again, whose they are.
class Task {
 public:
  static Task* make(const aclOpExecutor& executor, void* workspace) {
    const size_t count = executor.bindings.size();
    void* const memory = ::operator new(sizeof(Task) + 2 * count * sizeof(void*));
    return new (memory) Task(executor, workspace, count);
  }
  static void destroy(Task* task) {
    task->~Task();
    ::operator delete(task);
  }

  const Plan& plan() const { return *plan_; }
  void* workspace() const { return workspace_; }
  void* address(size_t parameter) const { return addresses()[parameter]; }
  Run run() const { return Run(std::span(addresses(), count_), workspace_); }

  // True if the task has addresses from the tensor.
  bool move(const void* tensor, intptr_t bytes) {
    bool found = false;
    for (size_t i = 0; i < count_; ++i) {
      if (addresses()[count_ + i] != tensor) continue;
      void*& address = addresses()[i];
      address = reinterpret_cast<void*>(reinterpret_cast<intptr_t>(address) + bytes);
      found = true;
    }
    return found;
  }

 private:
  Task(const aclOpExecutor& executor, void* workspace, size_t count)
      : plan_(executor.plan), workspace_(workspace), count_(count) {
    void** address = addresses();
    void** owner = address + count;
    for (const aclOpExecutor::Binding& binding : executor.bindings) {
      *address++ = binding.object == nullptr
                       ? nullptr
                       : static_cast<unsigned char*>(binding.base) + binding.byte_offset;
      *owner++ = const_cast<aclTensor*>(binding.object);  // NOLINT: a key
    }
  }
  ~Task() = default;

  void** addresses() { return reinterpret_cast<void**>(this + 1); }
  void* const* addresses() const { return reinterpret_cast<void* const*>(this + 1); }

  std::shared_ptr<const Plan> plan_;
  void* workspace_;
  size_t count_;
};

const Task& task_of(const void* argument) { return *static_cast<const Task*>(argument); }

aclError run_task(void* argument) {
  const Task& task = task_of(argument);
  return task.plan().body(task.run());
}

void release_task(void* argument) { Task::destroy(static_cast<Task*>(argument)); }

// What a run touches: the tensors by the footprints of the tiling, else as a whole, and the
// workspace.
size_t describe_operands(const Task& task, aclgradFootprint* operands, size_t capacity) {
  const Plan& plan = task.plan();
  size_t count = 0;
  const auto describe = [&](void* base, const Tiling::Footprint& known) {
    if (count < capacity) {
      operands[count] = {static_cast<unsigned char*>(base) + known.offset, known.step, known.length,
                         known.is_written ? 1 : 0};
    }
    ++count;
  };
  const size_t tensors = plan.tiling ? plan.tiling->operand_count() : plan.touched.size();
  for (size_t k = 0; k < tensors; ++k) {
    const Tiling::Footprint known = plan.tiling ? plan.tiling->footprint(k) : plan.touched[k];
    describe(task.address(known.parameter), known);
  }
  if (plan.workspace_size > 0) {
    describe(task.workspace(), {0, 0, 0, static_cast<int64_t>(plan.workspace_size), true});
  }
  return count;
}

// What a recorded model may do with the tasks of operators; those whose plan has a tiling can be
// cut.
constexpr aclgradTiling kTiling{
    .units =
        [](const void* argument) {
          const auto& tiling = task_of(argument).plan().tiling;
          return tiling ? tiling->units() : 0;
        },
    .operands =
        [](const void* argument, aclgradFootprint* operands, size_t capacity) {
          return describe_operands(task_of(argument), operands, capacity);
        },
    .row_groups =
        [](const void* argument, int64_t* units, int64_t* min_row_groups) {
          const auto& tiling = task_of(argument).plan().tiling;
          const Tiling::RowGroups lines = tiling ? tiling->row_groups() : Tiling::RowGroups();
          *units = lines.units;
          *min_row_groups = lines.minimum;
        },
    .run = [](void* argument, const aclgradTile* part) -> aclError {
      const Task& task = task_of(argument);
      try {
        task.plan().tiling->run_part(
            task.run(), {part->begin, part->end, part->rows, part->stride, part->keep_cached != 0});
      } catch (const std::bad_alloc&) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
      } catch (const std::exception&) {
        return ACL_ERROR_RT_INTERNAL_ERROR;
      }
      return ACL_SUCCESS;
    },
    .move = [](void* argument, const void* tensor, intptr_t bytes) -> int32_t {
      return static_cast<Task*>(argument)->move(tensor, bytes) ? 1 : 0;
    },
};

aclnnStatus launch(const aclOpExecutor& executor, void* workspace, aclrtStream stream) {
  OperatorHooks* const active = hooks();
  if (active != nullptr) active->executor_used(executor);
  if (!executor.plan->body) return OK;
  const char* const name = executor.spec->name;
  Task* const task = Task::make(executor, workspace);
  const aclError error =
      active == nullptr ? aclgradLaunchTiled(stream, name, run_task, task, release_task, &kTiling)
                        : active->launch(executor, workspace,
                                         {stream, name, run_task, task, release_task, &kTiling});
  if (error == ACL_SUCCESS) return OK;
  report(
      executor.spec->name, kRuntimeError,
      fmt::format("the work could not be queued on argument stream: acl error {}, expected 0.",
                  error),
      "See the message before this one; often no device is set on this thread, or the stream was "
      "destroyed.");
  return kRuntimeError;
}

aclnnStatus inner_error(const char* name, const char* step, const std::exception& problem) {
  if_memory_allows(
      [&] { report(name, kInnerError, fmt::format("{} failed: {}.", step, problem.what())); });
  return kInnerError;
}

aclnnStatus plan(const OperatorSpec& spec, std::initializer_list<Argument> values,
                 uint64_t* workspaceSize, aclOpExecutor** executor, const Planner& planner) {
  try {
    if (workspaceSize == nullptr || executor == nullptr) {
      report(spec.name, kNullPointer,
             fmt::format("argument {} must not be null, but got a null pointer.",
                         workspaceSize == nullptr ? "workspaceSize" : "executor"),
             "Phase one writes its two results there.");
      return kNullPointer;
    }
    const Arguments arguments(spec, std::span(values.begin(), values.size()));
    if (const CheckResult result = check(arguments); result.status != OK) {
      report(spec.name, result.status, result.message, result.cause);
      return result.status;
    }
    auto made = make_executor(arguments, planner(arguments));
    if (aclgradHandleAdd(made.get(), ACLGRAD_HANDLE_EXECUTOR) != ACL_SUCCESS) {
      throw std::bad_alloc();
    }
    *workspaceSize = made->plan->workspace_size;
    *executor = made.release();
    return OK;
  } catch (const PlanError& error) {
    if_memory_allows([&] { report(spec.name, error.status, error.message); });
    return error.status;
  } catch (const std::exception& problem) {
    return inner_error(spec.name, "planning", problem);
  }
}

aclnnStatus check_and_launch(const char* name, void* workspace, uint64_t workspaceSize,
                             aclOpExecutor* executor, aclrtStream stream) {
  if (executor == nullptr) {
    report(name, kNullPointer, "argument executor must not be null, but got a null pointer.");
    return kNullPointer;
  }
  if (aclgradHandleCheck(executor, ACLGRAD_HANDLE_EXECUTOR) == 0) {
    report(name, kInnerNullPointer,
           "argument executor is not a live executor, expected one that phase one returned and "
           "that was neither run nor destroyed since.",
           kExecutorIsGone);
    return kInnerNullPointer;
  }
  if (executor->spec->name != name && std::strcmp(executor->spec->name, name) != 0) {
    report(name, kInnerNullPointer,
           fmt::format("argument executor comes from {}GetWorkspaceSize, expected one from "
                       "{}GetWorkspaceSize.",
                       executor->spec->name, name));
    return kInnerNullPointer;
  }
  const bool workspace_missing = workspaceSize > 0 && workspace == nullptr;
  struct Disposal {
    void operator()(const aclOpExecutor* used_up) const { dispose(used_up); }
  };
  std::unique_ptr<aclOpExecutor, Disposal> consumed;
  if (!executor->repeatable || workspace_missing) {
    if (aclgradHandleRemove(executor, ACLGRAD_HANDLE_EXECUTOR) == 0) {
      report(
          name, kInnerNullPointer,
          "argument executor was used by another thread meanwhile, expected one thread at a time.");
      return kInnerNullPointer;
    }
    consumed.reset(executor);
  }
  if (workspace_missing) {
    report(name, kNullPointer,
           fmt::format("argument workspace must not be null when workspaceSize is {}, but got a "
                       "null pointer; the executor is destroyed.",
                       workspaceSize));
    return kNullPointer;
  }
  if (workspaceSize < executor->plan->workspace_size) {
    report(
        name, kInvalidParameter,
        fmt::format("argument workspaceSize is {}, expected at least the {} bytes that phase one "
                    "asked for.",
                    workspaceSize, executor->plan->workspace_size));
    return kInvalidParameter;
  }
  return launch(*executor, workspace, stream);
}

aclnnStatus run(const char* name, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                aclrtStream stream) {
  try {
    return check_and_launch(name, workspace, workspaceSize, executor, stream);
  } catch (const std::exception& problem) {
    return inner_error(name, "launching", problem);
  }
}

}  // namespace

Arguments::Arguments(const OperatorSpec& spec, std::span<const Argument> values)
    : spec_(spec), values_(values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto add_members = [&](const auto* list, aclgradHandleKind kind) {
      // A list that is null or not live has no members here; the rules refuse it.
      if (list == nullptr || aclgradHandleCheck(list, kind) == 0) return;
      for (size_t k = 0; k < list->elements.size(); ++k) {
        members_.push_back(
            {i, fmt::format("{}[{}]", spec.parameters[i].name, k), Argument(list->elements[k])});
      }
    };
    add_members(values[i].tensor_list(), ACLGRAD_HANDLE_TENSOR_LIST);
    add_members(values[i].scalar_list(), ACLGRAD_HANDLE_SCALAR_LIST);
  }
}

Arguments::Members Arguments::members(size_t list) const {
  const auto found = std::ranges::equal_range(members_, list, {}, &Member::list);
  return {values_.size() + static_cast<size_t>(found.begin() - members_.begin()), found.size()};
}

aclnnStatus plan_operator(const OperatorSpec& spec, std::initializer_list<Argument> values,
                          uint64_t* workspaceSize, aclOpExecutor** executor,
                          const Planner& planner) {
  const runtime::DefaultFloatEnvironment standard;
  OperatorHooks* const active = hooks();
  if (active != nullptr) active->enter_phase_one();
  const aclnnStatus status = plan(spec, values, workspaceSize, executor, planner);
  if (active != nullptr) {
    active->leave_phase_one(spec, std::span(values.begin(), values.size()), status,
                            status == OK ? *executor : nullptr);
  }
  return status;
}

aclnnStatus run_operator(const char* name, void* workspace, uint64_t workspaceSize,
                         aclOpExecutor* executor, aclrtStream stream) {
  OperatorHooks* const active = hooks();
  if (active != nullptr) active->enter_phase_two(name);
  const aclnnStatus status = run(name, workspace, workspaceSize, executor, stream);
  if (active != nullptr) active->leave_phase_two(name, workspaceSize, stream, status);
  return status;
}

}  // namespace aclgrad::ops
