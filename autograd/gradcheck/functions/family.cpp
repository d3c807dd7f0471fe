// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/gradcheck/functions.h"
#include "gradcheck/core/problem.h"
#include "gradcheck/functions/points.h"

namespace aclgrad::gradcheck {
namespace {

std::int64_t elements_of(const std::vector<FunctionArray>& arrays) {
  std::int64_t count = 0;
  for (const FunctionArray& array : arrays) count += count_of(array.shape);
  return count;
}

// Whether no Jacobian is made. With a reference it takes fewer calls, and is worth more where it is
// made once.
bool is_large(const FunctionPair& pair, bool is_usual) {
  constexpr std::int64_t kElements = 1500;
  constexpr std::int64_t kPairs = std::int64_t{1} << 20;
  const std::int64_t inputs = elements_of(pair.inputs);
  const std::int64_t outputs = elements_of(pair.outputs);
  return pair.reference && is_usual ? inputs * outputs > kPairs : inputs + outputs > kElements;
}

// Half of the way to the usual value, which it reaches.
double nearer(double value, const FunctionAttribute& attribute) {
  const double way = (value - attribute.usual) / 2;
  if (!attribute.whole) return std::abs(way) < 1e-3 ? attribute.usual : attribute.usual + way;
  return attribute.usual + std::trunc(way);
}

// The usual values; each attribute at its ends, beside the lower one and between; random ones.
std::vector<std::vector<double>> settings_of(const FunctionFamily& family, std::uint64_t seed,
                                             std::size_t& alone) {
  std::vector<double> usual;
  for (const FunctionAttribute& each : family.attributes) {
    if (!(each.low <= each.usual && each.usual <= each.high)) {
      throw ValueError(fmt::format("{}: the usual value of `{}` is {}, its range [{}, {}]",
                                   family.name, each.name, each.usual, each.low, each.high));
    }
    usual.push_back(each.usual);
  }
  const auto is_allowed = [&](const std::vector<double>& setting) {
    return !family.allows || family.allows(setting);
  };
  if (!is_allowed(usual)) {
    throw ValueError(family.name + ": its usual attributes are not allowed");
  }
  std::vector<std::vector<double>> all = {usual};
  const auto inside = [](const FunctionAttribute& each, double unit) {
    if (!each.whole) return each.low + unit * (each.high - each.low);
    const double high = std::min(each.high, each.low + 8);
    return std::min(each.high, std::floor(each.low + unit * (high - each.low + 1)));
  };
  for (std::size_t k = 0; k < usual.size(); ++k) {
    const FunctionAttribute& each = family.attributes[k];
    for (const double value : {each.low, each.high, each.whole ? each.low + 1 : inside(each, 0.37),
                               each.whole ? each.low + 2 : inside(each, 0.81)}) {
      std::vector<double> setting = usual;
      setting[k] = std::min(value, each.high);
      while (!is_allowed(setting)) setting[k] = nearer(setting[k], each);
      if (std::ranges::find(all, setting) == all.end()) all.push_back(std::move(setting));
    }
  }
  alone = all.size();
  constexpr std::uint64_t kRandom = 40;
  constexpr std::uint64_t kTries = 50 * kRandom;  // of which few may be allowed
  for (std::uint64_t run = 0; run < kTries && all.size() < alone + kRandom && !usual.empty();
       ++run) {
    std::vector<double> setting;
    for (std::size_t k = 0; k < usual.size(); ++k) {
      setting.push_back(
          inside(family.attributes[k], static_cast<double>(random_unit(seed + 501 + run, k))));
    }
    if (is_allowed(setting)) all.push_back(std::move(setting));
  }
  return all;
}

// A family with some attributes.
Report check_setting(const FunctionFamily& family, const std::vector<double>& setting,
                     Options options, bool is_random) {
  FunctionPair pair = family.make(setting);
  std::vector<std::string> values;
  for (std::size_t k = 0; k < setting.size(); ++k) {
    values.push_back(fmt::format("{}={:.6g}", family.attributes[k].name, setting[k]));
  }
  pair.name =
      fmt::format("{}{}{}", family.name, values.empty() ? "" : ", ", fmt::join(values, ", "));
  Report report;
  const auto has_usual = [&](const FunctionAttribute& each) {
    return setting[static_cast<std::size_t>(&each - family.attributes.data())] == each.usual;
  };
  if (is_large(pair, std::ranges::all_of(family.attributes, has_usual))) {
    detail::part_of(pair, report, [&] { detail::check_directions(pair, options.seed, report); });
    detail::part_of(pair, report, [&] { detail::check_calls(pair, options.seed, report); });
    detail::part_of(pair, report, [&] {
      const detail::FunctionPoint point = detail::draw_point(pair, options.seed);
      detail::check_values(pair, point, options.ulp_slack, report);
    });
    return report;
  }
  if (is_random) options.draws = 1;
  report = detail::check_pair(pair, options);
  detail::part_of(pair, report, [&] { detail::check_calls(pair, options.seed, report); });
  if (!is_random) {
    detail::part_of(pair, report, [&] { detail::check_points(pair, options.seed, report); });
  }
  return report;
}

// What makes the difference to a wrong setting: nothing but the run, or an attribute, with a number
// that is still right beside one that is not. "" where it cannot be told.
std::string cause_of(const FunctionFamily& family, const std::vector<double>& wrong,
                     const Options& options, bool is_random) {
  const auto is_wrong = [&](const std::vector<double>& setting) {
    return check_setting(family, setting, options, is_random).verdict() == Verdict::wrong;
  };
  if (!is_wrong(wrong)) {
    return "intermittent: the same check was right when it was made again, as where threads race "
           "or "
           "memory is read before it is written";
  }
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    const FunctionAttribute& attribute = family.attributes[k];
    std::vector<double> setting = wrong;
    const auto is_right_with = [&](double value) {
      setting[k] = value;
      return (!family.allows || family.allows(setting)) && !is_wrong(setting);
    };
    if (wrong[k] == attribute.usual || !is_right_with(attribute.usual)) continue;
    double right = attribute.usual;
    double not_right = wrong[k];
    while (attribute.whole && std::abs(not_right - right) > 1) {
      const double between = right + std::trunc((not_right - right) / 2);
      (is_right_with(between) ? right : not_right) = between;
    }
    return fmt::format("with {0}={1:.6g} it is right, with {0}={2:.6g} wrong", attribute.name,
                       right, not_right);
  }
  return "";
}

}  // namespace

Report check_family(const FunctionFamily& family, Options options) {
  Report report;
  std::size_t alone = 0;
  const std::vector<std::vector<double>> settings = settings_of(family, options.seed, alone);
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const bool is_random = s >= alone;
    Report one = check_setting(family, settings[s], options, is_random);
    const bool is_wrong = one.verdict() == Verdict::wrong;
    if (is_wrong) {
      const std::string cause = cause_of(family, settings[s], options, is_random);
      for (Finding& finding : one.findings) {
        if (finding.verdict != Verdict::wrong || cause.empty()) continue;
        finding.diagnosis += (finding.diagnosis.empty() ? "" : "; ") + cause;
      }
    }
    // One setting of each verdict says what there is to say. At some sizes all gradients are 0.
    const bool is_new = one.verdict() != Verdict::right && one.verdict() != Verdict::vacuous &&
                        one.verdict() != report.verdict();
    if (s == 0 || is_new) {
      report.add(one);
    } else {
      report.right += one.right;
      report.checks += one.checks;
      report.configurations += one.configurations;
    }
    if (is_wrong) break;
  }
  return report;
}

}  // namespace aclgrad::gradcheck
