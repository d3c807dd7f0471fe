// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>

#include "aclgrad/error.h"
#include "gradcheck/tool/header/names.h"

namespace aclgrad::gradcheck {
namespace {

using Kind = CType::Kind;
using Places = std::vector<std::size_t>;

std::size_t elements_of(const Reach& reach, std::size_t k) {
  return k == Roles::kResult ? 1 : reach.elements[k];
}

// Whether the gradient of an input can lie over what arrives at an output.
bool can_lie_over(const std::vector<Parameter>& forward, std::size_t input, std::size_t output,
                  const Reach& reach) {
  const auto is_alike = [](const CType& a, const CType& b) {
    return a.kind == b.kind && a.bytes == b.bytes;
  };
  return elements_of(reach, input) == elements_of(reach, output) &&
         (output == Roles::kResult || is_alike(forward[input].type, forward[output].type));
}

class RoleReader {
 public:
  RoleReader(const Prototype& forward, const Prototype& backward, const Description& description,
             const std::vector<Reach>& reaches)
      : forward_(forward), description_(description), reaches_(reaches), reach_(reaches.front()) {
    roles_.forward = named(forward);
    roles_.backward = named(backward);
    says_const_ = std::ranges::any_of(roles_.backward,
                                      [](const Parameter& read) { return read.type.is_const; });
  }

  Roles read() {
    for (std::size_t k = 0; k < roles_.forward.size(); ++k) read_forward(k);
    for (Parameter& read : roles_.backward) {
      if (!read_said(read)) read_by_name(read);
    }
    read_the_only_ones();
    require_fit();
    promise_of_all();
    ask();
    return std::move(roles_);
  }

 private:
  static std::vector<Parameter> named(const Prototype& function) {
    std::vector<Parameter> all;
    for (const CParameter& parameter : function.parameters) {
      const auto& [name, type] = parameter;
      all.push_back({.name = name, .type = type});
      if (!type.is_pointer) all.back().role = Role::kNumber;
      if (!type.is_pointer || type.kind != Kind::kWhole || type.bytes >= 4) continue;
      throw ValueError(
          fmt::format("{}: `{}` is an array of numbers of {} bytes; whole numbers in arrays have 4 "
                      "or 8",
                      function.name, name, type.bytes));
    }
    return all;
  }

  void read_forward(std::size_t k) {
    Parameter& read = roles_.forward[k];
    if (!read.type.is_pointer) return;
    read.role = !reach_.is_written[k] ? Role::kInput
                : reach_.is_read[k]   ? Role::kBoth
                                      : Role::kOutput;
    const std::optional<std::string> said = description_.role(read.name, false);
    if (!said || said->find(' ') != std::string::npos || *said == "scratch") return;
    const std::map<std::string, Role> known = {
        {"input", Role::kInput}, {"output", Role::kOutput}, {"both", Role::kBoth}};
    const auto role = known.find(*said);
    if (role == known.end()) {
      throw ValueError(fmt::format("role {} {}: a role of the forward is input, output or both",
                                   read.name, *said));
    }
    read.role = role->second;
  }

  bool is_input(std::size_t k) const {
    return k != Roles::kResult &&
           (roles_.forward[k].role == Role::kInput || roles_.forward[k].role == Role::kBoth);
  }
  bool is_output(std::size_t k) const {
    return k == Roles::kResult || roles_.forward[k].role == Role::kOutput ||
           roles_.forward[k].role == Role::kBoth;
  }

  std::optional<std::size_t> array_named(const std::string& name) const {
    for (std::size_t k = 0; k < roles_.forward.size(); ++k) {
      if (roles_.forward[k].type.is_pointer && plain(roles_.forward[k].name) == plain(name))
        return k;
    }
    return std::nullopt;
  }

  // "gradient x over y added optional", "upstream y kept", "input x", "output y", "scratch".
  bool read_said(Parameter& read) const {
    const std::optional<std::string> said = description_.role(read.name, true);
    if (!said || !read.type.is_pointer) return false;
    std::istringstream words(*said);
    std::string role;
    std::string name;
    words >> role >> name;
    if (name.empty() && role != "scratch" && array_named(read.name))
      return false;  // of the forward
    const auto fail = [&](const std::string& what) {
      throw ValueError(fmt::format("role {} {}: {}", read.name, *said, what));
    };
    const std::map<std::string, Role> known = {{"input", Role::kInput},
                                               {"output", Role::kOutput},
                                               {"upstream", Role::kUpstream},
                                               {"gradient", Role::kGradient},
                                               {"scratch", Role::kScratch}};
    const auto it = known.find(role);
    if (it == known.end())
      fail("a role is gradient INPUT, upstream OUTPUT, input NAME, output NAME or scratch");
    read.role = it->second;
    read.is_said = true;
    if (read.role == Role::kScratch) return true;
    const auto array = [&](bool of_outputs) {
      if (of_outputs && name == "result" && forward_.result.kind != Kind::kNothing)
        return Roles::kResult;
      const std::optional<std::size_t> k = array_named(name);
      if (!k || !(of_outputs ? is_output(*k) : is_input(*k))) {
        fail(fmt::format("the forward has no {} `{}`", of_outputs ? "output" : "input", name));
      }
      return *k;
    };
    const bool is_gradient = read.role == Role::kGradient;
    read.of = array(read.role == Role::kOutput || read.role == Role::kUpstream);
    for (std::string word; words >> word;) {
      if (is_gradient ? word == "added" || word == "zeroed" || word == "written"
                      : read.role == Role::kUpstream && (word == "kept" || word == "consumed")) {
        read.promise = word;
      } else if (is_gradient && word == "optional") {
        read.is_optional = true;
      } else if (is_gradient && word == "over" && words >> name) {
        read.role = Role::kInPlace;
        read.over = array(true);
      } else {
        fail(
            "behind the name there may be added, zeroed or written, optional, and over OUTPUT, of "
            "a gradient; "
            "kept or consumed of one that arrives");
      }
    }
    return true;
  }

  // What is said to be over another array may be no shorter, and no longer.
  void require_fit() const {
    if (std::ranges::any_of(reaches_, [&](const Reach& reach) { return roles_.fit(reach); }))
      return;
    const auto text = [&](std::size_t k) {
      return fmt::format("`{}` ({} elements, {})", roles_.name_of(k), elements_of(reach_, k),
                         k == Roles::kResult ? forward_.result.text : roles_.forward[k].type.text);
    };
    for (const Parameter& read : roles_.backward) {
      if (read.role != Role::kInPlace || can_lie_over(roles_.forward, read.of, read.over, reach_))
        continue;
      throw ValueError(
          fmt::format("role {}: the gradient of {} does not fit over what arrives at {}", read.name,
                      text(read.of), text(read.over)));
    }
    throw ValueError("what is said to be over another array never fits over it");
  }

  // What is said of all gradients, of which nothing else is.
  void promise_of_all() {
    const auto said = description_.roles.find(Description::kGradients);
    if (said == description_.roles.end()) return;
    if (said->second != "added" && said->second != "zeroed" && said->second != "written") {
      throw ValueError(fmt::format("role gradients {}: all gradients are added, zeroed or written",
                                   said->second));
    }
    for (Parameter& read : roles_.backward) {
      if (read.role == Role::kGradient && read.promise.empty()) read.promise = said->second;
    }
  }

  // Whether what is const says that it is no gradient of an input, or that it must be one.
  bool may_be_read(const Parameter& read) const { return read.type.is_const || !says_const_; }

  void read_by_name(Parameter& read) const {
    const std::optional<std::size_t> same = array_named(read.name);
    if (!read.type.is_pointer) {
      if (!reach_.numbers.contains(read.name)) take(read, Role::kUpstream, Roles::kResult);
    } else if (same && may_be_read(read)) {
      take(read, is_output(*same) ? Role::kOutput : Role::kInput, *same);
    } else if (read.type.kind == Kind::kFloating) {
      for (const std::string& name : gradient_of_name(read.name)) {
        const std::optional<std::size_t> of = array_named(name);
        if (!of || roles_.forward[*of].type.kind != Kind::kFloating) continue;
        if (is_output(*of)) return take(read, Role::kUpstream, *of);
        if (!read.type.is_const) return take(read, Role::kGradient, *of);
      }
    }
  }

  static void take(Parameter& read, Role role, std::size_t of) {
    read.role = role;
    read.of = of;
  }

  // The floating arrays of the backward of which it is not known what they are.
  std::vector<Parameter*> unknown(bool (*is_one)(const Parameter&)) {
    std::vector<Parameter*> all;
    for (Parameter& read : roles_.backward) {
      if (read.role == Role::kUnknown && read.type.kind == Kind::kFloating && is_one(read))
        all.push_back(&read);
    }
    return all;
  }

  static bool has_name_of_gradient(const Parameter& read) {
    return !gradient_of_name(read.name).empty();
  }
  static bool is_const(const Parameter& read) { return read.type.is_const; }
  static bool is_no_const(const Parameter& read) { return !read.type.is_const; }

  bool is_taken(Role role, std::size_t of) const {
    return std::ranges::any_of(roles_.backward, [&](const Parameter& read) {
      if (read.role != Role::kInPlace) return read.role == role && read.of == of;
      return (role == Role::kUpstream ? read.over : read.of) == of;
    });
  }

  // Floating outputs at which nothing arrives yet, or inputs that have no gradient yet.
  Places left(Role role) const {
    Places all;
    for (std::size_t k = 0; k < roles_.forward.size(); ++k) {
      const bool is_one = role == Role::kUpstream ? is_output(k) : is_input(k);
      if (is_one && roles_.forward[k].type.kind == Kind::kFloating && !is_taken(role, k))
        all.push_back(k);
    }
    if (role == Role::kUpstream && forward_.result.kind != Kind::kNothing &&
        !is_taken(role, Roles::kResult)) {
      all.push_back(Roles::kResult);
    }
    return all;
  }

  bool has(Role role) const {
    return std::ranges::any_of(roles_.backward, [&](const Parameter& read) {
      return read.role == role || read.role == Role::kInPlace;
    });
  }

  void read_the_only_ones() {
    if (const Places outputs = left(Role::kUpstream);
        !has(Role::kUpstream) && outputs.size() == 1) {
      std::vector<Parameter*> arriving = unknown(has_name_of_gradient);
      if (arriving.size() != 1) arriving = unknown(is_const);
      const bool is_returned = outputs[0] == Roles::kResult;
      if (arriving.size() == 1 && may_be_read(*arriving[0]) + !is_returned > 0) {
        take(*arriving[0], Role::kUpstream, outputs[0]);
      }
    }
    if (const Places inputs = left(Role::kGradient); inputs.size() == 1) {
      if (const auto written = unknown(is_no_const); written.size() == 1) {
        take(*written[0], Role::kGradient, inputs[0]);
      }
    }
    if (const Places inputs = left(Role::kGradient); inputs.size() == 1 && !has(Role::kGradient)) {
      const auto read = std::ranges::find(roles_.backward, Role::kUpstream, &Parameter::role);
      const auto fits = [&](const Reach& reach) {
        return can_lie_over(roles_.forward, inputs[0], read->of, reach);
      };
      if (read != roles_.backward.end() && !read->is_said && read->type.is_pointer &&
          !read->type.is_const && std::ranges::all_of(reaches_, fits)) {
        read->over = read->of;
        take(*read, Role::kInPlace, inputs[0]);
      }
    }
    const Places outputs = left(Role::kUpstream);
    if (has(Role::kUpstream) || outputs.size() != 1) return;
    if (outputs[0] == Roles::kResult || reach_.elements[outputs[0]] == 1)
      roles_.unasked = outputs[0];
  }

  // What neither a name nor what is left tells: a line that says it.
  void ask() {
    Places inputs = left(Role::kGradient);
    Places outputs = left(Role::kUpstream);
    const auto next = [&](Places& places) {
      const std::size_t k = places.front();
      places.erase(places.begin());
      return roles_.name_of(k);
    };
    for (const Parameter& read : roles_.backward) {
      if (read.role != Role::kUnknown) continue;
      std::string role = role_of_value(read);
      if (read.type.kind == Kind::kFloating && !read.type.is_const && !inputs.empty()) {
        role = "gradient " + next(inputs);
      } else if (has_name_of_gradient(read) && !outputs.empty()) {
        role = "upstream " + next(outputs);
      }
      roles_.lines.push_back(line(read, role));
    }
    if (!roles_.lines.empty()) return;
    if (!has(Role::kUpstream) && !roles_.unasked) {
      // The backward of what is linear may call the gradient as the forward calls the output.
      const auto output = std::ranges::find(roles_.backward, Role::kOutput, &Parameter::role);
      const std::string role =
          "upstream " + (outputs.empty() ? "OUTPUT" : roles_.name_of(outputs[0]));
      roles_.lines.push_back(output == roles_.backward.end() ? "--role NAME=\"" + role + "\""
                                                             : line(*output, role));
    }
    if (!has(Role::kGradient)) {
      roles_.lines.push_back("--role NAME=\"gradient " +
                             (inputs.empty() ? "INPUT" : roles_.name_of(inputs[0])) + "\"");
    }
  }

  std::string line(const Parameter& read, const std::string& role) const {
    return fmt::format("--role {}{}=\"{}\"", array_named(read.name) ? "backward." : "", read.name,
                       role);
  }

  // The first array of the forward of this kind that the backward is not given.
  std::string role_of_value(const Parameter& read) const {
    for (std::size_t k = 0; k < roles_.forward.size(); ++k) {
      const Parameter& array = roles_.forward[k];
      if (!array.type.is_pointer || array.type.kind != read.type.kind) continue;
      if (is_taken(Role::kInput, k) || is_taken(Role::kOutput, k)) continue;
      return (is_output(k) ? "output " : "input ") + array.name;
    }
    return "scratch";
  }

  const Prototype& forward_;
  const Description& description_;
  const std::vector<Reach>& reaches_;
  const Reach& reach_;
  Roles roles_;
  bool says_const_ = false;  // of the backward's arrays
};

// By roles.
constexpr std::array<const char*, 9> kTexts = {"not known",
                                               "input",
                                               "output",
                                               "input, output written over it",
                                               "upstream gradient of",
                                               "gradient of",
                                               "gradient, over the upstream one, of",
                                               "scratch memory",
                                               "number"};

}  // namespace

bool Roles::fit(const Reach& reach) const {
  return std::ranges::all_of(backward, [&](const Parameter& read) {
    return read.role != Role::kInPlace || can_lie_over(forward, read.of, read.over, reach);
  });
}

std::string Roles::to_string(const Reach& reach) const {
  std::string text;
  for (const auto* side : {&forward, &backward}) {
    text += side == &forward ? "the forward\n" : "the backward\n";
    for (std::size_t k = 0; k < side->size(); ++k) {
      const Parameter& read = (*side)[k];
      std::string role = kTexts[static_cast<std::size_t>(read.role)];
      if (role.ends_with(" of")) role += " " + name_of(read.of);
      if (!read.promise.empty()) role += ", " + read.promise;
      if (read.is_optional) role += ", optional";
      if (read.role == Role::kNumber) role = fmt::format("{:g}", reach.numbers.at(read.name));
      if (side == &forward && read.type.is_pointer)
        role += fmt::format(", {} elements", reach.elements[k]);
      text += fmt::format("  {:16} {:22} {}\n", read.name, read.type.text, role);
    }
  }
  return text;
}

Roles roles_of(const Prototype& forward, const Prototype& backward, const Description& description,
               const std::vector<Reach>& reaches) {
  return RoleReader(forward, backward, description, reaches).read();
}

}  // namespace aclgrad::gradcheck
