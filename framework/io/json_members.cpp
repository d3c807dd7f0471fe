// SPDX-License-Identifier: Apache-2.0
#include "io/json_members.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "io/shown.h"

namespace aclgrad::detail {
namespace {

using Json = nlohmann::json;

// Takes the parser's events. With a callback the library's own parser goes through all members that
// an object has when each of them ends.
class MemberReader : public nlohmann::json_sax<Json> {
 public:
  MemberReader(const char* what, int deepest, std::string& problem)
      : what_(what), deepest_(deepest), problem_(problem) {}

  std::vector<JsonMember> members() && { return std::move(members_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_[open_.size() - 1].insert(name).second) {
      problem_ = "the key " + shown(name) + " occurs twice";
      return false;
    }
    if (open_.size() == 1) members_.push_back({.name = name, .value = {}, .keys = {}});
    if (open_.size() == 2) members_.back().keys.push_back(name);
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t at, const std::string&, const Json::exception& error) override {
    // An out_of_range is a number such as 1e999.
    constexpr int kNumberOverflow = 406;
    return fail(error.id == kNumberOverflow
                    ? " holds a number that is none of a tensor"
                    : fmt::format(" is not valid JSON, at its byte {}", at));
  }

 private:
  bool fail(const std::string& what) {
    if (problem_.empty()) problem_ = what_ + what;
    return false;
  }

  // The place for what comes next; null for what is not within an object.
  Json* place() {
    if (open_.empty()) return nullptr;
    if (open_.size() == 1) return &members_.back().value;
    Json& parent = *open_.back();
    if (parent.is_object()) return &parent[key_];
    parent.push_back(nullptr);
    return &parent.back();
  }

  bool add(Json value) {
    Json* const to = place();
    if (to == nullptr) return fail(" is not a JSON object");
    *to = std::move(value);
    return true;
  }

  bool open(Json value) {
    if (static_cast<int>(open_.size()) >= deepest_) return fail(" is nested too deeply");
    if (open_.empty()) {
      if (!value.is_object()) return fail(" is not a JSON object");
      open_.push_back(nullptr);  // its members are members_
    } else {
      Json* const to = place();
      *to = std::move(value);
      open_.push_back(to);
    }
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string what_;
  int deepest_;
  std::string& problem_;
  std::vector<JsonMember> members_;
  std::vector<Json*> open_;  // from the outermost on; only the last one grows
  std::vector<std::set<std::string>> keys_;
  std::string key_;
};

}  // namespace

std::vector<JsonMember> json_members(const std::string& text, const char* what, int deepest,
                                     std::string& problem) {
  MemberReader reader(what, deepest, problem);
  Json::sax_parse(text, static_cast<nlohmann::json_sax<Json>*>(&reader));
  return std::move(reader).members();
}

}  // namespace aclgrad::detail
