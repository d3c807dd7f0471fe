// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/check_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "aclgrad/error.h"
#include "gradcheck/core/watch.h"
#include "gradcheck/functions/points.h"
#include "gradcheck/tool/apart.h"
#include "gradcheck/tool/header/pair.h"
#include "gradcheck/tool/header/promises.h"

namespace aclgrad::gradcheck {
namespace {

Finding finding_of(const HeaderPlan& plan, const char* check, std::string text,
                   Verdict verdict = Verdict::wrong) {
  Finding finding;
  finding.verdict = verdict;
  finding.check = check;
  finding.operator_name = plan.forward;
  finding.text = std::move(text);
  return finding;
}

class Check {
 public:
  Check(const HeaderPlan& plan, const Print& print)
      : plan_(plan),
        print_(print),
        library_(open_library(plan.library)),
        forward_(library_, plan.library, prototype_in(plan.header, plan.forward)),
        backward_(library_, plan.library, prototype_in(plan.header, plan.backward)) {
    detail::begin_section(0);
  }

  Report run() {
    print_(fmt::format("{}\n{}\n\n", forward_.prototype().text, backward_.prototype().text));
    const Settings settings =
        settings_of(forward_.prototype(), backward_.prototype(), plan_.description);
    free_ = settings.free;
    for (const std::string& line : settings.lines) {
      questions_.emplace("the forward has no number of this name", line);
    }
    if (!questions_.empty()) return undecided({});
    find_possible(settings.all);
    roles_ = roles_of(forward_.prototype(), backward_.prototype(), plan_.description, reaches_);
    std::erase_if(reaches_, [&](const Reach& reach) { return !roles_.fit(reach); });
    print_(roles_.to_string(reaches_[0]) + "\n");
    for (const std::string& line : roles_.lines) {
      questions_.emplace("neither a name nor what is left tells what this is", line);
    }
    if (questions_.empty()) ask_for_elements();
    if (questions_.empty()) ask_for_ranges();
    return questions_.empty() ? check_all() : undecided({});
  }

 private:
  // Settings with which the forward reaches every array, and makes something.
  void find_possible(const std::vector<Numbers>& settings) {
    constexpr double kTrialSeconds = 5;
    std::string why;
    for (const Numbers& numbers : settings) {
      try {
        Reach reach =
            reach_of(forward_, numbers, plan_.description, std::min(plan_.seconds, kTrialSeconds));
        bool makes_something = forward_.prototype().result.kind != CType::Kind::kNothing;
        bool reaches_all = true;
        for (std::size_t k = 0; k < reach.elements.size(); ++k) {
          makes_something = makes_something || reach.is_written[k];
          reaches_all = reaches_all && (reach.elements[k] > 0 ||
                                        !forward_.prototype().parameters[k].type.is_pointer);
        }
        if (makes_something && reaches_all) {
          reaches_.push_back(std::move(reach));
        } else if (why.empty()) {
          why = fmt::format("{} {}", plan_.forward,
                            makes_something ? "does not look at one of its arrays"
                                            : "changes none of its arrays");
        }
      } catch (const FunctionFailed& failed) {
        if (why.empty()) why = failed.what();
      }
    }
    if (!reaches_.empty()) return;
    throw ValueError(fmt::format(
        "{}, with {}: are its numbers possible, as a window that is no larger than what it slides "
        "over, and indices within their arrays? --set NAME=VALUE and --range NAME=LOW:HIGH give it "
        "others",
        why, free_.empty() ? "these" : text_of(settings.front())));
  }

  // "n=4, k=2" of the numbers that nobody said.
  std::string text_of(const Numbers& numbers) const {
    std::string text;
    for (const std::string& name : free_) {
      text += fmt::format("{}{}={:g}", text.empty() ? "" : ", ", name, numbers.at(name));
    }
    return text;
  }

  // "--set n=4 --set x=8": those, and how many elements an array has, where that is asked for.
  std::string lines_of(const Reach& reach,
                       bool (*is_asked)(const Reach&, std::size_t) = nullptr) const {
    std::vector<std::string> lines;
    for (const std::string& name : free_) {
      lines.push_back(fmt::format("--set {}={:g}", name, reach.numbers.at(name)));
    }
    for (std::size_t k = 0; is_asked != nullptr && k < reach.elements.size(); ++k) {
      if (!roles_.forward[k].type.is_pointer || !is_asked(reach, k)) continue;
      lines.push_back(fmt::format("--set {}={}", roles_.forward[k].name, reach.elements[k]));
    }
    return fmt::format("{}", fmt::join(lines, " "));
  }

  void ask_for_elements() {
    const auto by_values = [](const Reach& reach, std::size_t k) {
      return bool{reach.by_values[k]};
    };
    for (const Reach& reach : reaches_) {
      if (std::ranges::count(reach.by_values, true) == 0) continue;
      questions_.emplace("how far it gets depends on what arrays hold", lines_of(reach, by_values));
      return;
    }
  }

  // The floating inputs of which no range is said.
  std::vector<std::string> without_range() const {
    std::vector<std::string> names;
    for (const Parameter& read : roles_.forward) {
      const bool is_input = read.role == Role::kInput || read.role == Role::kBoth;
      if (is_input && read.type.kind == CType::Kind::kFloating &&
          !plan_.description.ranges.contains(read.name)) {
        names.push_back(read.name);
      }
    }
    return names;
  }

  // What is written beside an array is found later, and is no matter of ranges.
  bool is_defined(const Description& description) const try {
    const FunctionPair pair =
        pair_of(plan_.forward, forward_, backward_, roles_, reaches_[0], description);
    for (std::uint64_t seed = 1; seed <= kPoints; ++seed) {
      for (const Array& result : detail::results_at(pair, detail::draw_point(pair, seed).inputs)) {
        const auto is_number = [](Number value) { return std::isfinite(value); };
        if (!std::ranges::all_of(result.values, is_number)) return false;
      }
    }
    return true;
  } catch (const detail::ForbiddenWrite&) {
    return true;
  }

  // The lines that say so.
  static std::string give_range(Description& description, const std::vector<std::string>& names,
                                double low, double high) {
    std::string lines;
    for (const std::string& name : names) {
      description.ranges[name] = {low, high};
      lines += fmt::format("{}--range {}={:g}:{:g}", lines.empty() ? "" : " ", name, low, high);
    }
    return lines;
  }

  // Where the forward is not defined from -2 to 2, a range in which it is, of one input or of all.
  void ask_for_ranges() {
    if (is_defined(plan_.description)) return;
    std::vector<std::vector<std::string>> choices;
    for (const std::string& name : without_range()) choices.push_back({name});
    choices.push_back(without_range());
    for (const auto& [low, high] : {std::pair(0.1, 4.0), {-0.9, 0.9}, {1.1, 4.0}}) {
      for (const std::vector<std::string>& names : choices) {
        Description description = plan_.description;
        const std::string lines = give_range(description, names, low, high);
        if (!is_defined(description)) continue;
        questions_.emplace("the forward gives NaN or infinities between -2 and 2", lines);
        return;
      }
    }
  }

  // A gradient that is wrong with some numbers and right with others is wrong if those are
  // possible: one size is, whatever it is, but of several not all may fit together.
  Report check_all() {
    constexpr std::size_t kEnough = 3;  // settings that are wrong, where none is right
    std::vector<const Reach*> wrong_with;
    Report wrong;
    Report all;
    bool is_right = false;
    for (const Reach& reach : reaches_) {
      const Report report = check(reach);
      const Verdict verdict = report.verdict();
      if (verdict == Verdict::wrong) {
        if (wrong_with.empty()) wrong = report;
        wrong_with.push_back(&reach);
      } else if (all.configurations == 0 || (verdict == Verdict::right && !is_right)) {
        all = report;
      } else {
        all.right += report.right;
        all.checks += report.checks;
        all.configurations += report.configurations;
      }
      is_right = is_right || verdict == Verdict::right;
      const bool is_known = is_right || free_.size() <= 1 || wrong_with.size() == kEnough;
      if ((!wrong_with.empty() && is_known) || !questions_.empty()) break;
    }
    if (!wrong_with.empty() && (!is_right || free_.size() <= 1)) return wrong;
    if (!wrong_with.empty()) {
      const auto finding = std::ranges::find(wrong.findings, Verdict::wrong, &Finding::verdict);
      questions_.emplace(
          "right with some numbers, and with these, if they are possible, wrong: " + finding->text,
          lines_of(*wrong_with.front()));
    } else if (is_right && questions_.empty()) {
      look_far_out();
    }
    return questions_.empty() ? all : undecided(all);
  }

  Report check(const Reach& reach) {
    Roles roles = roles_;
    Questions questions;
    // What is wrong beside a forbidden write decides whether an array may be longer than supposed.
    std::optional<Finding> forbidden;
    try {
      questions = suppose_promises(
          pair_of(plan_.forward, forward_, backward_, roles, reach, plan_.description), roles);
    } catch (const detail::ForbiddenWrite& wrong) {
      forbidden = finding_of(plan_, "memory", wrong.what());
    }
    Report report;
    try {
      report = check_as(roles, reach);
    } catch (const detail::ForbiddenWrite& wrong) {
      forbidden = finding_of(plan_, "memory", wrong.what());
    }
    if (forbidden && report.verdict() != Verdict::wrong) report.findings.push_back(*forbidden);
    if (report.verdict() != Verdict::wrong) questions_.insert(questions.begin(), questions.end());
    const Finding* const beyond = finding_beyond(report, reach);
    if (beyond == nullptr) return report;
    // Arrays may be longer than what the forward reads of them.
    questions_.emplace(
        "the backward goes beyond what the forward reaches of an array, which is wrong "
        "if it ends there: " +
            beyond->text,
        lines_of(reach, [](const Reach&, std::size_t) { return true; }));
    return {};
  }

  Report check_as(const Roles& roles, const Reach& reach) {
    const std::string name =
        fmt::format("{}{}{}", plan_.forward, free_.empty() ? "" : ", ", text_of(reach.numbers));
    const auto make = [&](std::span<const double>) {
      return pair_of(name, forward_, backward_, roles, reach, plan_.description);
    };
    // The points and calls of families once; other numbers are for sizes and modes.
    Options once = plan_.options;
    once.draws = 1;
    if (&reach != reaches_.data()) return check_functions(make({}), once);
    supposed_ = roles;
    return check_family({.name = name, .make = make}, plan_.options);
  }

  // The finding that something was written behind an array whose elements nobody said, where
  // nothing else is wrong.
  const Finding* finding_beyond(const Report& report, const Reach& reach) const {
    const auto is_said = [&](const Parameter& read) {
      return !read.type.is_pointer || reach.numbers.contains(read.name);
    };
    if (std::ranges::all_of(roles_.forward, is_said)) return nullptr;
    const Finding* found = nullptr;
    for (const Finding& finding : report.findings) {
      if (finding.verdict != Verdict::wrong) continue;
      if (finding.text.find("after its end") == std::string::npos) return nullptr;
      if (found == nullptr) found = &finding;
    }
    return found;
  }

  // Numbers beyond those that are drawn where nobody said a range.
  void look_far_out() {
    Description description = plan_.description;
    const std::string lines = give_range(description, without_range(), -INFINITY, INFINITY);
    if (lines.empty()) return;
    Report report;
    const FunctionPair pair =
        pair_of(plan_.forward, forward_, backward_, supposed_, reaches_[0], description);
    try {
      detail::check_far_points(pair, plan_.options.seed, report);
    } catch (const detail::ForbiddenWrite& wrong) {
      report.findings.push_back(finding_of(plan_, "memory", wrong.what()));
    }
    if (report.findings.empty()) return;
    questions_.emplace("right between -2 and 2, and beyond, if that is possible, wrong: " +
                           report.findings.front().text,
                       lines);
  }

  // Beside what was checked.
  Report undecided(const Report& checked) const {
    Report report;
    report.configurations = checked.configurations;
    report.checks = checked.checks;
    report.ranges = checked.ranges;
    std::string whys;
    std::string all_lines;
    for (const auto& [why, lines] : questions_) {
      whys += (whys.empty() ? "" : "; ") + why;
      all_lines += " " + lines;
    }
    report.findings.push_back(finding_of(
        plan_, "reading", "undecided: " + whys + "; tell me:" + all_lines, Verdict::inconclusive));
    return report;
  }

  const HeaderPlan& plan_;
  const Print& print_;
  void* library_;
  ForeignFunction forward_;
  ForeignFunction backward_;
  std::vector<std::string> free_;  // names of numbers that nobody said
  std::vector<Reach> reaches_;     // by settings of those
  Roles roles_;
  Roles supposed_;  // with what the backward seems to promise
  Questions questions_;
};

}  // namespace

int check_header(const HeaderPlan& plan) {
  const auto ended = [&](const std::string& how) {
    Report report;
    report.findings.push_back(finding_of(plan, "call", fmt::format("the check {}", how)));
    fmt::print("{}", report.to_string());
    return report.exit_status();
  };
  const auto work = [&](const Print& print) {
    const Report report = Check(plan, print).run();
    print(report.to_string());
    return report.exit_status();
  };
  return apart(work, plan.seconds, ended);
}

}  // namespace aclgrad::gradcheck
