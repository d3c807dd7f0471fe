// SPDX-License-Identifier: Apache-2.0
#include "tool/catalogue.h"

#include <algorithm>
#include <set>

#include "aclgrad/error.h"

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

std::vector<const EntryPoint*> Subject::entry_points() const {
  std::vector<const EntryPoint*> all = {&forward};
  for (const EntryPoint& form : other_forms) all.push_back(&form);
  if (backward) all.push_back(&*backward);
  return all;
}

DTypes Subject::dtypes() const {
  DTypes all = forward.value_dtypes();
  const auto join = [&](const DTypes& others) {
    for (const DType dtype : others) {
      if (std::find(all.begin(), all.end(), dtype) == all.end()) all.push_back(dtype);
    }
  };
  for (const EntryPoint& form : other_forms) join(form.value_dtypes());
  if (has_gradient()) join(gradient_dtypes);
  return all;
}

std::vector<std::string> Subject::missing(const Library& library) const {
  std::vector<std::string> apis = calls;
  for (const EntryPoint* entry : entry_points()) apis.push_back(entry->api);
  std::set<std::string> names(lacking.begin(), lacking.end());
  for (const std::string& api : apis) {
    for (const std::string& name : {api, api + "GetWorkspaceSize"}) {
      if (!library.has(name)) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace aclgrad::gradcheck
