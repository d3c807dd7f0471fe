// SPDX-License-Identifier: Apache-2.0
#include "tool/catalogue.h"

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

const std::vector<detail::KnownOperator>& known() {
  static const std::vector<detail::KnownOperator> all = [] {
    std::vector<detail::KnownOperator> joined = detail::activation_operators();
    for (auto family : {detail::gated_operators, detail::loss_operators}) {
      for (detail::KnownOperator& entry : family()) joined.push_back(std::move(entry));
    }
    return joined;
  }();
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
  Subject subject = find(op).make(library, attributes, shape);
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

std::vector<std::string> Subject::missing(const Library& library) const {
  std::vector<std::string> names;
  for (const EntryPoint* entry : {&forward, &backward}) {
    for (const std::string& name : {entry->api, entry->api + "GetWorkspaceSize"}) {
      if (!library.has(name)) names.push_back(name);
    }
  }
  return names;
}

}  // namespace aclgrad::gradcheck
