// SPDX-License-Identifier: Apache-2.0
#include "tool/catalogue.h"

#include <algorithm>
#include <set>

#include "aclgrad/error.h"
#include "tool/call.h"

namespace aclgrad::gradcheck {
namespace {

const std::vector<detail::KnownOperator>& known() {
  static const std::vector<detail::KnownOperator> all = detail::book_operators();
  return all;
}

const detail::KnownOperator& find(const std::string& op) {
  std::string names;
  for (const detail::KnownOperator& entry : known()) {
    if (op == entry.name) return entry;
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  throw ValueError("no operator is called '" + op + "'; known are " + names);
}

}  // namespace

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const detail::KnownOperator& entry : known()) names.emplace_back(entry.name);
  return names;
}

Subject make_subject(const LibraryPointer& library, const std::string& op,
                     const Attributes& attributes, std::optional<Dims> shape) {
  library->take_missing();  // of what was asked for before
  Subject subject = find(op).make(library, attributes, shape);
  subject.lacking = library->take_missing();
  subject.op = op;
  subject.command =
      "--op " + op + (subject.checked.reproduce.empty() ? "" : " " + subject.checked.reproduce);
  subject.checked.reproduce = "aclgrad-gradcheck " + subject.command;
  if (library->path().find('/') != std::string::npos) {
    subject.checked.reproduce += " --library " + library->path();
  }
  return subject;
}

std::vector<Attributes> variants(const std::string& op) { return find(op).variants; }

std::vector<std::string> options_of(const std::string& op) { return find(op).options; }

std::vector<std::string> differentiable_names() {
  const LibraryPointer nothing = Library::linked();
  std::vector<std::string> names;
  for (const detail::KnownOperator& entry : known()) {
    if (entry.make(nothing, entry.variants[0], std::nullopt).has_gradient()) {
      names.emplace_back(entry.name);
    }
  }
  return names;
}

Coverage coverage(const LibraryPointer& library) {
  std::set<std::string> apis;
  for (const detail::KnownOperator& entry : known()) {
    const Subject subject = make_subject(library, entry.name, entry.variants[0]);
    for (const EntryPoint* point : subject.entry_points()) apis.insert(point->api);
  }
  constexpr std::string_view kPhaseOne = "GetWorkspaceSize";
  Coverage found;
  for (const std::string& name : library->exported()) {
    if (!name.starts_with("aclnn") || !name.ends_with(kPhaseOne)) continue;
    const std::string api = name.substr(0, name.size() - kPhaseOne.size());
    found.exported.push_back(api);
    if (!apis.contains(api)) found.unknown.push_back(api);
  }
  return found;
}

double Subject::promised(DType dtype) const {
  if (dtype == DType::float16 || dtype == DType::bfloat16) return forward_ulp_16bit;
  return dtype == DType::float64 ? forward_ulp_double.value_or(forward_ulp) : forward_ulp;
}

std::vector<const EntryPoint*> Subject::entry_points() const {
  std::vector<const EntryPoint*> all;
  if (has_forward) all.push_back(&forward);
  for (const EntryPoint& form : other_forms) all.push_back(&form);
  if (backward) all.push_back(&*backward);
  return all;
}

DTypes Subject::dtypes() const {
  DTypes all;
  const auto join = [&](const DTypes& others) {
    for (const DType dtype : others) {
      if (std::find(all.begin(), all.end(), dtype) == all.end()) all.push_back(dtype);
    }
  };
  if (has_forward) join(forward.value_dtypes());
  for (const EntryPoint& form : other_forms) join(form.value_dtypes());
  if (has_gradient()) join(gradient_dtypes);
  return all;
}

std::vector<std::string> Subject::leave_out_missing(const Library& library) {
  std::set<std::string> names;
  const auto lacks = [&](const std::string& api) {
    bool lacking_one = false;
    for (const std::string& name : {api, api + "GetWorkspaceSize"}) {
      if (library.has(name)) continue;
      names.insert(name);
      lacking_one = true;
    }
    return lacking_one;
  };
  has_forward = !lacks(forward.api);
  std::erase_if(other_forms, [&](const EntryPoint& form) { return lacks(form.api); });
  bool lacks_gradient = backward && lacks(backward->api);
  for (const std::string& api : calls) lacks_gradient = lacks(api) || lacks_gradient;
  // One that is made of other operators says nothing of an operator that is not there.
  if (!backward && !has_forward) lacks_gradient = true;
  // Functions of the runtime are needed by all parts.
  const auto of_runtime = [&](const std::string& name) {
    return !name.starts_with("aclnn") && names.insert(name).second;
  };
  if (std::ranges::count_if(lacking, of_runtime) > 0) {
    has_forward = false;
    other_forms.clear();
    lacks_gradient = true;
  }
  if (lacks_gradient) {
    backward.reset();
    checked.backward = nullptr;
  }
  return {names.begin(), names.end()};
}

std::map<DType, std::string> Subject::leave_out_refused(Library& library) {
  std::map<DType, std::string> refused;
  const auto takes = [&](const EntryPoint& entry, DType dtype) {
    const std::string message = refusal_of(library, entry, dtype, Layout::contiguous);
    if (!message.empty()) refused.emplace(dtype, message);
    return message.empty();
  };
  const auto keep = [&](EntryPoint& entry) {
    entry.values = entry.value_dtypes();
    std::erase_if(entry.values, [&](DType dtype) { return !takes(entry, dtype); });
    return !entry.values.empty();
  };
  if (has_forward) has_forward = keep(forward);
  std::erase_if(other_forms, [&](EntryPoint& form) { return !keep(form); });
  if (!has_gradient()) return refused;
  std::erase_if(gradient_dtypes, [&](DType dtype) {
    return backward ? !takes(*backward, dtype) : refused.contains(dtype);
  });
  if (gradient_dtypes.empty()) {
    backward.reset();
    checked.backward = nullptr;
  }
  return refused;
}

}  // namespace aclgrad::gradcheck
