// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr aclnnStatus kNullPointer = 161001;
constexpr aclnnStatus kInvalid = 161002;

constexpr DType kEveryDType[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                                 DType::int8,    DType::int16,   DType::int32,    DType::int64,
                                 DType::uint8,   kUint16,        kUint32,         kUint64,
                                 DType::boolean, kComplex64,     kComplex128};

bool contains(const DTypes& dtypes, DType dtype) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

// One entry point in FLOAT, called with its arguments changed one at a time.
class StatusProbe {
 public:
  StatusProbe(Library& library, const Subject& subject, const EntryPoint& entry)
      : library_(library), subject_(subject), entry_(entry) {}

  Report run() {
    expect("arguments that are right", 0, entry_.tensors, entry_.plan);
    null_pointers();
    for (std::size_t i = 0; i < entry_.tensors.size(); ++i) {
      wrong_dtypes(i);
      wrong_shapes(i);
    }
    for (const DType dtype : entry_.mixed) {
      expect(fmt::format("all tensors of {}", short_name(dtype)), kInvalid, all_of(dtype),
             entry_.plan);
    }
    ranks();
    for (const Refusal& refusal : entry_.refusals) {
      expect(refusal.what, refusal.status, entry_.tensors, refusal.plan);
    }
    return std::move(report_);
  }

 private:
  using Change = std::function<aclnnStatus(std::vector<aclTensor*> tensors, std::uint64_t* size,
                                           aclOpExecutor** executor)>;

  void null_pointers() {
    const PlanFunction& plan = entry_.plan;
    expect_change("a null workspaceSize", kNullPointer,
                  [&](auto t, auto*, auto** executor) { return plan(t, nullptr, executor); });
    expect_change("a null executor", kNullPointer,
                  [&](auto t, auto* size, auto**) { return plan(t, size, nullptr); });
    for (std::size_t i = 0; i < entry_.tensors.size(); ++i) {
      expect_change("null " + entry_.tensors[i].name, kNullPointer,
                    [&](auto t, auto* size, auto** executor) {
                      t[i] = nullptr;
                      return plan(t, size, executor);
                    });
    }
  }

  void wrong_dtypes(std::size_t i) {
    const TensorArgument& tensor = entry_.tensors[i];
    // An output may take any dtype that the result converts to, which is not everywhere told apart.
    if (tensor.promotes || (i >= entry_.inputs && tensor.free_dtype)) return;
    std::vector<DType> wrong;
    for (const DType dtype : kEveryDType) {
      if (!contains(entry_.dtypes, dtype) && !contains(entry_.mixed, dtype)) wrong.push_back(dtype);
    }
    if (!tensor.free_dtype && entry_.tensors.size() > 1) wrong.push_back(DType::float16);
    if (tensor.dtype) wrong = {DType::float64};
    for (const DType dtype : wrong) {
      std::vector<TensorArgument> tensors = entry_.tensors;
      tensors[i].dtype = dtype;
      expect(fmt::format("{} of {}", tensor.name, short_name(dtype)), kInvalid, tensors,
             entry_.plan);
    }
  }

  std::vector<TensorArgument> all_of(DType dtype) const {
    std::vector<TensorArgument> tensors = entry_.tensors;
    for (TensorArgument& tensor : tensors) tensor.dtype = tensor.dtype.value_or(dtype);
    return tensors;
  }

  void wrong_shapes(std::size_t i) {
    const TensorArgument& tensor = entry_.tensors[i];
    if (tensor.shape.empty() || tensor.free_shape) return;
    std::vector<TensorArgument> tensors = entry_.tensors;
    for (std::int64_t& extent : tensors[i].shape) extent += 1;
    expect(fmt::format("{} of shape {}", tensor.name, dims_text(tensors[i].shape)), kInvalid,
           tensors, entry_.plan);
  }

  void ranks() {
    if (entry_.highest_rank >= 25) return;
    std::vector<TensorArgument> tensors = entry_.tensors;
    for (TensorArgument& tensor : tensors) {
      if (tensor.shape.empty()) continue;
      while (tensor.shape.size() <= entry_.highest_rank) {
        tensor.shape.insert(tensor.shape.begin(), 1);
      }
    }
    expect(fmt::format("tensors of rank {}", entry_.highest_rank + 1), kInvalid, tensors,
           entry_.plan);
  }

  void expect(const std::string& what, aclnnStatus wanted,
              const std::vector<TensorArgument>& tensors, const PlanFunction& plan) {
    compare(what, wanted, tensors,
            [&](auto t, auto* size, auto** executor) { return plan(t, size, executor); });
  }

  void expect_change(const std::string& what, aclnnStatus wanted, const Change& change) {
    compare(what, wanted, entry_.tensors, change);
  }

  void compare(const std::string& what, aclnnStatus wanted,
               const std::vector<TensorArgument>& arguments, const Change& change) {
    ++report_.checks;
    std::deque<Guarded> memory;
    std::vector<View> views;
    for (const TensorArgument& argument : arguments) {
      views.push_back(memory
                          .emplace_back(argument.dtype.value_or(DType::float32), argument.shape,
                                        Layout::contiguous, static_cast<unsigned char>(0))
                          .view());
    }
    TensorsOnDevice tensors(library_, views, {});
    const std::span<aclTensor* const> handles = tensors.tensors();
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = change({handles.begin(), handles.end()}, &size, &executor);
    if (executor != nullptr) library_.destroy(executor);
    if (status == wanted) return;
    Finding finding{.check = "status",
                    .operator_name = entry_.api + "GetWorkspaceSize " + subject_.checked.attributes,
                    .text = fmt::format("{}: returns {}, documented is {}", what, status, wanted),
                    .suspect = "the parameter checks of phase one"};
    finding.reproduce = subject_.checked.reproduce;
    report_.findings.push_back(std::move(finding));
  }

  Library& library_;
  const Subject& subject_;
  const EntryPoint& entry_;
  Report report_;
};

}  // namespace

Report check_statuses(Library& library, const Subject& subject, const EntryPoint& entry) {
  return StatusProbe(library, subject, entry).run();
}

}  // namespace aclgrad::gradcheck
