// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/gradcheck_functions.h"
#include "gradcheck/core/function_points.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck {
namespace {

constexpr std::int64_t kLarge = 1500;  // elements, of which no Jacobian is made

std::int64_t elements_of(const FunctionPair& pair) {
  std::int64_t count = 0;
  for (const std::vector<FunctionArray>* arrays : {&pair.inputs, &pair.outputs}) {
    for (const FunctionArray& array : *arrays) count += count_of(array.shape);
  }
  return count;
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
      if (std::ranges::find(all, setting) == all.end()) all.push_back(std::move(setting));
    }
  }
  alone = all.size();
  constexpr std::uint64_t kRandom = 40;
  for (std::uint64_t run = 0; run < kRandom && !usual.empty(); ++run) {
    std::vector<double> setting;
    for (std::size_t k = 0; k < usual.size(); ++k) {
      setting.push_back(
          inside(family.attributes[k], static_cast<double>(random_unit(seed + 501 + run, k))));
    }
    all.push_back(std::move(setting));
  }
  return all;
}

// Runs a part; what it throws is a finding.
template <class Part>
void part_of(const FunctionPair& pair, Report& report, const Part& part) {
  try {
    part();
  } catch (const std::exception& error) {
    Finding finding;
    finding.check = "call";
    finding.operator_name = pair.name;
    finding.shape = pair.inputs.front().shape;
    finding.text = error.what();
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace

Report check_family(const FunctionFamily& family, Options options) {
  Report report;
  std::size_t alone = 0;
  const std::vector<std::vector<double>> settings = settings_of(family, options.seed, alone);
  for (std::size_t s = 0; s < settings.size(); ++s) {
    FunctionPair pair = family.make(settings[s]);
    std::vector<std::string> values;
    for (std::size_t k = 0; k < settings[s].size(); ++k) {
      values.push_back(fmt::format("{}={:.6g}", family.attributes[k].name, settings[s][k]));
    }
    pair.name =
        fmt::format("{}{}{}", family.name, values.empty() ? "" : ", ", fmt::join(values, ", "));
    Report one;
    if (elements_of(pair) > kLarge) {
      part_of(pair, one, [&] { detail::check_directions(pair, options.seed, one); });
    } else {
      if (s >= alone) options.draws = 1;
      one = check_functions(pair, options);
      part_of(pair, one, [&] { detail::check_calls(pair, options.seed, one); });
      if (s < alone) {
        part_of(pair, one, [&] { detail::check_points(pair, options.seed, one); });
      }
    }
    const bool is_wrong = one.verdict() == Verdict::wrong;
    if (s == 0 || is_wrong) {
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
