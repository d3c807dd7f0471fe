// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/prototype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

using Words = std::vector<std::string>;

// The text without comments and preprocessor lines, those that go on behind a \ included.
std::string stripped(const std::string& text) {
  std::string result;
  bool at_line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
      result += ' ';
    } else if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (at_line_start && text[i] == '#') {
      while (i < text.size() && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
      result += '\n';
    } else {
      result += text[i];
      if (!std::isspace(static_cast<unsigned char>(text[i]))) at_line_start = false;
    }
    if (i < text.size() && text[i] == '\n') at_line_start = true;
  }
  return result;
}

// Names and numbers, strings, and single signs.
Words words_of(const std::string& text) {
  Words words;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (is_part(text[i])) {
      while (end < text.size() && is_part(text[end])) ++end;
    } else if (text[i] == '"') {
      end = std::min(text.find('"', i + 1), text.size() - 1) + 1;
    }
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

bool is_name(const std::string& word) {
  return std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_';
}

struct NumberType {
  CType::Kind kind;
  int bytes;
  int choices = 0;
};

const std::map<std::string, NumberType>& known_numbers() {
  using enum CType::Kind;
  static const std::map<std::string, NumberType> known = {
      {"float", {kFloating, 4}},     {"double", {kFloating, 8}},
      {"int", {kWhole, 4}},          {"unsigned", {kWhole, 4}},
      {"unsigned int", {kWhole, 4}}, {"long", {kWhole, 8}},
      {"long int", {kWhole, 8}},     {"unsigned long", {kWhole, 8}},
      {"long long", {kWhole, 8}},    {"unsigned long long", {kWhole, 8}},
      {"size_t", {kWhole, 8}},       {"ptrdiff_t", {kWhole, 8}},
      {"ssize_t", {kWhole, 8}},      {"int32_t", {kWhole, 4}},
      {"uint32_t", {kWhole, 4}},     {"int64_t", {kWhole, 8}},
      {"uint64_t", {kWhole, 8}},     {"bool", {kWhole, 1, 2}},
      {"_Bool", {kWhole, 1, 2}},     {"char", {kWhole, 1}},
      {"uint8_t", {kWhole, 1}},      {"int8_t", {kWhole, 1}}};
  return known;
}

// Words that say nothing about what a parameter is.
bool is_decoration(const std::string& word) {
  static const std::set<std::string> known = {"restrict", "__restrict", "__restrict__", "register",
                                              "volatile", "extern",     "inline",       "static",
                                              "__inline", "__inline__", "struct",       "enum",
                                              "std",      ":",          "signed"};
  return known.contains(word);
}

class Header {
 public:
  explicit Header(const std::string& text) : words_(words_of(stripped(text))) { read_typedefs(); }

  Prototype find(const std::string& name) const {
    std::set<std::string> functions;
    for (std::size_t i = 1; i + 1 < words_.size(); ++i) {
      if (!is_name(words_[i]) || words_[i + 1] != "(" || !begins_a_type(i)) continue;
      functions.insert(words_[i]);
      if (words_[i] == name) return read(i);
    }
    throw ValueError(
        fmt::format("the header declares no function {}; it declares {}", name,
                    functions.empty() ? "none" : fmt::format("{}", fmt::join(functions, ", "))));
  }

 private:
  // Whether what stands before a name can be a function's result type: not inside an expression.
  bool begins_a_type(std::size_t at) const {
    const std::string& before = words_[at - 1];
    return before == "*" || (is_name(before) && before != "return" && before != "else");
  }

  void read_typedefs() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != "typedef") continue;
      const auto end = static_cast<std::size_t>(
          std::find(words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end(), ";") -
          words_.begin());
      if (end >= words_.size()) return;
      if (end < i + 3) continue;  // nothing that has a name
      if (words_[i + 1] == "enum") {
        // typedef enum { ... } NAME; its end is behind the braces.
        const auto commas = std::count(words_.begin() + static_cast<std::ptrdiff_t>(i),
                                       words_.begin() + static_cast<std::ptrdiff_t>(end), ",");
        names_[words_[end - 1]] = {CType::Kind::kWhole, 4, static_cast<int>(commas) + 1};
        continue;
      }
      const auto number = number_of({words_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     words_.begin() + static_cast<std::ptrdiff_t>(end) - 1});
      if (number) names_[words_[end - 1]] = *number;
    }
  }

  std::optional<NumberType> number_of(Words words) const {
    std::erase_if(words,
                  [](const std::string& word) { return is_decoration(word) || word == "const"; });
    const std::string text = fmt::format("{}", fmt::join(words, " "));
    for (const auto* names : {&names_, &known_numbers()}) {
      if (const auto it = names->find(text); it != names->end()) return it->second;
    }
    return std::nullopt;
  }

  // Behind the words of a type, without a name. Nothing where it is not known.
  std::optional<CType> type_of(const Words& words) const {
    CType type{.text = fmt::format("{}", fmt::join(words, " "))};
    if (const std::size_t at = type.text.find(" *"); at != std::string::npos) {
      type.text.erase(at, 1);
    }
    const auto stars = std::ranges::count(words, "*");
    const auto star = std::ranges::find(words, "*");
    const Words number(words.begin(), star);
    type.is_pointer = stars == 1;
    type.is_const = std::ranges::count(number, "const") > 0;
    if (stars == 0 && words == Words{"void"}) return type;
    const std::optional<NumberType> known = number_of(number);
    if (!known || stars > 1) return std::nullopt;
    type.kind = known->kind;
    type.bytes = known->bytes;
    type.choices = known->choices;
    return type;
  }

  Prototype read(std::size_t at) const {
    Prototype function{.name = words_[at]};
    std::size_t first = at;
    while (first > 0 && (is_name(words_[first - 1]) || words_[first - 1] == "*")) --first;
    Words result(words_.begin() + static_cast<std::ptrdiff_t>(first),
                 words_.begin() + static_cast<std::ptrdiff_t>(at));
    std::erase_if(result, is_decoration);
    // In front there may be macros, such as those that export a function.
    while (result.size() > 1 && !type_of(result)) result.erase(result.begin());
    const std::optional<CType> type = type_of(result);
    if (!type || type->is_pointer || type->kind == CType::Kind::kWhole) {
      throw ValueError(
          fmt::format("{} returns {}; a function that is checked "
                      "returns nothing, a float or a double",
                      function.name, fmt::join(result, " ")));
    }
    function.result = *type;
    std::size_t end = at + 2;
    Words words;
    int depth = 1;
    for (; end < words_.size(); ++end) {
      depth += words_[end] == "(" ? 1 : words_[end] == ")" ? -1 : 0;
      if (depth == 0 || (depth == 1 && words_[end] == ",")) {
        if (!words.empty() && words != Words{"void"}) {
          function.parameters.push_back(parameter(function, words));
        }
        words.clear();
        if (depth == 0) break;
      } else {
        words.push_back(words_[end]);
      }
    }
    Words text;
    for (CParameter& each : function.parameters) {
      text.push_back(each.name.empty() ? each.type.text : each.type.text + " " + each.name);
      if (each.name.empty()) each.name = fmt::format("parameter_{}", text.size() - 1);
    }
    function.text =
        fmt::format("{} {}({})", function.result.text, function.name, fmt::join(text, ", "));
    return function;
  }

  CParameter parameter(const Prototype& function, Words words) const {
    const std::string all = fmt::format("{}", fmt::join(words, " "));
    CParameter result;
    // float x[3][4] is float* x.
    const auto bracket = std::ranges::find(words, "[");
    const bool is_array = bracket != words.end();
    words.erase(bracket, words.end());
    std::erase_if(words, is_decoration);
    if (words.size() > 1 && is_name(words.back()) && !type_of({words.back()}) &&
        words.back() != "const") {
      result.name = words.back();
      words.pop_back();
    }
    if (is_array) words.emplace_back("*");
    const std::optional<CType> type = type_of(words);
    if (!type || type->kind == CType::Kind::kNothing) {
      throw ValueError(
          fmt::format("{}: the parameter `{}` is not of a type that is known "
                      "here: numbers (float, double, "
                      "int, "
                      "long, size_t, int32_t, ...) and pointers to them; give the header "
                      "that declares the type, too (--header once more), or wrap "
                      "the function in one that takes "
                      "those",
                      function.name, all));
    }
    result.type = *type;
    return result;
  }

  Words words_;
  std::map<std::string, NumberType> names_;
};

}  // namespace

Prototype prototype_in(const std::string& header, const std::string& name) {
  return Header(header).find(name);
}

}  // namespace aclgrad::gradcheck
