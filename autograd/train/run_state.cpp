// SPDX-License-Identifier: Apache-2.0
#include "train/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/number_text.h"

namespace aclgrad::detail {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail_not_whole() {
  throw ValueError("the checkpoint's record of evaluations is not whole");
}

// The library's own numbers know neither NaN nor infinity, and are read through the locale.
Json number_json(double value) { return fmt::format("{}", value); }

double number_from(std::string_view text) {
  const std::optional<double> number = number_from_text(text);
  if (!number) fail_not_whole();
  return *number;
}

double number_of(const Json& json) { return number_from(json.get_ref<const std::string&>()); }

// Numbers, hexadecimal where they are not whole, by their places: seven of the run, then a row for
// each evaluation.
RunState from_old_text(std::string_view text, std::size_t metrics) {
  constexpr std::size_t kHead = 7;
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    std::string number(text.substr(at, end - at));
    std::ranges::replace(number, ',', '.');  // as some locales wrote it
    numbers.push_back(number_from(number));
    at = end + 1;
  }
  const std::size_t row = 3 + metrics;
  if (numbers.size() < kHead || (numbers.size() - kHead) % row != 0) fail_not_whole();
  const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(numbers[i]); };
  RunState state{.step = whole(0),
                 .next = {static_cast<std::uint64_t>(numbers[1]), whole(2)},
                 .sum = numbers[3],
                 .count = whole(4),
                 .stopped_early = numbers[5] != 0,
                 .has_best = numbers[6] != 0};
  for (std::size_t i = kHead; i < numbers.size(); i += row) {
    state.evaluations.push_back({.step = whole(i),
                                 .loss = numbers[i + 1],
                                 .validation_loss = numbers[i + 2],
                                 .metrics = {&numbers[i] + 3, &numbers[i] + row}});
  }
  return state;
}

RunState from_json(const Json& json, std::size_t metrics) {
  RunState state{.begin = json.at("begin"),
                 .step = json.at("step"),
                 .next = {json.at("epoch"), json.at("batch")},
                 .sum = number_of(json.at("sum")),
                 .count = json.at("count"),
                 .stopped_early = json.at("stopped_early"),
                 .has_best = json.at("has_best")};
  if (json.contains("learning_rate")) state.learning_rate = number_of(json.at("learning_rate"));
  for (const Json& each : json.at("evaluations")) {
    Evaluation evaluation{.step = each.at("step"),
                          .loss = number_of(each.at("loss")),
                          .validation_loss = number_of(each.at("validation_loss"))};
    for (const Json& metric : each.at("metrics")) {
      evaluation.metrics.push_back(number_of(metric));
    }
    if (evaluation.metrics.size() != metrics) fail_not_whole();
    state.evaluations.push_back(std::move(evaluation));
  }
  return state;
}

}  // namespace

std::string to_json(const RunState& state) {
  Json evaluations = Json::array();
  for (const Evaluation& each : state.evaluations) {
    Json metrics = Json::array();
    for (const double metric : each.metrics) metrics.push_back(number_json(metric));
    evaluations.push_back({{"step", each.step},
                           {"loss", number_json(each.loss)},
                           {"validation_loss", number_json(each.validation_loss)},
                           {"metrics", std::move(metrics)}});
  }
  Json json = {{"begin", state.begin},
               {"step", state.step},
               {"epoch", state.next.epoch},
               {"batch", state.next.batch},
               {"sum", number_json(state.sum)},
               {"count", state.count},
               {"stopped_early", state.stopped_early},
               {"has_best", state.has_best},
               {"evaluations", std::move(evaluations)}};
  if (state.learning_rate) json["learning_rate"] = number_json(*state.learning_rate);
  return json.dump();
}

RunState run_state_from(const std::string& text, std::size_t metrics) {
  if (!text.starts_with('{')) return from_old_text(text, metrics);
  try {
    return from_json(Json::parse(text), metrics);
  } catch (const Json::exception&) {
    fail_not_whole();
  }
}

}  // namespace aclgrad::detail
