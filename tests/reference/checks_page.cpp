// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/checks_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

#include "aclgrad_contract/contracts.h"
#include "aclgrad_ext.h"
#include "tests/contract/broken_rule.h"
#include "tests/contract/operator_faults.h"

namespace aclgrad::reference {
namespace {

using contract::Call;
using contract::Library;
using contract::Operator;
using contract::OperatorFault;

// "DT_INT32" and "[2, 3]" are dtypes and shapes of one kind of message.
std::string kind_of(const std::string& message) {
  static const std::regex kParticular(R"(DT_\w+(\(\d+\))?|\[[^\]]*\]|-?\d+(\.\d+)?)");
  return std::regex_replace(message, kParticular, "");
}

struct Refused {
  aclnnStatus status;
  std::string message;  // from behind the operator's name to the status
};

Refused refused_by(Call& call, const Library& library) {
  const aclnnStatus status = call.plan();
  std::string message = library.message();
  if (status == 0) return {};
  const size_t begin = message.find(": " + call.row().name() + ": ");
  message = message.substr(begin + 4 + call.row().name().size());
  message = message.substr(0, message.find(" Status "));
  return {status, message};
}

// Parameters that must not be null, in the order in which they are looked at: of all that are null
// the first is named. A fault of a list's first tensor may be one of the list.
std::vector<std::string> null_order(const Library& library, const Operator& row,
                                    std::vector<OperatorFault> faults) {
  std::vector<std::string> names;
  while (!faults.empty()) {
    Call call(library, row, contract::usual_dtype(row));
    for (const OperatorFault& fault : faults) fault.change(call);
    const std::string message = refused_by(call, library).message;
    const std::string name =
        message.substr(9, message.find(" must not be null") - 9);  // behind "argument "
    const size_t erased = std::erase_if(faults, [&](const OperatorFault& fault) {
      const contract::Parameter& parameter = row.call.parameters[fault.parameter];
      return parameter.name == name || parameter.declared_name() == name;
    });
    if (erased == 0) throw std::logic_error(row.name() + " does not name what is null: " + message);
    names.push_back(name);
  }
  return names;
}

struct Check {
  std::vector<OperatorFault> nulls;
  aclnnStatus if_null = 0;
  std::vector<std::string> lines;  // one of each kind
};

// A line for each way in which a check fails.
std::string checks_of(const Library& library, const Operator& row) {
  Call right(library, row, contract::usual_dtype(row));
  right.plan();
  const ops::OperatorSpec& spec = *right.executor()->spec;
  std::map<size_t, Check>
      checks;  // by the place in the library's list; what planning finds is last
  std::set<std::string> kinds;
  for (const OperatorFault& fault : contract::faults_of(row)) {
    Call call(library, row, fault.dtype);
    fault.change(call);
    aclgradSetSocName(fault.product);
    const Refused refused = refused_by(call, library);
    const size_t rule = contract::broken_rule(spec, call, library).value_or(spec.rules.size());
    aclgradSetSocName(nullptr);
    // What is not live any more is the same check as null, with another status; the intro says so.
    if (refused.status == 0 || refused.message.find("is not a live") != std::string::npos) continue;
    Check& check = checks[rule];
    if (fault.what == "null") {
      check.nulls.push_back(fault);
      check.if_null = refused.status;
    } else if (kinds.insert(std::to_string(rule) + kind_of(refused.message)).second) {
      const bool is_usual = std::string(fault.product) == "Ascend910B";
      check.lines.push_back(fmt::format("{}  {}{}", refused.status, refused.message,
                                        is_usual ? "" : fmt::format(" ({})", fault.product)));
    }
  }
  std::string text;
  int number = 0;
  for (const auto& [rule, check] : checks) {
    ++number;
    if (!check.nulls.empty()) {
      text += fmt::format("{:2}. {}  null: {}\n", number, check.if_null,
                          fmt::join(null_order(library, row, check.nulls), ", "));
    }
    for (const std::string& line : check.lines) text += fmt::format("{:2}. {}\n", number, line);
  }
  return text;
}

}  // namespace

std::string checks_page(const Library& library) {
  std::string text =
      "# Checks, in their order\n\n"
      "What phase one of every operator refuses, written by `./dev docs` from real calls; a test\n"
      "compares. A tensor that must not be null must be live, too (161002), which has no line. Of "
      "several\n"
      "faults of a call the one that stands first is reported. Before all\n"
      "others, `workspaceSize` and `executor` must not be null (161001); behind them, each view "
      "must\n"
      "lie in its storage. A check that fails in several ways has a line for each. Operators with\n"
      "equal checks stand together. On Ascend910B, unless another product is named.\n\n";
  for (const contract::Family& family : contract::families()) {
    text += fmt::format("## {}\n\n", family.title.english);
    std::vector<std::pair<std::string, std::string>> sections;  // operators with equal checks
    for (const Operator& op : family.operators) {
      const std::string checks = checks_of(library, op);
      const auto equal =
          std::ranges::find(sections, checks, &decltype(sections)::value_type::second);
      if (equal == sections.end()) {
        sections.emplace_back(op.name(), checks);
      } else {
        equal->first += ", " + op.name();
      }
    }
    for (const auto& [names, checks] : sections) {
      text += fmt::format("### {}\n\n```text\n{}```\n\n", names, checks);
    }
  }
  text.pop_back();
  return text;
}

}  // namespace aclgrad::reference
