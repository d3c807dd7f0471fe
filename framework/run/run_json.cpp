// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "aclgrad/error.h"
#include "report/axes.h"
#include "run/run_page.h"

namespace aclgrad::run {
namespace {

using nlohmann::json;

// JSON has no NaN: the library writes null, and this reads it back.
double number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::vector<double> numbers(const json& values) {
  std::vector<double> result;
  for (const json& value : values) result.push_back(number(value));
  return result;
}

// A number that an integer cannot hold would become any other.
std::int64_t integer(const json& value) {
  if (!value.is_number_integer()) throw ValueError(value.dump() + " where an integer was expected");
  return value.get<std::int64_t>();
}

constexpr std::pair<const char*, double ActivationSummary::*> kNumbers[] = {
    {"mean", &ActivationSummary::mean},
    {"stddev", &ActivationSummary::stddev},
    {"low", &ActivationSummary::low},
    {"high", &ActivationSummary::high},
    {"layer_rms", &ActivationSummary::layer_rms}};
constexpr std::pair<const char*, std::int64_t ActivationSummary::*> kIntegers[] = {
    {"step", &ActivationSummary::step},
    {"units", &ActivationSummary::units},
    {"dead", &ActivationSummary::dead},
    {"exploding", &ActivationSummary::exploding}};

json layer_json(const RunRecord::Layer& layer) {
  json history = json::array();
  for (const ActivationSummary& one : layer.history) {
    json& summary = history.emplace_back(json{{"shares", one.shares}});
    for (const auto& [name, member] : kNumbers) summary[name] = one.*member;
    for (const auto& [name, member] : kIntegers) summary[name] = one.*member;
  }
  return {{"name", layer.name}, {"history", std::move(history)}};
}

RunRecord::Layer layer_from(const json& source) {
  RunRecord::Layer layer{source.at("name")};
  for (const json& summary : source.at("history")) {
    ActivationSummary& one = layer.history.emplace_back();
    for (const auto& [name, member] : kNumbers) one.*member = number(summary.at(name));
    for (const auto& [name, member] : kIntegers) one.*member = integer(summary.at(name));
    one.shares = numbers(summary.at("shares"));
  }
  return layer;
}

RunRecord::State state_of(const json& number) {
  using State = RunRecord::State;
  for (const State state : {State::running, State::finished, State::stopped, State::failed}) {
    if (number == json(state)) return state;
  }
  throw ValueError("there is no state " + number.dump());
}

}  // namespace

json to_json(const RunRecord::Chart& chart) {
  report::check_series(chart.series);
  json curves = json::array();
  for (const report::Series& one : chart.series) {
    curves.push_back({{"name", one.name}, {"x", one.x}, {"y", one.y}});
  }
  return {{"title", chart.title},
          {"x_label", chart.x_label},
          {"y_label", chart.y_label},
          {"log_y", chart.log_y},
          {"values_per_point", chart.values_per_point},
          {"curves", std::move(curves)}};
}

json to_json(const RunRecord& record) {
  json charts = json::array();
  for (const RunRecord::Chart& chart : record.charts) charts.push_back(to_json(chart));
  json layers = json::array();
  for (const RunRecord::Layer& layer : record.layers) layers.push_back(layer_json(layer));
  return {
      {"title", record.title},       {"page", record.page},         {"state", record.state},
      {"done", record.done},         {"total", record.total},       {"note", record.note},
      {"settings", record.settings}, {"charts", std::move(charts)}, {"layers", std::move(layers)},
      {"marks", record.marks},       {"failure", record.failure}};
}

RunRecord from_json(const json& source) {
  RunRecord record;
  record.title = source.at("title");
  record.page = source.at("page");
  record.state = state_of(source.at("state"));
  record.done = integer(source.at("done"));
  record.total = integer(source.at("total"));
  record.note = source.at("note");
  record.failure = source.value("failure", std::string());  // pages of earlier versions lack it
  record.settings = source.at("settings").get<std::vector<std::pair<std::string, std::string>>>();
  for (const json& chart : source.at("charts")) {
    RunRecord::Chart read{chart.at("title"), chart.at("x_label"), chart.at("y_label"),
                          chart.at("log_y")};
    if (chart.contains("values_per_point")) {  // pages before version 0.2 lack it
      constexpr std::int64_t kMax = std::int64_t{1} << 40;
      read.values_per_point =
          std::clamp<std::int64_t>(integer(chart.at("values_per_point")), 1, kMax);
    }
    for (const json& curve : chart.at("curves")) {
      read.series.push_back(
          {.name = curve.at("name"), .x = numbers(curve.at("x")), .y = numbers(curve.at("y"))});
    }
    report::check_series(read.series);
    record.charts.push_back(std::move(read));
  }
  if (source.contains("marks")) {  // pages of earlier versions lack it
    for (const json& mark : source.at("marks")) {
      record.marks.emplace_back(mark.at(0), number(mark.at(1)));
    }
  }
  for (const json& layer : source.at("layers")) record.layers.push_back(layer_from(layer));
  return record;
}

}  // namespace aclgrad::run
