// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/catalogue.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "aclgrad/error.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/chains.h"
#include "gradcheck/tool/options.h"

namespace aclgrad::gradcheck {
namespace {

using contract::Arguments;
using contract::Operator;

const Operator& find(const std::string& op) {
  for (const Operator& each : contract::all_contracts()) {
    if (!op.empty() && op == each.words.check) return each;
  }
  throw ValueError(fmt::format("no operator is called '{}'; known are {}", op,
                               fmt::join(operator_names(), ", ")));
}

// Whether the backward has a result for each of the forward's inputs that have a gradient.
bool is_whole(const Operator& op, const contract::Sample& sample) {
  if (!op.gradient) return true;
  const auto call_of = [&sample](const Operator& of) {
    return Arguments(of, sample, contract::base_shape_of(of, 2));
  };
  const Arguments forward = call_of(contract::find_contract(op.gradient->of));
  return outputs_of(call_of(op)).size() <= inputs_of(forward).size();
}

const std::string& base_name(const Operator& op) {
  return op.domain.base.empty() ? op.call.parameters.front().name : op.domain.base;
}

Target target_of(const LibraryPointer& library, const Operator& op, const Attributes& attributes,
                 const std::optional<Dims>& shape) {
  contract::Sample sample = detail::sample_of(op, attributes);
  const Operator& forward = op.gradient ? contract::find_contract(op.gradient->of) : op;
  if (shape) {
    // Instead of the sample's.
    std::erase_if(sample.settings,
                  [&](const auto& setting) { return setting.first == base_name(forward); });
  }
  const Dims base = shape.value_or(contract::base_shape_of(forward, 2));
  const Arguments call(forward, sample, base);
  std::optional<Arguments> backward;
  if (op.gradient) backward.emplace(op, sample, base);
  Target target{.forward = BoundCall(library, call), .candidate = {call, backward, nullptr}};
  for (const Operator& form : contract::all_contracts()) {
    if (form.call.form_of != forward.name()) continue;
    const Arguments taken(form, sample, base);
    if (is_form_of(taken, call)) target.other_forms.emplace_back(library, taken);
  }
  Candidate& candidate = target.candidate;
  const std::vector<const contract::Parameter*> inputs = candidate.inputs();
  if (!inputs.empty() && inputs.front()->name != base_name(forward)) {
    candidate.command_shape = call.shape(base_name(forward));
  }
  candidate.reproduce = detail::options_text(backward ? *backward : call);
  if (backward) {
    const std::string more = detail::options_text(call, &op);
    if (!more.empty()) candidate.reproduce += (candidate.reproduce.empty() ? "" : " ") + more;
    target.backward.emplace(library, *backward);
    if (op.is_elementwise()) candidate.in_place = {0, 1};
    if (std::ranges::count(op.domain.everywhere, ACL_DOUBLE) > 0) {
      target.gradient_dtypes.push_back(DType::float64);
    }
    candidate.function = from_executors(library, op.name(), target.backward->plan);
  }
  detail::add_chain(library, target);
  return target;
}

}  // namespace

PlanFunction plan_of(const LibraryPointer& library, const Arguments& arguments,
                     const std::vector<std::string>& nulls) {
  const contract::Maker maker{
      .scalar =
          [&library](double value, aclDataType dtype) {
            return const_cast<aclScalar*>(
                dtype == ACL_FLOAT ? library->scalar(static_cast<float>(value))
                                   : library->scalar(static_cast<Number>(value), dtype_of(dtype)));
          },
      .int_array =
          [&library](const Dims& values) {
            return const_cast<aclIntArray*>(library->int_array(values));
          },
      .bool_array =
          [&library](const std::vector<char>& values) {
            return const_cast<aclBoolArray*>(library->bool_array(values));
          }};
  contract::BoundPhaseOne bound(
      arguments, maker, library->ask(arguments.op().name() + "GetWorkspaceSize"),
      [library](const char* name) { return library->find(name); }, nulls);
  if (bound.needs_dtype()) library->ask("aclGetDataType");
  return bound;
}

BoundCall::BoundCall(const LibraryPointer& library, Arguments call)
    : arguments(std::move(call)), plan(plan_of(library, arguments)) {
  contract::DTypes with_values = value_dtypes_of(arguments);
  if (with_values.empty()) with_values = table_dtypes_of(arguments.op());
  for (const aclDataType dtype : with_values) dtypes.push_back(dtype_of(dtype));
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator& op : contract::all_contracts()) {
    if (!op.words.check.empty()) names.push_back(op.words.check);
  }
  return names;
}

Target make_target(const LibraryPointer& library, const std::string& op,
                   const Attributes& attributes, std::optional<Dims> shape) {
  const Operator& known = find(op);
  library->take_missing();  // of what was asked for before
  try {
    Target target = target_of(library, known, attributes, shape);
    target.lacking = library->take_missing();
    target.op = op;
    std::string& reproduce = target.candidate.reproduce;
    target.command = "--op " + op + (reproduce.empty() ? "" : " " + reproduce);
    reproduce = "aclgrad-gradcheck " + target.command;
    if (library->path().find('/') != std::string::npos) {
      reproduce += " --library " + library->path();
    }
    return target;
  } catch (const std::invalid_argument& error) {
    throw ValueError(error.what());
  }
}

std::vector<Attributes> variants(const std::string& op) {
  const Operator& known = find(op);
  std::vector<Attributes> all;
  for (const contract::Sample& sample : known.domain.samples) {
    if (sample.is_gradient && is_whole(known, sample)) all.push_back({.sample = &sample});
  }
  return all;
}

std::vector<std::string> options_of(const std::string& op) { return detail::options_of(find(op)); }

std::vector<std::string> differentiable_names() {
  const LibraryPointer nothing = Library::linked();
  std::vector<std::string> names;
  for (const std::string& name : operator_names()) {
    if (make_target(nothing, name, variants(name)[0]).has_gradient()) names.push_back(name);
  }
  return names;
}

namespace {

constexpr std::string_view kPhaseOne = "GetWorkspaceSize";

bool is_phase_one(const std::string& name) {
  return name.starts_with("aclnn") && name.ends_with(kPhaseOne);
}

}  // namespace

Coverage coverage(const LibraryPointer& library) {
  std::map<std::string, bool> has_gradient;  // by function, in any of its targets
  for (const std::string& name : operator_names()) {
    const Target target = make_target(library, name, variants(name)[0]);
    for (const BoundCall* call : target.bound_calls()) {
      bool& has = has_gradient[call->api()];
      has = has || target.has_gradient();
    }
  }
  Coverage found;
  for (const std::string& name : library->exported()) {
    if (!is_phase_one(name)) continue;
    const std::string api = name.substr(0, name.size() - kPhaseOne.size());
    found.exported.push_back(api);
    const auto known = has_gradient.find(api);
    if (known == has_gradient.end()) {
      found.unknown.push_back(api);
    } else if (!known->second) {
      found.without_gradient.push_back(api);
    }
  }
  if (found.exported.empty()) return found;
  std::set<std::string> needed;
  for (const auto& [api, has] : has_gradient) {
    if (std::ranges::count(found.exported, api) == 0 && library->has(api)) {
      needed.insert(library->origin(api));
    }
  }
  found.needed.assign(needed.begin(), needed.end());
  return found;
}

Functions::Functions(LibraryPointer library, bool own_alone) : library_(std::move(library)) {
  if (!own_alone) return;
  const std::vector<std::string> own = library_->exported();
  if (std::ranges::any_of(own, is_phase_one)) own_.insert(own.begin(), own.end());
}

bool Functions::has(const std::string& name) const {
  return own_.empty() ? library_->has(name) : own_.contains(name);
}

double promised(const contract::Arguments& call, DType dtype) {
  const contract::Bound bound = bound_of(call);
  if (dtype == DType::float16 || dtype == DType::bfloat16) {
    return std::max(0.5001, bound.of_16_bits);
  }
  return dtype == DType::float64 ? bound.of_double.value_or(bound.of_float) : bound.of_float;
}

std::vector<const BoundCall*> Target::bound_calls() const {
  std::vector<const BoundCall*> all;
  if (forward) all.push_back(&*forward);
  for (const BoundCall& form : other_forms) all.push_back(&form);
  if (backward) all.push_back(&*backward);
  return all;
}

DTypes Target::dtypes() const {
  DTypes all;
  const auto join = [&](const DTypes& others) {
    for (const DType dtype : others) {
      if (!contains(all, dtype)) all.push_back(dtype);
    }
  };
  if (forward) join(forward->dtypes);
  for (const BoundCall& form : other_forms) join(form.dtypes);
  if (has_gradient()) join(gradient_dtypes);
  return all;
}

std::vector<std::string> Target::leave_out_missing(const Functions& functions) {
  std::set<std::string> names;
  const auto lacks = [&](const std::string& api) {
    bool lacking_one = false;
    for (const std::string& name : {api, api + "GetWorkspaceSize"}) {
      if (functions.has(name)) continue;
      names.insert(name);
      lacking_one = true;
    }
    return lacking_one;
  };
  if (lacks(contract().name())) forward.reset();
  std::erase_if(other_forms, [&](const BoundCall& form) { return lacks(form.api()); });
  bool lacks_gradient = backward && lacks(backward->api());
  for (const std::string& api : calls) lacks_gradient = lacks(api) || lacks_gradient;
  // One that is made of other operators says nothing of an operator that is not there.
  if (!backward && !forward) lacks_gradient = true;
  // Functions of the runtime are needed by all parts.
  const auto of_runtime = [&](const std::string& name) {
    return !name.starts_with("aclnn") && names.insert(name).second;
  };
  if (std::ranges::count_if(lacking, of_runtime) > 0) {
    forward.reset();
    other_forms.clear();
    lacks_gradient = true;
  }
  if (lacks_gradient) {
    backward.reset();
    candidate.function = nullptr;
  }
  return {names.begin(), names.end()};
}

std::map<DType, std::string> Target::leave_out_refused(Library& library) {
  std::map<DType, std::string> refused;
  const auto takes = [&](const BoundCall& call, DType dtype) {
    const std::string message = refusal_of(library, call, dtype, Layout::contiguous);
    if (!message.empty()) refused.emplace(dtype, message);
    return message.empty();
  };
  const auto is_refused = [&](BoundCall& call) {
    std::erase_if(call.dtypes, [&](DType dtype) { return !takes(call, dtype); });
    return call.dtypes.empty();
  };
  if (forward && is_refused(*forward)) forward.reset();
  std::erase_if(other_forms, is_refused);
  if (!has_gradient()) return refused;
  std::erase_if(gradient_dtypes, [&](DType dtype) {
    return backward ? !takes(*backward, dtype) : refused.contains(dtype);
  });
  if (gradient_dtypes.empty()) {
    backward.reset();
    candidate.function = nullptr;
  }
  return refused;
}

}  // namespace aclgrad::gradcheck
