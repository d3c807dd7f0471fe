// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "gradcheck/core/watch.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr aclnnStatus kOutsideOfStorage = 561103;

using contract::Arguments;
using contract::ErrorInput;
using contract::Parameter;
using contract::TensorSpec;

// The families of products, by the names of their chips.
constexpr const char* kProducts[] = {"Ascend910", "Ascend310P", "Ascend910B", "Ascend910_93",
                                     "Ascend950"};

// The family of the device: the longest name that its chip's name starts with.
std::string family_of(const Library& library) {
  const std::string chip = library.product();
  std::string found;
  for (const std::string family : kProducts) {
    if (chip.starts_with(family) && family.size() > found.size()) found = family;
  }
  return found.empty() ? "an unknown product" : found;
}

// The right call with the changes of an error input.
Arguments changed(const contract::Operator& op, const ErrorInput& wrong) {
  Arguments arguments(op);
  for (Parameter& parameter : arguments.parameters()) {
    for (const auto& [name, spec] : wrong.changes) {
      if (parameter.name != name) continue;
      const TensorSpec* before = parameter.tensor();
      const contract::Role role = before != nullptr ? before->role : contract::Role::kInput;
      parameter.spec = spec;
      if (auto* tensor = std::get_if<TensorSpec>(&parameter.spec)) tensor->role = role;
    }
  }
  return arguments;
}

// With the tensors that gradcheck makes: of the device's own product, in FLOAT, in the format of
// their rank.
bool can_be_asked(const ErrorInput& wrong) {
  return std::string_view(wrong.product) == "Ascend910B" && wrong.dtype == ACL_FLOAT &&
         std::ranges::none_of(wrong.changes, [](const auto& change) {
           const auto* tensor = std::get_if<TensorSpec>(&change.second);
           return tensor != nullptr && tensor->format;
         });
}

// What null gives in the place of an array or a scalar; nothing where it is accepted.
std::optional<aclnnStatus> status_of_null(const contract::ParameterSpec& spec) {
  if (const auto* flags = std::get_if<contract::BoolsSpec>(&spec)) {
    return flags->optional ? std::nullopt : std::optional(flags->if_null);
  }
  const auto* scalar = std::get_if<contract::ScalarSpec>(&spec);
  const auto* values = std::get_if<contract::ValuesSpec>(&spec);
  const bool is_refused = std::holds_alternative<contract::Shape>(spec) ||
                          (scalar != nullptr && !scalar->optional) ||
                          (values != nullptr && !values->optional);
  return is_refused ? std::optional<aclnnStatus>(kNullPointer) : std::nullopt;
}

// One call in FLOAT, or the first dtype that there is, with its arguments changed one at a time.
class StatusProbe {
 public:
  StatusProbe(const LibraryPointer& library, const Target& target, const BoundCall& bound)
      : library_(library), target_(target), bound_(bound) {}

  Report run() {
    expect("arguments that are right", 0, arguments(), bound_.plan);
    null_pointers();
    const std::vector<std::size_t> places = places_of_tensors(arguments());
    for (std::size_t i = 0; i < places.size(); ++i) {
      wrong_dtypes(places[i]);
      wrong_shapes(places[i]);
      outside_of_storage(i, tensor_at(places[i]));
    }
    products();
    ranks();
    for (std::size_t i = 0; i < op().call.parameters.size(); ++i) wrong_values(i);
    for (const ErrorInput& wrong : op().error_inputs) {
      if (!can_be_asked(wrong)) continue;
      const std::string& name =
          wrong.changes.empty() ? wrong.nulls.front() : wrong.changes.front().first;
      const Arguments call = changed(op(), wrong);
      const PlanFunction plan = plan_of(library_, call, wrong.nulls);
      const std::vector<std::size_t> of_call = places_of_tensors(call);
      compare(name + " " + wrong.what, wrong.status, call,
              [&](auto t, auto* size, auto** executor) {
                for (std::size_t i = 0; i < of_call.size(); ++i) {
                  const std::string& tensor = call.parameters()[of_call[i]].name;
                  if (std::ranges::count(wrong.nulls, tensor) > 0) t[i] = nullptr;
                }
                return plan(t, size, executor);
              });
    }
    return std::move(report_);
  }

 private:
  using Change = std::function<aclnnStatus(std::vector<aclTensor*> tensors, std::uint64_t* size,
                                           aclOpExecutor** executor)>;
  using Views = std::function<void(std::vector<View>& views, std::deque<Guarded>& memory)>;

  const Arguments& arguments() const { return bound_.arguments; }
  const contract::Operator& op() const { return arguments().op(); }
  const Parameter& parameter_at(std::size_t place) const { return arguments().parameters()[place]; }
  const TensorSpec& tensor_at(std::size_t place) const { return *parameter_at(place).tensor(); }

  void null_pointers() {
    const PlanFunction& plan = bound_.plan;
    expect_change("a null workspaceSize", kNullPointer,
                  [&](auto t, auto*, auto** executor) { return plan(t, nullptr, executor); });
    expect_change("a null executor", kNullPointer,
                  [&](auto t, auto* size, auto**) { return plan(t, size, nullptr); });
    const std::vector<std::size_t> places = places_of_tensors(arguments());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (op().call.parameters[places[i]].tensor()->optional) continue;
      expect_change("null " + parameter_at(places[i]).name, tensor_at(places[i]).if_null,
                    [&](auto t, auto* size, auto** executor) {
                      t[i] = nullptr;
                      return plan(t, size, executor);
                    });
    }
  }

  void wrong_dtypes(std::size_t place) {
    const TensorSpec& tensor = tensor_at(place);
    // An output may take any dtype that the result converts to, which is not everywhere told apart.
    const bool is_output = tensor.role == contract::Role::kOutput;
    if (tensor.promotes || (is_output && tensor.any_dtype)) return;
    contract::DTypes wrong;
    for (const aclDataType dtype : contract::dtypes_with_numbers()) {
      const bool is_mixed = std::ranges::count(op().domain.mixed, dtype) > 0;
      if (!is_in_table(dtype) && !is_mixed) wrong.push_back(dtype);
    }
    const auto is_free = [&](std::size_t each) {
      return !tensor_at(each).dtype && !tensor_at(each).any_dtype;
    };
    if (!tensor.any_dtype && std::ranges::count_if(places_of_tensors(arguments()), is_free) > 1) {
      wrong.push_back(ACL_FLOAT16);
    }
    if (tensor.dtype) {
      wrong = tensor.any_dtype ? contract::DTypes() : contract::DTypes{ACL_DOUBLE};
    }
    for (const aclDataType dtype : wrong) {
      Arguments call = arguments();
      call.tensor(parameter_at(place).name).dtype = dtype;
      expect(fmt::format("{} of {}", parameter_at(place).name, short_name(dtype_of(dtype))),
             kInvalid, call, bound_.plan);
    }
  }

  bool is_in_table(aclDataType dtype) const {
    return std::ranges::count(table_dtypes_of(op()), dtype) > 0;
  }

  void wrong_shapes(std::size_t place) {
    if (tensor_at(place).shape.empty() || tensor_at(place).any_shape) return;
    const std::string& name = parameter_at(place).name;
    Arguments call = arguments();
    for (std::int64_t& extent : call.shape(name)) extent += 1;
    expect(fmt::format("{} of shape {}", name, dims_text(call.shape(name))),
           op().domain.wrong_shape, call, bound_.plan);
  }

  // A strided input whose last element lies behind its storage. Nothing is documented of outputs.
  void outside_of_storage(std::size_t i, const TensorSpec& tensor) {
    if (tensor.role != contract::Role::kInput || count_of(tensor.shape) < 2) return;
    const std::string& name = parameter_at(places_of_tensors(arguments())[i]).name;
    const bool is_taken =
        bound_.dtypes.empty() ||
        refusal_of(*library_, bound_, bound_.dtypes.front(), Layout::strided).empty();
    compare(name + ", strided, that leaves its storage", kOutsideOfStorage, arguments(),
            call(bound_.plan), is_taken ? "" : "strided tensors",
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
    const auto has_dtype = [&](std::size_t place) { return tensor_at(place).dtype.has_value(); };
    if (std::ranges::all_of(places_of_tensors(arguments()), has_dtype)) return;
    std::vector<std::string> families = {family_of(*library_)};
    if (library_->can_set_product()) families.assign(std::begin(kProducts), std::end(kProducts));
    const bool bfloat16_everywhere = std::ranges::count(op().domain.everywhere, ACL_BF16) > 0;
    for (const std::string& product : families) {
      library_->set_product(product);
      const bool has_bfloat16 = product != "Ascend910" && product != "Ascend310P";
      for (const aclDataType dtype : contract::dtypes_with_numbers()) {
        const bool accepts =
            is_in_table(dtype) && (dtype != ACL_BF16 || has_bfloat16 || bfloat16_everywhere);
        const bool refused =
            op().domain.also_refuses && op().domain.also_refuses(arguments(), product, dtype);
        const bool also =
            op().domain.also_accepts && op().domain.also_accepts(arguments(), product, dtype);
        const std::string what =
            fmt::format("all tensors of {} on {}", short_name(dtype_of(dtype)), product);
        const bool is_documented = (accepts || also) && !refused;
        compare(what, is_documented ? 0 : kInvalid, all_of(dtype), call(bound_.plan),
                is_documented ? fmt::format("{} tensors", short_name(dtype_of(dtype))) : "");
      }
    }
    library_->set_product("");
  }

  Arguments all_of(aclDataType dtype) const {
    Arguments call = arguments();
    for (Parameter& each : call.parameters()) {
      auto* tensor = std::get_if<TensorSpec>(&each.spec);
      if (tensor != nullptr) tensor->dtype = tensor->dtype.value_or(dtype);
    }
    return call;
  }

  void ranks() {
    if (op().domain.max_rank >= 25) return;
    Arguments call = arguments();
    for (Parameter& each : call.parameters()) {
      auto* tensor = std::get_if<TensorSpec>(&each.spec);
      if (tensor == nullptr || tensor->shape.empty()) continue;
      while (tensor->shape.size() <= op().domain.max_rank)
        tensor->shape.insert(tensor->shape.begin(), 1);
    }
    expect(fmt::format("tensors of rank {}", op().domain.max_rank + 1), op().domain.wrong_shape,
           call, bound_.plan);
  }

  // What follows from the kind of a parameter that is no tensor.
  void wrong_values(std::size_t place) {
    const Parameter& parameter = op().call.parameters[place];
    const contract::ParameterSpec& spec = parameter_at(place).spec;
    const auto* flags = std::get_if<contract::BoolsSpec>(&spec);
    if (flags != nullptr && !flags->optional) {
      Arguments more = arguments();
      std::get<contract::BoolsSpec>(more.parameters()[place].spec).values.push_back(1);
      expect("one value more in " + parameter.name, flags->if_longer, arguments(),
             plan_of(library_, more));
    }
    const std::optional<aclnnStatus> status = status_of_null(spec);
    if (status && !parameter.nullable) {
      expect("null " + parameter.name, *status, arguments(),
             plan_of(library_, arguments(), {parameter.name}));
    }
    if (!std::holds_alternative<contract::Shape>(spec)) return;
    // Lists of dimensions that operators refuse.
    const auto rank = static_cast<std::int64_t>(
        std::max<std::size_t>(arguments().shape(op().call.parameters.front().name).size(), 1));
    std::vector<Dims> lists = {{rank}, {-rank - 1}};
    if (!may_repeat(parameter.name, rank)) lists.push_back({0, -rank});
    for (const Dims& wrong : lists) {
      Arguments call = arguments();
      call.array(parameter.name) = wrong;
      expect(fmt::format("{} = [{}]", parameter.name, fmt::join(wrong, ", ")), kInvalid,
             arguments(), plan_of(library_, call));
    }
  }

  // Whether a list may name a dimension twice, as one of a sample does.
  bool may_repeat(const std::string& name, std::int64_t rank) const {
    for (const contract::Sample& sample : op().domain.samples) {
      for (const auto& [setting, value] : sample.settings) {
        const auto* dims = std::get_if<Dims>(&value);
        if (setting != name || dims == nullptr) continue;
        std::set<std::int64_t> seen;
        for (const std::int64_t dim : *dims) {
          if (!seen.insert(dim < 0 ? dim + rank : dim).second) return true;
        }
      }
    }
    return false;
  }

  static Change call(const PlanFunction& plan) {
    return [&plan](auto t, auto* size, auto** executor) { return plan(t, size, executor); };
  }

  void expect(const std::string& what, aclnnStatus wanted, const Arguments& tensors,
              const PlanFunction& plan) {
    compare(what, wanted, tensors, call(plan));
  }

  void expect_change(const std::string& what, aclnnStatus wanted, const Change& change) {
    compare(what, wanted, arguments(), change);
  }

  // What a library may refuse altogether, a dtype or a layout, is then left out.
  void compare(const std::string& what, aclnnStatus wanted, const Arguments& call,
               const Change& change, const std::string& may_refuse = "",
               const Views& arrange = {}) {
    ++report_.checks;
    const detail::WatchedCall watched(
        fmt::format("{}GetWorkspaceSize with {}", bound_.api(), what));
    if (!watched.crash().empty()) return say(fmt::format("{}: {}", what, watched.crash()));
    std::deque<Guarded> memory;
    std::vector<View> views = tensors_near_0(call, memory);
    if (arrange) arrange(views, memory);
    TensorsOnDevice tensors(*library_, views, {});
    const std::span<aclTensor* const> handles = tensors.tensors();
    constexpr std::uint64_t kUntouched = 0x5A5A5A5A;
    std::uint64_t size = kUntouched;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = change({handles.begin(), handles.end()}, &size, &executor);
    if (status == kInvalid && !may_refuse.empty()) {
      report_.notes["not taken: " + may_refuse].insert(target_.op);
    } else if (status != wanted) {
      say(fmt::format("{}: returns {}, documented is {}", what, status, wanted));
    } else if (status != 0 && (size != kUntouched || executor != nullptr)) {
      say(what + ": is refused, but workspaceSize or executor was written");
    }
    if (executor != nullptr) library_->destroy(executor);
  }

  void say(std::string text) {
    report_.findings.push_back(
        {.check = "status",
         .operator_name = with_attributes(bound_.api() + "GetWorkspaceSize", target_),
         .text = std::move(text),
         .diagnosis = "the parameter checks of phase one",
         .reproduce = target_.candidate.reproduce});
  }

  LibraryPointer library_;
  const Target& target_;
  const BoundCall& bound_;
  Report report_;
};

}  // namespace

Report check_statuses(const LibraryPointer& library, const Target& target, const BoundCall& bound) {
  return StatusProbe(library, target, bound).run();
}

}  // namespace aclgrad::gradcheck
