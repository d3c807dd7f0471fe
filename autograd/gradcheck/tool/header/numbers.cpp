// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "aclgrad/error.h"
#include "gradcheck/tool/header/names.h"

namespace aclgrad::gradcheck {
namespace {

// How one setting differs from another, by what numbers are.
struct Variant {
  std::array<double, 6> sizes;  // by their order; more begin again
  double lone_size;             // of the only one
  double window, stride, padding, choice;
};
constexpr std::array<double, 6> kPrimes = {2, 3, 5, 4, 6, 7};
constexpr std::array<double, 6> kOthers = {3, 4, 5, 2, 7, 6};
constexpr std::array<Variant, 6> kVariants = {{
    {kPrimes, 3, 2, 1, 0, 0},
    {{4, 4, 4, 4, 4, 4}, 1, 2, 1, 0, 0},
    {kOthers, 5, 3, 1, 0, 1},
    {{6, 3, 3, 3, 3, 3}, 5, 2, 1, 0, 0},  // of which one divides the other
    {kPrimes, 3, 2, 2, 0, 2},
    {kOthers, 5, 3, 1, 1, 3},
}};

enum class Meaning { kSize, kWindow, kStride, kPadding, kChoice, kFloating };

bool has_part(const std::string& name, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(
      parts, [&](const char* part) { return plain(name).find(part) != std::string::npos; });
}

Meaning meaning_of(const CParameter& number) {
  if (number.type.kind == CType::Kind::kFloating) return Meaning::kFloating;
  if (number.type.choices > 0) return Meaning::kChoice;
  if (has_part(number.name, {"stride", "step", "dilation", "inc", "group"}))
    return Meaning::kStride;
  if (has_part(number.name,
               {"pad", "offset", "mode", "flag", "type", "kind", "axis", "begin", "start"}))
    return Meaning::kPadding;
  return has_part(number.name, {"kernel", "ksize", "window", "pool"}) ? Meaning::kWindow
                                                                      : Meaning::kSize;
}

double floating_value(const std::string& name) {
  return has_part(name, {"eps"})           ? 1e-5
         : has_part(name, {"low", "min"})  ? -1.25
         : has_part(name, {"high", "max"}) ? 1.25
                                           : 0.75;
}

class NumberReader {
 public:
  NumberReader(const Prototype& forward, const Prototype& backward, const Description& description)
      : forward_(forward), backward_(backward), description_(description) {}

  Settings read() {
    require_known_names();
    Settings settings;
    match(settings.lines);
    for (const Prototype* function : {&forward_, &backward_}) {
      for (const CParameter& number : function->parameters) {
        const bool is_new = std::ranges::count(settings.free, number.name) == 0;
        if (!is_free(number) || same_.contains(number.name) || !is_new) continue;
        settings.free.push_back(number.name);
        free_.push_back(&number);
      }
    }
    for (const Variant& variant : kVariants) {
      const Numbers numbers = numbers_of(variant);
      if (std::ranges::count(settings.all, numbers) == 0) settings.all.push_back(numbers);
    }
    return settings;
  }

 private:
  static bool has(const Prototype& function, const std::string& name) {
    return std::ranges::count(function.parameters, name, &CParameter::name) > 0;
  }

  // A number that nobody said, and not what arrives at a number that the forward returns.
  bool is_free(const CParameter& number) const {
    const bool is_gradient =
        number.type.kind == CType::Kind::kFloating && !has(forward_, number.name) &&
        forward_.result.kind != CType::Kind::kNothing && !gradient_of_name(number.name).empty();
    return !number.type.is_pointer && !is_gradient && !description_.values.contains(number.name);
  }

  // What is said of a name that no parameter has is a mistake.
  void require_known_names() const {
    std::set<std::string> known;
    std::set<std::string> with_function;
    for (const auto& [function, prefix] :
         {std::pair(&forward_, "forward."), {&backward_, "backward."}}) {
      for (const CParameter& parameter : function->parameters) {
        known.insert(parameter.name);
        with_function.insert(prefix + parameter.name);
      }
    }
    const auto require = [&](const auto& said, const char* what) {
      for (const auto& [name, value] : said) {
        if (known.contains(name)) continue;
        throw ValueError(
            fmt::format("{} {}: neither function has a parameter of this name", what, name));
      }
    };
    require(description_.values, "set");
    require(description_.ranges, "range");
    known.merge(with_function);
    known.insert(Description::kGradients);
    require(description_.roles, "role");
  }

  // Numbers of the backward that the forward has under another name.
  void match(std::vector<std::string>& lines) {
    for (const auto kind : {CType::Kind::kWhole, CType::Kind::kFloating}) {
      const auto alone = [&](const Prototype& function, const Prototype& other) {
        std::vector<std::string> names;
        for (const CParameter& number : function.parameters) {
          if (number.type.kind == kind && is_free(number) && !has(other, number.name))
            names.push_back(number.name);
        }
        return names;
      };
      const std::vector<std::string> of_forward = alone(forward_, backward_);
      const std::vector<std::string> of_backward = alone(backward_, forward_);
      for (const std::string& name : of_backward) {
        if (of_forward.size() == 1 && of_backward.size() == 1) {
          same_[name] = of_forward.front();
        } else {
          lines.push_back(
              fmt::format("--set {}={}", name, of_forward.empty() ? "VALUE" : of_forward.front()));
        }
      }
    }
  }

  Numbers numbers_of(const Variant& variant) const {
    const auto is_size = [](const CParameter* number) {
      return meaning_of(*number) == Meaning::kSize;
    };
    const bool is_lone = std::ranges::count_if(free_, is_size) == 1;
    Numbers numbers;
    std::size_t place = 0;
    for (const CParameter* number : free_) {
      const std::array<double, 6> values = {
          is_lone ? variant.lone_size : variant.sizes[place % variant.sizes.size()],
          variant.window,
          variant.stride,
          variant.padding,
          std::fmod(variant.choice, std::max(number->type.choices, 1)),
          floating_value(number->name)};
      numbers[number->name] = values[static_cast<std::size_t>(meaning_of(*number))];
      if (is_size(number)) ++place;
    }
    for (const auto& [name, product] : description_.values)
      numbers[name] = value_of(product, numbers);
    for (const auto& [name, other] : same_) numbers[name] = numbers.at(other);
    for (const Prototype* function : {&forward_, &backward_}) {
      for (const CParameter& parameter : function->parameters) require_possible(parameter, numbers);
    }
    return numbers;
  }

  double value_of(const std::string& product, const Numbers& numbers, int depth = 0) const {
    if (depth > 8) throw ValueError(fmt::format("set {}: it is made of itself", product));
    double value = 1;
    std::istringstream factors(product);
    for (std::string factor; std::getline(factors, factor, '*');) {
      char* end = nullptr;
      const double number = std::strtod(factor.c_str(), &end);
      if (!factor.empty() && *end == '\0') {
        value *= number;
      } else if (const auto said = description_.values.find(factor);
                 said != description_.values.end()) {
        value *= value_of(said->second, numbers, depth + 1);
      } else if (const auto known = numbers.find(factor); known != numbers.end()) {
        value *= known->second;
      } else {
        throw ValueError(
            fmt::format("set {}: {} is no number of either function", product, factor));
      }
    }
    return value;
  }

  static void require_possible(const CParameter& parameter, const Numbers& numbers) {
    const auto known = numbers.find(parameter.name);
    const CType& type = parameter.type;
    if (known == numbers.end() || (!type.is_pointer && type.kind == CType::Kind::kFloating)) return;
    const double least = type.is_pointer ? 0 : -0x1p53;
    const double most = type.is_pointer ? 1 << 20
                        : type.bytes == 8
                            ? 0x1p53
                            : std::ldexp(1.0, 8 * type.bytes - (type.bytes < 4 ? 0 : 1));
    const double value = known->second;
    if (value == std::floor(value) && value >= least && std::abs(value) <= most) return;
    throw ValueError(fmt::format("set {}: {:g} is no whole number that {} has", parameter.name,
                                 value, type.is_pointer ? "an array's length" : type.text));
  }

  const Prototype& forward_;
  const Prototype& backward_;
  const Description& description_;
  std::vector<const CParameter*> free_;
  std::map<std::string, std::string> same_;  // of the backward: the forward's
};

}  // namespace

Settings settings_of(const Prototype& forward, const Prototype& backward,
                     const Description& description) {
  return NumberReader(forward, backward, description).read();
}

}  // namespace aclgrad::gradcheck
