// SPDX-License-Identifier: Apache-2.0
#include "tool/header/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

bool contains(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(
      parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace

std::string plain(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  // bias and biases, weight and weights; not loss.
  if (text.size() > 4 && (text.ends_with("ses") || text.ends_with("xes"))) {
    text.resize(text.size() - 2);
  } else if (text.size() > 3 && text.ends_with("s") && !text.ends_with("ss") &&
             !text.ends_with("as")) {
    text.pop_back();
  }
  return text;
}

std::vector<std::string> gradient_of_name(const std::string& name) {
  const std::string text = plain(name);
  std::vector<std::string> all;
  for (const std::string word :
       {"gradient", "grad", "diff", "delta", "update", "dl", "adjoint", "adj", "bar", "d", "g"}) {
    if (text == word) return {""};
    if (text.starts_with(word)) all.push_back(text.substr(word.size()));
    if (text.ends_with(word)) all.push_back(plain(text.substr(0, text.size() - word.size())));
  }
  // dL_dx
  if (text.starts_with("dld")) all.push_back(text.substr(3));
  return all;
}

bool is_input_name(const std::string& name) {
  static const std::set<std::string> known = {"in",  "inp",    "input", "x",
                                              "src", "bottom", "data",  "a"};
  return known.contains(plain(name));
}

bool is_output_name(const std::string& name) {
  static const std::set<std::string> known = {"out",    "output", "y",   "dst", "top",
                                              "result", "loss",   "res", "o"};
  return known.contains(plain(name));
}

double likely_value(const CParameter& parameter, std::size_t place) {
  const std::string text = plain(parameter.name);
  if (parameter.type.kind == CType::Kind::kFloating) return contains(text, {"eps"}) ? 1e-5 : 0.75;
  if (parameter.type.is_choice) return 0;
  if (contains(text, {"stride", "step", "dilation", "inc", "group"})) return 1;
  if (contains(text, {"pad", "offset", "mode", "flag", "type", "kind", "axis", "begin", "start",
                      "activation"}))
    return 0;
  // What slides over rows and columns is no longer than they are.
  if (contains(text, {"kernel", "ksize", "window", "pool"})) return 2;
  constexpr std::array<double, 6> kPrimes = {2, 3, 5, 4, 6, 7};
  return kPrimes[place % kPrimes.size()];
}

std::size_t count_of_elements(const std::string& name, double said) {
  constexpr double kMost = 1 << 20;
  if (said >= 0 && said <= kMost && said == std::floor(said)) return static_cast<std::size_t>(said);
  throw ValueError(fmt::format(
      "set {}: an array has from 0 to {} elements, a whole number, not {:g}", name, kMost, said));
}

void require_stored(const std::string& name, const CType& type, double value) {
  const double end = std::ldexp(1.0, 8 * type.bytes - (type.bytes < 4 ? 0 : 1));
  if (value == std::floor(value) && std::abs(value) < end) return;
  throw ValueError(
      fmt::format("set {}: {:g} is no whole number that {} has", name, value, type.text));
}

}  // namespace aclgrad::gradcheck
