// SPDX-License-Identifier: Apache-2.0
#include "live/commands.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "aclgrad/error.h"

namespace aclgrad::live {
namespace {

using nlohmann::json;

template <class T>
T member(const json& command, const char* name) {
  return command.at(name).get<T>();
}

template <class T>
std::optional<T> optional_member(const json& command, const char* name) {
  if (!command.contains(name) || command[name].is_null()) return std::nullopt;
  return command[name].get<T>();
}

const std::map<std::string, std::function<Command(const json&)>>& commands() {
  static const std::map<std::string, std::function<Command(const json&)>> all = {
      {"step", [](const json&) { return StepCommand{}; }},
      {"back", [](const json&) { return BackCommand{}; }},
      {"goto", [](const json& it) { return GoToCommand{member<std::int64_t>(it, "step")}; }},
      {"play",
       [](const json& it) {
         return PlayCommand{true, optional_member<double>(it, "per_second").value_or(0)};
       }},
      {"pause", [](const json&) { return PlayCommand{false}; }},
      {"reset", [](const json&) { return ResetCommand{}; }},
      {"set",
       [](const json& it) {
         return SetCommand{member<ValueId>(it, "value"), member<std::int64_t>(it, "index"),
                           member<double>(it, "to")};
       }},
      {"release",
       [](const json& it) { return ReleaseCommand{optional_member<ValueId>(it, "value")}; }},
      {"rate", [](const json& it) { return RateCommand{optional_member<double>(it, "to")}; }},
      {"choose",
       [](const json& it) {
         return ChooseCommand{member<std::string>(it, "name"), member<std::string>(it, "to")};
       }},
      {"watch",
       [](const json& it) { return WatchCommand{member<std::vector<ValueId>>(it, "values")}; }},
      {"drawing",
       [](const json& it) {
         return DrawCommand{member<std::string>(it, "name"),
                            member<std::vector<double>>(it, "pixels")};
       }},
      {"text",
       [](const json& it) {
         return TypeCommand{member<std::string>(it, "name"), member<std::string>(it, "text")};
       }},
      {"check",
       [](const json& it) {
         return CheckCommand{member<ValueId>(it, "value"), member<std::int64_t>(it, "index")};
       }},
  };
  return all;
}

}  // namespace

Command parse_command(const std::string& text) {
  try {
    const json command = json::parse(text);
    const auto name = command.at("do").get<std::string>();
    const auto known = commands().find(name);
    if (known == commands().end()) {
      throw ValueError(fmt::format("there is no command \"{}\"", name));
    }
    return known->second(command);
  } catch (const json::exception& error) {
    throw ValueError(fmt::format("this is no command: {}", error.what()));
  }
}

}  // namespace aclgrad::live
