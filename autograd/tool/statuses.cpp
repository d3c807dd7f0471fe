// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr aclnnStatus kOutsideOfStorage = 561103;

constexpr DType kEveryDType[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                                 DType::int8,    DType::int16,   DType::int32,    DType::int64,
                                 DType::uint8,   kUint16,        kUint32,         kUint64,
                                 DType::boolean, kComplex64,     kComplex128};

// The family of the device: the longest name that its chip's name starts with.
std::string family_of(const Library& library) {
  const std::string chip = library.product();
  std::string found;
  for (const std::string family : kProducts) {
    if (chip.starts_with(family) && family.size() > found.size()) found = family;
  }
  return found.empty() ? "an unknown product" : found;
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
      outside_of_storage(i);
    }
    products();
    ranks();
    for (const Refusal& refusal : entry_.refusals) {
      expect(refusal.what, refusal.status,
             refusal.tensors.empty() ? entry_.tensors : refusal.tensors, refusal.plan);
    }
    return std::move(report_);
  }

 private:
  using Change = std::function<aclnnStatus(std::vector<aclTensor*> tensors, std::uint64_t* size,
                                           aclOpExecutor** executor)>;
  using Views = std::function<void(std::vector<View>& views, std::deque<Guarded>& memory)>;

  void null_pointers() {
    const PlanFunction& plan = entry_.plan;
    expect_change("a null workspaceSize", kNullPointer,
                  [&](auto t, auto*, auto** executor) { return plan(t, nullptr, executor); });
    expect_change("a null executor", kNullPointer,
                  [&](auto t, auto* size, auto**) { return plan(t, size, nullptr); });
    for (std::size_t i = 0; i < entry_.tensors.size(); ++i) {
      if (entry_.tensors[i].optional) continue;
      expect_change("null " + entry_.tensors[i].name, entry_.tensors[i].if_null,
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
    if (tensor.dtype) wrong = tensor.free_dtype ? DTypes() : DTypes{DType::float64};
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
    expect(fmt::format("{} of shape {}", tensor.name, dims_text(tensors[i].shape)),
           entry_.wrong_shape, tensors, entry_.plan);
  }

  // A strided input whose last element lies behind its storage. Nothing is documented of outputs.
  void outside_of_storage(std::size_t i) {
    const bool written =
        std::find(entry_.written.begin(), entry_.written.end(), i) != entry_.written.end();
    if (i >= entry_.inputs || written) return;
    if (count_of(entry_.tensors[i].shape) < 2) return;
    compare(entry_.tensors[i].name + ", strided, that leaves its storage", kOutsideOfStorage,
            entry_.tensors, call(entry_.plan),
            [i](std::vector<View>& views, std::deque<Guarded>& memory) {
              View& view = views[i];
              view = memory
                         .emplace_back(view.dtype, view.shape, Layout::strided,
                                       static_cast<unsigned char>(0))
                         .view();
              view.storage = view.place(view.count() - 1);
            });
  }

  // Every product has a table of its own. Without a way to choose one there is that of the device.
  void products() {
    const auto has_dtype = [](const TensorArgument& tensor) { return tensor.dtype.has_value(); };
    if (std::ranges::all_of(entry_.tensors, has_dtype)) return;
    std::vector<std::string> families = {family_of(library_)};
    if (library_.can_set_product()) families.assign(std::begin(kProducts), std::end(kProducts));
    for (const std::string& product : families) {
      library_.set_product(product);
      for (const DType dtype : kEveryDType) {
        const bool in_table =
            contains(entry_.dtypes, dtype) &&
            (dtype != DType::bfloat16 || has_bfloat16(product) || entry_.bfloat16_everywhere);
        const bool refused = entry_.refuses && entry_.refuses(product, dtype);
        const bool also = entry_.also_accepts && entry_.also_accepts(product, dtype);
        expect(fmt::format("all tensors of {} on {}", short_name(dtype), product),
               (in_table || also) && !refused ? 0 : kInvalid, all_of(dtype), entry_.plan);
      }
    }
    library_.set_product("");
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
    expect(fmt::format("tensors of rank {}", entry_.highest_rank + 1), entry_.wrong_shape, tensors,
           entry_.plan);
  }

  static Change call(const PlanFunction& plan) {
    return [&plan](auto t, auto* size, auto** executor) { return plan(t, size, executor); };
  }

  void expect(const std::string& what, aclnnStatus wanted,
              const std::vector<TensorArgument>& tensors, const PlanFunction& plan) {
    compare(what, wanted, tensors, call(plan));
  }

  void expect_change(const std::string& what, aclnnStatus wanted, const Change& change) {
    compare(what, wanted, entry_.tensors, change);
  }

  void compare(const std::string& what, aclnnStatus wanted,
               const std::vector<TensorArgument>& arguments, const Change& change,
               const Views& arrange = {}) {
    ++report_.checks;
    std::deque<Guarded> memory;
    std::vector<View> views;
    for (const TensorArgument& argument : arguments) {
      views.push_back(memory
                          .emplace_back(argument.dtype.value_or(DType::float32), argument.shape,
                                        Layout::contiguous, static_cast<unsigned char>(0))
                          .view());
    }
    if (arrange) arrange(views, memory);
    TensorsOnDevice tensors(library_, views, {});
    const std::span<aclTensor* const> handles = tensors.tensors();
    constexpr std::uint64_t kUntouched = 0x5A5A5A5A;
    std::uint64_t size = kUntouched;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = change({handles.begin(), handles.end()}, &size, &executor);
    if (status != wanted) {
      say(fmt::format("{}: returns {}, documented is {}", what, status, wanted));
    } else if (status != 0 && (size != kUntouched || executor != nullptr)) {
      say(what + ": is refused, but workspaceSize or executor was written");
    }
    if (executor != nullptr) library_.destroy(executor);
  }

  void say(std::string text) {
    report_.findings.push_back(
        {.check = "status",
         .operator_name = with_attributes(entry_.api + "GetWorkspaceSize", subject_),
         .text = std::move(text),
         .suspect = "the parameter checks of phase one",
         .reproduce = subject_.checked.reproduce});
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
