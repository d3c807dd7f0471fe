// SPDX-License-Identifier: Apache-2.0
#include "tool/header/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include "aclgrad/error.h"
#include "tool/header/names.h"
#include "tool/header/uses.h"

namespace aclgrad::gradcheck {
namespace {

using Kind = CType::Kind;

class Reader {
 public:
  Reader(const ForeignFunction& forward, const ForeignFunction& backward,
         const Corrections& corrections, double seconds)
      : forward_(forward), backward_(backward), corrections_(corrections), seconds_(seconds) {}

  Reading read() {
    begin(forward_, reading_.forward, "forward.");
    begin(backward_, reading_.backward, "backward.");
    require_known_names();
    Trials forward(forward_, reading_.forward, corrections_, seconds_);
    const std::vector<Use> forward_uses = uses_of_forward(forward);
    for (std::size_t k = 0; k < forward_uses.size(); ++k) read_forward(k, forward_uses[k]);
    require_output();
    Trials backward(backward_, reading_.backward, corrections_, seconds_, &forward);
    backward.measure();
    const std::vector<Use> uses = backward.uses();
    for (std::size_t k = 0; k < uses.size(); ++k) read_by_name(k, uses[k]);
    for (const std::size_t k : clearest_first(uses)) read_the_rest(k, uses[k]);
    require_gradients();
    compare_reach();
    if (reading_.findings.empty()) keep_true_gaps(forward);
    return std::move(reading_);
  }

 private:
  void begin(const ForeignFunction& function, std::vector<ReadParameter>& side,
             const char* prefix) {
    for (const CParameter& each : function.prototype().parameters) {
      ReadParameter read{
          .name = each.name.empty() ? fmt::format("parameter_{}", side.size()) : each.name,
          .type = each.type};
      if (!each.type.is_pointer) {
        read.why = "likely";
        if (const auto it = values_.find(read.name); it != values_.end()) {
          read.value = it->second;
          read.why = "as above";
        } else if (const auto* like = size_left_over(function, each); like != nullptr) {
          read.value = like->value;
          read.why = "in the place of " + like->name;
        } else {
          read.value = likely_value(each, sizes_);
          if (each.type.kind == Kind::kWhole && read.value > 1) ++sizes_;
        }
        if (const auto said = said_value(read.name, prefix)) {
          read.value = *said;
          read.why = "said";
        }
        values_[read.name] = read.value;
      } else if (each.type.kind == Kind::kWhole && each.type.bytes < 4) {
        throw ValueError(
            fmt::format("{}: `{}` is an array of numbers of {} bytes; whole "
                        "numbers in arrays have 4 or 8",
                        function.prototype().name, read.name, each.type.bytes));
      }
      if (each.type.is_pointer) {
        read.reached = count_of_elements(read.name, said_value(read.name, prefix).value_or(0));
      } else if (each.type.kind == Kind::kWhole) {
        require_stored(read.name, read.type, read.value);
      }
      side.push_back(std::move(read));
    }
  }

  // Of the forward or of the backward alone, or of both.
  template <class Value>
  static std::optional<Value> said(const std::map<std::string, Value>& all, const std::string& name,
                                   const char* prefix) {
    for (const std::string& key : {prefix + name, name}) {
      if (const auto it = all.find(key); it != all.end()) return it->second;
    }
    return std::nullopt;
  }

  std::optional<double> said_value(const std::string& name, const char* prefix) const {
    return said(corrections_.values, name, prefix);
  }

  // The forward's size that stands where this one of the backward does, of those whose names only
  // one of them has. Null for the forward's own.
  const ReadParameter* size_left_over(const ForeignFunction& function,
                                      const CParameter& parameter) const {
    if (&function == &forward_) return nullptr;
    const auto is_size = [](const CType& type) {
      return !type.is_pointer && type.kind == Kind::kWhole;
    };
    const auto& of_backward = function.prototype().parameters;
    std::vector<const ReadParameter*> left;
    for (const ReadParameter& each : reading_.forward) {
      if (is_size(each.type) &&
          std::ranges::count(of_backward, each.name, &CParameter::name) == 0) {
        left.push_back(&each);
      }
    }
    std::size_t place = 0;
    for (const CParameter& each : of_backward) {
      if (&each == &parameter) break;
      if (is_size(each.type) && !is_parameter_of_forward(each.name)) ++place;
    }
    return is_size(parameter.type) && place < left.size() ? left[place] : nullptr;
  }

  bool is_parameter_of_forward(const std::string& name) const {
    return std::ranges::count(reading_.forward, name, &ReadParameter::name) > 0;
  }

  // A forward that fails has most likely been given numbers that do not fit together.
  static std::vector<Use> uses_of_forward(Trials& forward) {
    try {
      forward.measure();
      return forward.uses();
    } catch (const FunctionFailed& failed) {
      throw ValueError(fmt::format(
          "{}; are its numbers possible, and indices within their arrays? --set NAME=VALUE and "
          "--range NAME=LOW:HIGH give it others",
          failed.what()));
    }
  }

  // A forward that writes nothing has most likely been given numbers for which there is nothing.
  void require_output() const {
    const auto is_made = [](const ReadParameter& each) {
      return each.role == Role::kOutput || each.role == Role::kBoth;
    };
    if (forward_.prototype().result.kind != Kind::kNothing ||
        std::ranges::any_of(reading_.forward, is_made)) {
      return;
    }
    throw ValueError(
        fmt::format("{} changes none of its arrays with the numbers below: are they possible, as a "
                    "window that is no larger than what it slides over? --set NAME=VALUE gives it "
                    "others\n{}",
                    forward_.prototype().name, reading_.to_string()));
  }

  // Parameters of the backward: those with the name of a gradient before others, and of each what
  // is written over what arrives behind the rest.
  std::vector<std::size_t> clearest_first(const std::vector<Use>& uses) const {
    std::vector<std::size_t> order(uses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) {
      const bool is_named = !gradient_of_name(reading_.backward[k].name).empty();
      return (is_named ? 0 : 2) + (is_in_place(uses[k]) ? 1 : 0);
    });
    return order;
  }

  static bool is_in_place(const Use& use) { return use.is_written && use.is_read && !use.adds; }

  // What is said of a name that no parameter has is a mistake.
  void require_known_names() const {
    std::set<std::string> known;
    for (const auto& [side, prefix] :
         {std::pair(&reading_.forward, "forward."), std::pair(&reading_.backward, "backward.")}) {
      for (const ReadParameter& each : *side) known.insert({each.name, prefix + each.name});
    }
    const auto require = [&](const auto& said, const char* what) {
      for (const auto& [name, value] : said) {
        if (!known.contains(name))
          throw ValueError(
              fmt::format("{} {}: neither function has a parameter of this name", what, name));
      }
    };
    require(corrections_.values, "set");
    require(corrections_.ranges, "range");
    require(corrections_.roles, "role");
  }

  std::optional<std::string> said_role(const std::string& name, const char* prefix) const {
    return said(corrections_.roles, name, prefix);
  }

  void read_forward(std::size_t k, const Use& use) {
    ReadParameter& read = reading_.forward[k];
    if (!read.type.is_pointer) return;
    read.role = !use.is_written ? Role::kInput : use.is_read ? Role::kBoth : Role::kOutput;
    read.why = !use.is_written ? "not written to"
               : use.is_read   ? "read, and written to"
                               : "written to";
    if (read.role == Role::kOutput) read.gaps = use.untouched;
    if (read.role == Role::kOutput && read.type.kind == Kind::kWhole) read.why += ", kept";
    const auto said = said_role(read.name, "forward.");
    if (!said || said->find(' ') != std::string::npos) return;
    if (*said == "input") read.role = Role::kInput;
    if (*said == "output") read.role = Role::kOutput;
    if (*said == "both") read.role = Role::kBoth;
    if (*said != "input" && *said != "output" && *said != "both" && *said != "scratch") {
      throw ValueError(fmt::format("role {} {}: a role of the forward is input, output or both",
                                   read.name, *said));
    }
  }

  // A forward's array by name; of `wanted`: its inputs or its outputs.
  std::optional<std::size_t> array_named(const std::string& name, bool outputs) const {
    for (std::size_t k = 0; k < reading_.forward.size(); ++k) {
      const ReadParameter& each = reading_.forward[k];
      if (is_of(each, outputs) && plain(each.name) == plain(name)) return k;
    }
    return std::nullopt;
  }

  static bool is_of(const ReadParameter& each, bool outputs) {
    return each.role == Role::kBoth || each.role == (outputs ? Role::kOutput : Role::kInput);
  }

  bool is_taken(Role role, std::size_t of) const {
    return std::ranges::any_of(reading_.backward, [&](const ReadParameter& each) {
      return (each.role == role || each.role == Role::kInPlace) && each.of == of;
    });
  }

  // The floating inputs, or outputs, whose gradient nothing stands for yet.
  std::vector<std::size_t> all_free(Role role) const {
    std::vector<std::size_t> all;
    const bool outputs = role == Role::kUpstream;
    for (std::size_t k = 0; k < reading_.forward.size(); ++k) {
      const ReadParameter& each = reading_.forward[k];
      if (is_of(each, outputs) && each.type.kind == Kind::kFloating && !is_taken(role, k)) {
        all.push_back(k);
      }
    }
    const bool returns = forward_.prototype().result.kind != Kind::kNothing;
    if (outputs && returns && !is_taken(role, Reading::kResult)) all.push_back(Reading::kResult);
    return all;
  }

  std::optional<std::size_t> next_free(Role role) const {
    const std::vector<std::size_t> all = all_free(role);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }

  // Whether an input of at least so many elements has no gradient yet.
  bool is_input_left(std::size_t elements) const {
    for (std::size_t k = 0; k < reading_.forward.size(); ++k) {
      const ReadParameter& each = reading_.forward[k];
      if (is_of(each, false) && each.type.kind == Kind::kFloating && each.reached >= elements &&
          !is_taken(Role::kGradient, k)) {
        return true;
      }
    }
    return false;
  }

  void read_said(ReadParameter& read, const std::string& said) {
    std::istringstream words(said);
    std::string role;
    std::string of;
    std::string how;
    words >> role >> of >> how;
    if (!how.empty() && (role != "gradient" || how != "added")) {
      throw ValueError(fmt::format(
          "role {} {}: behind the name there may be \"added\", of a gradient", read.name, said));
    }
    read.is_said_to_add = how == "added";
    if (role == "scratch") {
      read.role = Role::kScratch;
      return;
    }
    const bool outputs = role == "output" || role == "upstream";
    read.role = role == "gradient"   ? Role::kGradient
                : role == "upstream" ? Role::kUpstream
                : role == "output"   ? Role::kOutput
                                     : Role::kInput;
    if (role != "gradient" && role != "upstream" && role != "output" && role != "input") {
      throw ValueError(
          fmt::format("role {} {}: a role of the backward is input NAME, output NAME, upstream "
                      "NAME, gradient NAME or scratch",
                      read.name, said));
    }
    if (outputs && of == "result") {
      read.of = Reading::kResult;
      return;
    }
    const auto array = array_named(of.empty() ? read.name : of, outputs);
    if (!array)
      throw ValueError(fmt::format("role {} {}: the forward has no such {}", read.name, said,
                                   outputs ? "output" : "input"));
    read.of = *array;
  }

  void read_by_name(std::size_t k, const Use& use) {
    ReadParameter& read = reading_.backward[k];
    const auto said = said_role(read.name, "backward.");
    const bool is_array = read.type.is_pointer;
    if (said && is_array &&
        (said->find(' ') != std::string::npos || *said == "scratch" ||
         is_said_of_backward(read.name))) {
      read_said(read, *said);
      read.why = "said";
      done_.insert(k);
      note_use(read, use);
      return;
    }
    if (!is_array && read.type.kind != Kind::kFloating) return;
    if (is_array && !use.is_written) {
      for (const bool outputs : {true, false}) {
        const auto same = array_named(read.name, outputs);
        if (!same) continue;
        read.role = outputs ? Role::kOutput : Role::kInput;
        read.of = *same;
        read.why = "same name, not written to";
        done_.insert(k);
        return;
      }
    }
    if (read.type.kind != Kind::kFloating) return;
    for (const std::string& name : gradient_of_name(read.name)) {
      for (const bool outputs : {!use.is_written, use.is_written}) {
        std::optional<std::size_t> of = array_named(name, outputs);
        if (!of && !name.empty()) {
          const bool is_only = outputs ? is_output_name(name) : is_input_name(name);
          if (is_only) of = next_free(outputs ? Role::kUpstream : Role::kGradient);
        }
        if (!of) continue;
        if (use.is_written && outputs && !use.adds && use.is_read) continue;  // in place, below
        read.role = !use.is_written ? Role::kUpstream : outputs ? Role::kScratch : Role::kGradient;
        if (!use.is_written && !outputs) continue;
        read.is_guess = read.role == Role::kScratch;
        read.of = *of;
        read.why = fmt::format("its name, {}written to", use.is_written ? "" : "not ");
        done_.insert(k);
        note_use(read, use);
        return;
      }
    }
  }

  bool is_said_of_backward(const std::string& name) const {
    return corrections_.roles.contains("backward." + name) ||
           std::ranges::none_of(reading_.forward,
                                [&](const ReadParameter& each) { return each.name == name; });
  }

  // By what is left over.
  void read_the_rest(std::size_t k, const Use& use) {
    ReadParameter& read = reading_.backward[k];
    if (done_.contains(k) || (!read.type.is_pointer && !is_left_over_number(read))) return;
    if (is_in_place(use)) {
      const auto upstream = next_free(Role::kUpstream);
      if (upstream) {
        // No input of its size is left: then it is only spoilt.
        read.spent = *upstream != Reading::kResult && !is_input_left(read.reached);
        read.role = read.spent ? Role::kUpstream : Role::kInPlace;
        read.of = *upstream;
        read.is_guess = read.spent && all_free(Role::kUpstream).size() > 1;
        read.why = "read, and written to";
        return;
      }
    }
    const Role role = use.is_written ? Role::kGradient : Role::kUpstream;
    const auto of = read.type.kind == Kind::kFloating ? next_free(role) : std::nullopt;
    if (!of) {
      throw ValueError(
          fmt::format("the backward's `{}` is {}written to, and nothing of the "
                      "forward is left that it may belong to; say what it is: --role {}=\"gradient "
                      "NAME\", \"upstream NAME\", \"input NAME\", \"output NAME\" or scratch",
                      read.name, use.is_written ? "" : "not ", read.name));
    }
    const auto is_guess_too = [&](const ReadParameter& each) {
      return each.is_guess && each.role == role;  // it is what that one left
    };
    read.is_guess =
        all_free(role).size() > 1 || std::ranges::any_of(reading_.backward, is_guess_too);
    read.role = role;
    read.of = *of;
    read.why = fmt::format("the only one left, {}written to", use.is_written ? "" : "not ");
    note_use(read, use);
  }

  // A floating number with the name of a gradient, where nothing else arrives.
  bool is_left_over_number(const ReadParameter& read) const {
    return read.type.kind == Kind::kFloating && !gradient_of_name(read.name).empty() &&
           !is_parameter_of_forward(read.name) && next_free(Role::kUpstream) == Reading::kResult;
  }

  static void note_use(ReadParameter& read, const Use& use) {
    if (read.role == Role::kUpstream) read.spent = use.is_written;
    if (read.role != Role::kGradient) return;
    if (read.is_said_to_add && !use.adds) {
      throw ValueError(fmt::format("role {} added: it is written to, whatever it was", read.name));
    }
    read.adds = use.adds;
    if (!read.adds) read.gaps = use.untouched;  // what is added to is 0 before
    if (read.adds) read.why += ", adds to what is there";
  }

  // The backward of what is linear needs no value: it may call the gradient as the forward calls
  // the output.
  void take_output_for_upstream() {
    const auto is_output = [](const ReadParameter& each) { return each.role == Role::kOutput; };
    if (std::ranges::count_if(reading_.backward, is_output) != 1) return;
    ReadParameter& read = *std::ranges::find_if(reading_.backward, is_output);
    if (read.why == "said" || read.type.kind != Kind::kFloating) return;
    read.role = Role::kUpstream;
    read.is_guess = true;
    read.why = "nothing else arrives, not written to";
  }

  bool has(Role role) const {
    return std::ranges::any_of(reading_.backward, [&](const ReadParameter& each) {
      return each.role == role || each.role == Role::kInPlace;
    });
  }

  void require_gradients() {
    if (!has(Role::kUpstream)) take_output_for_upstream();
    if (!has(Role::kUpstream)) {
      throw ValueError(
          "no parameter of the backward is the gradient that arrives; say which: --role "
          "NAME=\"upstream OUTPUT\"\n" +
          reading_.to_string());
    }
    if (!has(Role::kGradient)) {
      throw ValueError(
          "no parameter of the backward is the gradient of an input; say which: --role "
          "NAME=\"gradient INPUT\"\n" +
          reading_.to_string());
    }
  }

  // What the backward leaves alone is no gap where the forward reads it: a gradient of 0 that is
  // added leaves what was there, too.
  void keep_true_gaps(const Trials& forward) {
    for (ReadParameter& each : reading_.backward) {
      if (each.role != Role::kGradient) continue;
      if (reading_.forward[each.of].by_values) each.gaps.clear();
      std::erase_if(each.gaps, [&](std::size_t i) { return !forward.ignores(each.of, i); });
    }
  }

  // The backward may go as far as the forward does, and no further.
  void compare_reach() {
    for (const ReadParameter& each : reading_.backward) {
      if (!each.type.is_pointer || each.role == Role::kScratch || each.of == Reading::kResult)
        continue;
      std::size_t& allowed = reading_.forward[each.of].reached;
      if (each.reached <= allowed) continue;
      if (each.by_values || reading_.forward[each.of].by_values) {
        allowed = each.reached;  // the array is no shorter
        continue;
      }
      reading_.findings.push_back(fmt::format(
          "the backward goes up to element {} of `{}`, the forward's `{}` has {} elements, "
          "or more that it does not read: then --set {}=COUNT",
          each.reached - 1, each.name, reading_.forward[each.of].name, allowed,
          reading_.forward[each.of].name));
    }
  }

  const ForeignFunction& forward_;
  const ForeignFunction& backward_;
  const Corrections& corrections_;
  double seconds_;
  Reading reading_;
  std::map<std::string, double> values_;
  std::size_t sizes_ = 0;
  std::set<std::size_t> done_;  // of the backward
};

}  // namespace

Reading read_functions(const ForeignFunction& forward, const ForeignFunction& backward,
                       const Corrections& corrections, double seconds) {
  return Reader(forward, backward, corrections, seconds).read();
}

}  // namespace aclgrad::gradcheck
