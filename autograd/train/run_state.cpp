// SPDX-License-Identifier: Apache-2.0
#include "train/run_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "aclgrad/error.h"
#include "aclgrad/tensor/number_text.h"

namespace aclgrad::detail {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail_not_whole() {
  throw ValueError("the checkpoint's record of evaluations is not whole");
}

// The library's own numbers know neither NaN nor infinity, and are read through the locale.
Json number_json(double value) { return fmt::format("{}", value); }

double number_of(const Json& json) {
  const std::optional<double> number = number_from_text(json.get_ref<const std::string&>());
  if (!number) fail_not_whole();
  return *number;
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
  try {
    return from_json(Json::parse(text), metrics);
  } catch (const Json::exception&) {
    fail_not_whole();
  }
}

}  // namespace aclgrad::detail
