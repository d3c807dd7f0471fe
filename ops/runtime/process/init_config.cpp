// SPDX-License-Identifier: Apache-2.0
// The text is read as a sequence of values and never becomes a tree: a tree of nlohmann::json needs
// memory to be destroyed, and there may be none.
#include "ops/runtime/process/init_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

namespace aclgrad::runtime {
namespace {

using Json = nlohmann::json;

enum class Kind { kText, kList, kObject, kOther };

// A value of the configuration: its kind, and its content where that is checked.
struct Value {
  Kind kind;
  std::string shown;  // in messages
  std::string text = {};
};

bool is_text(const Value& value) { return value.kind == Kind::kText; }
bool is_list(const Value& value) { return value.kind == Kind::kList; }
bool is_object(const Value& value) { return value.kind == Kind::kObject; }
bool is_one_of(const Value& value, std::initializer_list<std::string_view> texts) {
  return is_text(value) && std::find(texts.begin(), texts.end(), value.text) != texts.end();
}
bool is_dump_mode(const Value& value) { return is_one_of(value, {"input", "output", "all"}); }
bool is_switch(const Value& value) { return is_one_of(value, {"on", "off"}); }
bool is_message_mode(const Value& value) { return is_one_of(value, {"0", "1"}); }

// What a key must hold when it is there.
struct Rule {
  std::string_view section;  // "" for a key of the file itself
  std::string_view key;
  bool (*holds)(const Value& value);
  const char* expected;
  aclError status;
};

// Of several broken rules the first one counts.
constexpr std::array kRules = {
    Rule{"", "dump", is_object, "an object", ACL_ERROR_INVALID_DUMP_CONFIG},
    Rule{"dump", "dump_path", is_text, "a string", ACL_ERROR_INVALID_DUMP_CONFIG},
    Rule{"dump", "dump_mode", is_dump_mode, "\"input\", \"output\" or \"all\"",
         ACL_ERROR_INVALID_DUMP_CONFIG},
    Rule{"dump", "dump_list", is_list, "a list", ACL_ERROR_INVALID_DUMP_CONFIG},
    Rule{"dump", "dump_op_switch", is_switch, "\"on\" or \"off\"", ACL_ERROR_INVALID_DUMP_CONFIG},
    Rule{"", "profiler", is_object, "an object", ACL_ERROR_INVALID_PROFILING_CONFIG},
    Rule{"profiler", "switch", is_switch, "\"on\" or \"off\"", ACL_ERROR_INVALID_PROFILING_CONFIG},
    Rule{"profiler", "output", is_text, "a string", ACL_ERROR_INVALID_PROFILING_CONFIG},
    Rule{"profiler", "aic_metrics", is_text, "a string", ACL_ERROR_INVALID_PROFILING_CONFIG},
    Rule{"", "err_msg_mode", is_message_mode, "\"0\" or \"1\"", ACL_ERROR_INVALID_PARAM},
};

// Hears every value of the text in turn. Depth 1 is inside the file's object, 2 inside a section.
class Reader : public nlohmann::json_sax<Json> {
 public:
  InitConfig result() const {
    InitConfig config;
    config.messages_per_process = messages_per_process_;
    if (!is_object_) {
      config.status = ACL_ERROR_PARSE_FILE;
      config.problem = "the file does not hold what was expected, a JSON object";
    } else if (broken_ < kRules.size()) {
      config.status = kRules[broken_].status;
      config.problem = problem_;
    }
    return config;
  }

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(fmt::format("{}", value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return scalar(fmt::format("{}", value));
  }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
  bool string(string_t& text) override {
    check_value({Kind::kText, fmt::format("\"{}\"", text), text});
    return true;
  }
  bool binary(binary_t&) override { return scalar("binary"); }

  bool start_object(size_t) override {
    if (depth_ == 0) is_object_ = true;
    check_value({Kind::kObject, "an object"});
    in_section_ = in_section_ || depth_ == 1;
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) section_ = name;
    if (depth_ == 2) key_ = name;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override {
    check_value({Kind::kList, "a list"});
    ++depth_;
    return true;
  }
  bool end_array() override { return leave(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    is_object_ = false;
    return false;
  }

 private:
  bool scalar(std::string shown) {
    check_value({Kind::kOther, std::move(shown)});
    return true;
  }

  bool leave() {
    --depth_;
    if (depth_ == 1) in_section_ = false;
    return true;
  }

  void check_value(const Value& value) {
    const bool in_section = depth_ == 2 && in_section_;
    if (depth_ != 1 && !in_section) return;
    const std::string_view section = in_section ? section_ : std::string_view();
    const std::string_view key = in_section ? key_ : section_;
    for (size_t i = 0; i < kRules.size(); ++i) {
      const Rule& rule = kRules[i];
      if (rule.section != section || rule.key != key) continue;
      if (!rule.holds(value)) {
        add_problem(i, fmt::format("\"{}\"{} is {}, expected {}", rule.key,
                                   in_section ? fmt::format(" in \"{}\"", rule.section) : "",
                                   value.shown, rule.expected));
      } else if (rule.holds == is_message_mode) {
        messages_per_process_ = value.text == "1";
      }
      return;
    }
  }

  void add_problem(size_t rule, std::string problem) {
    if (rule >= broken_) return;
    broken_ = rule;
    problem_ = std::move(problem);
  }

  size_t depth_ = 0;
  bool is_object_ = false;
  bool in_section_ = false;
  std::string section_;
  std::string key_;
  size_t broken_ = kRules.size();  // index of the rule
  std::string problem_;
  bool messages_per_process_ = false;
};

}  // namespace

InitConfig parse_init_config(const std::string& text) {
  if (text.empty()) return {};
  Reader reader;
  Json::sax_parse(text, &reader);
  return reader.result();
}

}  // namespace aclgrad::runtime
