// SPDX-License-Identifier: Apache-2.0
#include "live/commands.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "aclgrad/error.h"

namespace aclgrad::live {
namespace {

using nlohmann::json;

// The library would make a number of true, cut 1.5 to 1, and wrap what is too large.
template <class T>
T as(const json& value, const char* name) {
  if constexpr (std::is_same_v<T, double>) {
    if (!value.is_number())
      throw ValueError(fmt::format("`{}` is a number, not {}", name, value.dump()));
  } else if constexpr (std::is_integral_v<T>) {
    constexpr std::int64_t kMost = std::numeric_limits<T>::max();
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMost)) ||
        value.get<std::int64_t>() < std::numeric_limits<T>::min()) {
      throw ValueError(fmt::format("`{}` is a whole number, not {}", name, value.dump()));
    }
  } else {
    if (!value.is_string())
      throw ValueError(fmt::format("`{}` is a text, not {}", name, value.dump()));
  }
  return value.get<T>();
}

const json& part(const json& command, const char* name) {
  if (!command.contains(name)) throw ValueError(fmt::format("`{}` is missing", name));
  return command[name];
}

template <class T>
T member(const json& command, const char* name) {
  return as<T>(part(command, name), name);
}

template <class T>
std::optional<T> optional_member(const json& command, const char* name) {
  if (!command.contains(name) || command[name].is_null()) return std::nullopt;
  return as<T>(command[name], name);
}

const json& list(const json& command, const char* name) {
  const json& all = part(command, name);
  if (!all.is_array()) throw ValueError(fmt::format("`{}` is a list, not {}", name, all.dump()));
  return all;
}

// A click each; a page sends those together that were made while it waited.
std::int64_t count_of(const json& command) {
  constexpr std::int64_t kMost = 1000;
  const std::int64_t count = optional_member<std::int64_t>(command, "count").value_or(1);
  if (count < 1 || count > kMost) {
    throw ValueError(fmt::format("`count` is from 1 to {}, not {}", kMost, count));
  }
  return count;
}

WatchCommand watched(const json& command) {
  WatchCommand watch;
  for (const json& wanted : list(command, "values")) {
    if (!wanted.is_object()) {
      watch.values[as<ValueId>(wanted, "values")] = {};
      continue;
    }
    const Watched from{optional_member<std::int64_t>(wanted, "row").value_or(0),
                       optional_member<std::int64_t>(wanted, "column").value_or(0)};
    if (from.row < 0 || from.column < 0) throw ValueError("rows and columns are counted from 0");
    watch.values[member<ValueId>(wanted, "value")] = from;
  }
  return watch;
}

// Lists and objects of a link may be left out where they are empty.
template <class Take>
void for_each(const json& command, const char* name, const Take& take) {
  if (!command.contains(name)) return;
  for (const json& one : list(command, name)) {
    if (!one.is_array()) throw ValueError(fmt::format("`{}` has {}, no list", name, one.dump()));
    take(one);
  }
}

std::map<std::string, std::string> texts_of(const json& command, const char* name) {
  std::map<std::string, std::string> all;
  if (!command.contains(name)) return all;
  const json& texts = command[name];
  if (!texts.is_object()) throw ValueError(fmt::format("`{}` is an object of texts", name));
  for (const auto& [key, text] : texts.items()) all[key] = as<std::string>(text, name);
  return all;
}

// [step, variable, index, number], of the learning rate with the variable ""; [value, index,
// number].
RestoreCommand restored(const json& command) {
  RestoreCommand to{texts_of(command, "choices"),
                    optional_member<std::int64_t>(command, "step").value_or(0)};
  if (to.step < 0) throw ValueError(fmt::format("there is no step {}", to.step));
  for_each(command, "changes", [&](const json& one) {
    if (one.size() != 4) throw ValueError("a change has four parts: step, variable, index, number");
    Change change{as<std::int64_t>(one[0], "changes"), as<std::string>(one[1], "changes"),
                  as<std::int64_t>(one[2], "changes")};
    const bool own_rate = change.variable.empty() && one[3].is_null();
    if (!own_rate) change.to = as<double>(one[3], "changes");
    to.changes.push_back(std::move(change));
  });
  for_each(command, "edits", [&](const json& one) {
    if (one.size() != 3) throw ValueError("an edit has three parts: value, index, number");
    to.edits.push_back({as<ValueId>(one[0], "edits"), as<std::int64_t>(one[1], "edits"),
                        as<double>(one[2], "edits")});
  });
  to.texts = texts_of(command, "texts");
  return to;
}

const std::map<std::string, std::function<Command(const json&)>>& commands() {
  static const std::map<std::string, std::function<Command(const json&)>> all = {
      {"step", [](const json& it) { return StepCommand{count_of(it)}; }},
      {"back", [](const json& it) { return BackCommand{count_of(it)}; }},
      {"goto", [](const json& it) { return GoToCommand{member<std::int64_t>(it, "step")}; }},
      {"play",
       [](const json& it) {
         return PlayCommand{true, optional_member<double>(it, "per_second").value_or(0),
                            optional_member<std::int64_t>(it, "until")};
       }},
      {"pause", [](const json&) { return PlayCommand{false}; }},
      {"reset", [](const json&) { return ResetCommand{}; }},
      {"undo", [](const json&) { return UndoCommand{}; }},
      {"set",
       [](const json& it) {
         return SetCommand{member<ValueId>(it, "value"), member<std::int64_t>(it, "index"),
                           member<double>(it, "to")};
       }},
      {"release",
       [](const json& it) { return ReleaseCommand{optional_member<ValueId>(it, "value")}; }},
      {"rate",
       [](const json& it) {
         part(it, "to");  // null: the optimizer's own
         return RateCommand{optional_member<double>(it, "to")};
       }},
      {"choose",
       [](const json& it) {
         return ChooseCommand{member<std::string>(it, "name"), member<std::string>(it, "to")};
       }},
      {"watch", watched},
      {"drawing",
       [](const json& it) {
         DrawCommand draw{member<std::string>(it, "name"), {}};
         for (const json& pixel : list(it, "pixels")) {
           draw.pixels.push_back(as<double>(pixel, "pixels"));
         }
         return draw;
       }},
      {"text",
       [](const json& it) {
         return TypeCommand{member<std::string>(it, "name"), member<std::string>(it, "text")};
       }},
      {"restore", restored},
      {"check",
       [](const json& it) {
         return CheckCommand{member<ValueId>(it, "value"), member<std::int64_t>(it, "index")};
       }},
  };
  return all;
}

}  // namespace

Asked parse_command(const std::string& text) {
  try {
    // Messages say what a part is, which goes through it by recursion.
    constexpr int kDeepest = 16;
    const auto shallow = [](int depth, json::parse_event_t, const json&) {
      if (depth > kDeepest) throw ValueError("a command has lists in lists, without end");
      return true;
    };
    const json command = json::parse(text, shallow);
    if (!command.is_object()) throw ValueError("this is no command: it is no object");
    const auto name = member<std::string>(command, "do");
    const auto known = commands().find(name);
    if (known == commands().end()) {
      throw ValueError(fmt::format("there is no command \"{}\"", name));
    }
    return {known->second(command), command.value("brief", false)};
  } catch (const json::exception& error) {
    throw ValueError(fmt::format("this is no command: {}", error.what()));
  }
}

}  // namespace aclgrad::live
