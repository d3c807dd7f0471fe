// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/options.h"

#include <fmt/format.h>

#include <algorithm>

namespace aclgrad::gradcheck::detail {
namespace {

using contract::Parameter;
using contract::Sets;
using contract::Setting;

// The value of an option as the command line takes it.
struct OptionText {
  const contract::Arguments& arguments;
  const Parameter& parameter;

  std::string operator()(double value) const { return fmt::format(" {}", value); }
  std::string operator()(const contract::Shape& values) const {
    if (parameter.tensor() == nullptr) return fmt::format("={}", fmt::join(values, ","));
    const contract::Shape& shape = arguments.shape(parameter.name);  // its kN filled in
    return fmt::format(" {}", shape.empty() ? "0d" : dims_text(shape));
  }
  std::string operator()(aclDataType dtype) const {
    return fmt::format(" {}", short_name(static_cast<DType>(dtype)));
  }
};

bool has_option(const std::vector<Parameter>& parameters, const Parameter& of) {
  return std::ranges::count(parameters, of.option_name(), &Parameter::option_name) > 0;
}

// An operator's parameters; of a gradient operator also those whose options its forward alone has.
std::vector<Parameter> parameters_of(const contract::Operator& op) {
  std::vector<Parameter> all = op.call.parameters;
  if (!op.gradient) return all;
  for (const Parameter& each : contract::find_contract(op.gradient->of).call.parameters) {
    if (!has_option(all, each)) all.push_back(each);
  }
  return all;
}

}  // namespace

std::string option_of(const std::string& name) {
  std::string option = "--";
  for (const char c : name) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    if (is_capital) option += '-';
    option += static_cast<char>(is_capital ? c - 'A' + 'a' : c);
  }
  return option;
}

std::vector<CommandOption> all_options() {
  std::vector<CommandOption> all;
  for (const contract::Operator& op : contract::all_contracts()) {
    if (op.words.check.empty()) continue;
    for (const Parameter& each : parameters_of(op)) {
      if (each.option_sets() == Sets::kNothing) continue;
      const bool known = std::ranges::count(all, each.option_name(), &CommandOption::name) > 0;
      if (!known) all.push_back({each.option_name(), each.option_sets()});
    }
  }
  return all;
}

std::vector<std::string> options_of(const contract::Operator& op) {
  std::vector<std::string> options;
  for (const Parameter& each : parameters_of(op)) {
    if (each.option_sets() == Sets::kNothing) continue;
    const std::string option = option_of(each.option_name());
    if (std::ranges::count(options, option) == 0) options.push_back(option);
  }
  return options;
}

contract::Sample sample_of(const contract::Operator& op, const Attributes& attributes) {
  contract::Sample sample = attributes.sample ? *attributes.sample : op.domain.samples.front();
  const auto set = [&sample](const std::string& name, const Setting& value) {
    const auto it =
        std::ranges::find(sample.settings, name, &std::pair<std::string, Setting>::first);
    if (it != sample.settings.end()) {
      it->second = value;
    } else {
      sample.settings.emplace_back(name, value);
    }
  };
  // A gradient operator may have another name for what its forward has too.
  std::vector<Parameter> parameters = op.call.parameters;
  if (op.gradient) {
    const contract::Operator& forward = contract::find_contract(op.gradient->of);
    parameters.insert(parameters.end(), forward.call.parameters.begin(),
                      forward.call.parameters.end());
  }
  for (const auto& [option, value] : attributes.given) {
    for (const Parameter& each : parameters) {
      if (each.option_name() == option) set(each.name, value);
    }
  }
  return sample;
}

std::string options_text(const contract::Arguments& arguments, const contract::Operator* but_for) {
  std::string text;
  for (const auto& [name, setting] : arguments.settings()) {
    const Parameter& parameter = arguments.op().parameter(name);
    if (but_for != nullptr && has_option(but_for->call.parameters, parameter)) continue;
    const Sets sets = parameter.option_sets();
    if (sets == Sets::kNothing) continue;
    const bool is_flag = sets == Sets::kFlag;
    if (is_flag && std::get<double>(setting) == 0) continue;
    const auto* list = std::get_if<contract::Shape>(&setting);
    if (sets == Sets::kList && list->empty()) continue;  // which is the default
    text += fmt::format("{}{}", text.empty() ? "" : " ", option_of(parameter.option_name()));
    if (!is_flag) text += std::visit(OptionText{arguments, parameter}, setting);
  }
  return text;
}

}  // namespace aclgrad::gradcheck::detail
