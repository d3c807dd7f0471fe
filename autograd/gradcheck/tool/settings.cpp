// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "aclgrad/error.h"
#include "aclgrad/tensor/number_text.h"
#include "gradcheck/core/checkable.h"
#include "gradcheck/tool/options.h"

namespace aclgrad::gradcheck {
namespace {

using contract::Sets;
using contract::Setting;

double number_from(const std::string& text, double least) {
  const std::optional<double> value = number_from_text(text);
  if (value && std::isfinite(*value) && *value >= least) return *value;
  throw ValueError(
      fmt::format("{} is not a finite number{}", text, least == 0 ? " of 0 or more" : ""));
}

double choice_of(const std::string& text, double last) {
  const double value = number_from(text, 0);
  if (value <= last && value == std::floor(value)) return value;
  throw ValueError(fmt::format("{} is not a whole number from 0 to {}", text, last));
}

template <class Integer>
Integer integer_of(const std::string& text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  throw ValueError(fmt::format("'{}' is not a whole number that fits", text));
}

Dims shape_of(const std::string& text) {
  if (text == "0d" || text == "scalar") return {};
  Dims shape;
  for (const std::string& extent : parts_of(text, 'x')) {
    if (extent.empty() || extent.find_first_not_of("0123456789") != std::string::npos ||
        extent.size() > 9) {
      throw ValueError("a shape is written as 4x6 or 0d, not '" + text + "'");
    }
    shape.push_back(integer_of<std::int64_t>(extent));
  }
  require_checkable("a tensor", shape);
  return shape;
}

bool flag_of(const std::string& text) {
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::count(words, text) > 0;
  };
  if (is({"true", "1"})) return true;
  if (is({"false", "0"})) return false;
  throw ValueError("'" + text + "' is neither true nor false");
}

Setting attribute_of(const detail::CommandOption& option, const std::string& text) {
  if (option.sets == Sets::kFlag) return flag_of(text) ? 1.0 : 0.0;
  if (option.sets == Sets::kShape) return shape_of(text);
  if (option.sets == Sets::kDtype) return static_cast<aclDataType>(dtype_from_text(text));
  if (option.sets == Sets::kList) {
    contract::Shape values;
    for (const std::string& part : parts_of(text, ',')) {
      values.push_back(integer_of<std::int64_t>(part));
    }
    return values;
  }
  if (option.name == "approximate") return choice_of(text, 1);
  if (option.name == "reduction") return choice_of(text, 2);
  if (option.name == "cubeMathType") return choice_of(text, 4);
  return number_from(text, std::numeric_limits<double>::lowest());
}

void set_checks(Plan& plan, const std::string& text) {
  plan.values = plan.statuses = plan.every_input = plan.same_bits = false;
  for (const std::string& name : parts_of(text, ',')) {
    if (name == "values") {
      plan.values = true;
    } else if (name == "statuses") {
      plan.statuses = true;
    } else if (name == "inputs") {
      plan.every_input = true;
    } else if (name == "bits") {
      plan.same_bits = true;
    } else {
      throw ValueError("no check is called '" + name +
                       "'; there are values, statuses, inputs, bits");
    }
  }
}

void set_value(Plan& plan, const std::string& name, const std::string& text) {
  if (name == "dtype") {
    plan.dtypes.clear();
    for (const std::string& part : parts_of(text, ',')) {
      plan.dtypes.push_back(dtype_from_text(part));
    }
  } else if (name == "layout") {
    plan.options.layouts.clear();
    for (const std::string& part : parts_of(text, ',')) {
      plan.options.layouts.push_back(layout_from_text(part));
    }
  } else if (name == "shape") {
    plan.shape = shape_of(text);
  } else if (name == "seed") {
    plan.options.seed = integer_of<std::uint64_t>(text);
  } else if (name == "ulp-slack") {
    plan.options.ulp_slack = number_from(text, 0);
  } else if (name == "check") {
    set_checks(plan, text);
  } else {
    const std::vector<detail::CommandOption> all = detail::all_options();
    const auto option = std::ranges::find(all, "--" + name, [](const detail::CommandOption& each) {
      return detail::option_of(each.name);
    });
    if (option == all.end()) throw ValueError("there is no such setting");
    plan.attributes.given[option->name] = attribute_of(*option, text);
  }
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void set(Plan& plan, const std::string& name, const std::string& text) {
  try {
    set_value(plan, name, text);
  } catch (const Error& error) {
    throw ValueError("--" + name + ": " + error.what());
  }
}

void require_use(const Plan& plan) {
  for (const auto& [attribute, value] : plan.attributes.given) {
    const std::string name = detail::option_of(attribute);
    if (plan.all_variants) {
      throw ValueError("--all chooses the attributes; " + name + " goes with --op");
    }
    std::string taken;
    bool used = false;
    for (const std::string& op : plan.operators) {
      const std::vector<std::string> options = options_of(op);
      used = used || std::ranges::count(options, name) > 0;
      taken += fmt::format("{}{} takes {}", taken.empty() ? "" : "; ", op,
                           options.empty() ? "none" : fmt::format("{}", fmt::join(options, ", ")));
    }
    if (!used) throw ValueError(name + " has no effect; of the attributes " + taken);
  }
}

}  // namespace aclgrad::gradcheck
