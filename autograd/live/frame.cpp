// SPDX-License-Identifier: Apache-2.0
#include "live/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "aclgrad/tensor/math.h"
#include "aclgrad/viz.h"
#include "live/page_texts.h"
#include "page/document.h"
#include "page/texts.h"
#include "train/norm.h"
#include "viz/graph_view.h"

namespace aclgrad::live {
namespace {

using nlohmann::json;

constexpr std::int64_t kEdge = 16;   // rows and columns of a tensor
constexpr std::int64_t kSmall = 64;  // elements that are always sent

json gradients_json(const Playback& playback) {
  const Preview& preview = playback.preview();
  const Graph& graph = preview.step().graph;
  json all = json::array();
  for (const auto& [value, gradient] : preview.step().gradients) {
    const Variable* variable = value.variable();
    if (variable == nullptr) continue;
    const Tensor& before = preview.values().at(value.id());
    const auto after = preview.values().find(graph.parameter(*variable).id());
    const double moved =
        after == preview.values().end()
            ? 0
            : detail::euclidean_norm(after->second.to(DType::float64) - before.to(DType::float64));
    all.push_back({{"parameter", variable->name()},
                   {"value", value.id()},
                   {"gradient", gradient.id()},
                   {"norm", detail::euclidean_norm(preview.values().at(gradient.id()))},
                   {"weight", detail::euclidean_norm(before)},
                   {"update", moved},
                   {"rank", before.rank()}});
  }
  return all;
}

// A page has the elements of tensors that it got before; `all` is for one that got none.
json tensors_json(const Playback& playback, const FrameFacts& facts, bool all) {
  json values = json::object();
  for (const auto& [id, tensor] : playback.preview().values()) {
    const auto watched = facts.watched.find(id);
    const Watched from = watched == facts.watched.end() ? Watched() : watched->second;
    const bool whole =
        all || !facts.playing || tensor.numel() <= kSmall || watched != facts.watched.end();
    json data = viz::tensor_data(tensor, whole ? kEdge : 0, from.row, from.column);
    data["edge"] = kEdge;
    if (is_floating(tensor.dtype())) data["norm"] = detail::euclidean_norm(tensor);
    values[std::to_string(id)] = std::move(data);
  }
  return values;
}

// By Picture::Kind, and by Check::Verdict.
constexpr std::array kKinds = {"surface", "bars", "lines", "grid"};
constexpr std::array kVerdicts = {"agrees", "differs", "unclear", "edited"};

json rows_json(const Tensor& tensor) {
  const std::int64_t columns = tensor.rank() < 2 ? tensor.numel() : tensor.shape()[-1];
  json rows = json::array();
  for (std::int64_t at = 0; at < tensor.numel(); at += columns) {
    json row = json::array();
    for (std::int64_t i = at; i < at + columns; ++i) row.push_back(tensor.get(i));
    rows.push_back(std::move(row));
  }
  return rows;
}

json picture_json(const Picture& picture) {
  json data = {{"title", picture.title},
               {"kind", kKinds.at(static_cast<std::size_t>(picture.kind))}};
  const json rows = rows_json(picture.values);
  switch (picture.kind) {
    case Picture::Kind::surface:
      data["shape"] = picture.values.shape().dims();
      data["values"] = viz::base64(picture.values.to(DType::float32));
      data["low"] = picture.range.first;
      data["high"] = picture.range.second;
      data["x"] = {picture.x_range.first, picture.x_range.second};
      data["y"] = {picture.y_range.first, picture.y_range.second};
      data["points"] = rows_json(picture.points);
      break;
    case Picture::Kind::bars:
      data["labels"] = picture.labels;
      data["values"] = rows.empty() ? json::array() : rows[0];
      break;
    case Picture::Kind::lines:
      data["labels"] = picture.labels;
      data["log"] = picture.log;
      data["series"] = rows;
      break;
    case Picture::Kind::grid:
      data["rows"] = picture.labels;
      data["columns"] = picture.columns;
      data["values"] = rows;
      break;
  }
  return data;
}

// What a link says beside the step: see RestoreCommand.
json link_json(Playback& playback, const FrameFacts& facts) {
  json choices = json::object(), changes = json::array(), edits = json::array(),
       texts = json::object();
  for (const Choice& choice : facts.choices) choices[choice.name] = choice.now;
  for (const Change& change : playback.changes()) {
    json to;
    if (change.to) to = *change.to;
    changes.push_back({change.step, change.variable, change.index, std::move(to)});
  }
  const auto edited = [&](const auto& all) {
    for (const Edit& edit : all) edits.push_back({edit.value, edit.index, edit.to});
  };
  facts.until ? edited(facts.then) : edited(playback.edits());
  for (const Text& text : playback.network().texts()) texts[text.name] = text.text;
  return {{"choices", std::move(choices)},
          {"step", facts.until.value_or(playback.step())},
          {"changes", std::move(changes)},
          {"edits", std::move(edits)},
          {"texts", std::move(texts)}};
}

// A frame but for the tensors.
json state_json(Playback& playback, const FrameFacts& facts) {
  json losses = json::array();
  for (const auto& [step, loss] : playback.losses()) losses.push_back({step, loss});
  json edited = json::array();
  for (const Edit& edit : playback.edits()) {
    edited.push_back({{"value", edit.value}, {"index", edit.index}, {"to", edit.to}});
  }
  json pictures = json::array();
  for (const Picture& picture : playback.pictures()) {
    pictures.push_back(picture_json(picture));
  }
  const double loss = playback.preview().loss();  // a sign of NaN would say nothing
  return {{"number", facts.number},
          {"graph", facts.graph},
          {"step", playback.step()},
          {"first", facts.can_go_back ? playback.first_step() : playback.step()},
          {"loss", fmt::format("{:.6g}", std::isnan(loss) ? std::abs(loss) : loss)},
          {"playing", facts.playing},
          {"steps_per_second", facts.steps_per_second},
          {"rate", playback.trainer().learning_rate()},
          {"losses", std::move(losses)},
          {"gradients", gradients_json(playback)},
          {"edited", std::move(edited)},
          {"pictures", std::move(pictures)},
          {"undo", playback.undoable()},
          {"link", link_json(playback, facts)},
          {"note", facts.note}};
}

}  // namespace

json frame_json(Playback& playback, const FrameFacts& facts) {
  json frame = state_json(playback, facts);
  frame["values"] = tensors_json(playback, facts, /*all=*/false);
  return frame;
}

json check_json(const Check& check, const Value& value, std::int64_t index) {
  json rows = json::array();
  for (const Check::Row& row : check.rows) {
    json quotients = json::array();
    for (const double quotient : row.quotients)
      quotients.push_back(fmt::format("{:.12g}", quotient));
    rows.push_back({{"h", fmt::format("{:.6g}", row.h)}, {"quotients", std::move(quotients)}});
  }
  return {{"value", value.id()},
          {"index", index},
          {"name", value.description()},
          {"verdict", kVerdicts.at(static_cast<std::size_t>(check.verdict))},
          {"shown", fmt::format("{:.9g}", check.shown)},
          {"ours", fmt::format("{:.12g}", check.ours)},
          {"slope", fmt::format("{:.12g}", check.slope)},
          {"error", fmt::format("{:.1e}", check.error)},
          {"agrees", check.agrees()},
          {"rows", std::move(rows)},
          {"dtype", "float64"},
          {"sentence", check.sentence}};
}

std::string page_html(Playback& playback, const FrameFacts& facts, const std::string& title,
                      const std::vector<std::string>& lessons) {
  const Preview& preview = playback.preview();
  VizOptions options;
  options.title = title;
  viz::GraphView view{preview.step().graph.value(0).graph(), options};
  for (const auto& [value, gradient] : preview.step().gradients) {
    view.gradient_of[value.id()] = gradient.id();
  }
  for (const NodeId node : preview.order()) {
    if (static_cast<std::size_t>(node) < view.shown()) view.order.push_back(node);
  }
  json data = viz::page_data(view);
  json tensors = tensors_json(playback, facts, /*all=*/true);
  for (auto& [id, value] : data["values"].items()) {
    if (tensors.contains(id)) value["tensor"] = std::move(tensors[id]);
  }
  json chosen = json::array(), drawings = json::array(), texts = json::array();
  for (const Choice& choice : facts.choices) {
    chosen.push_back({{"name", choice.name}, {"options", choice.options}, {"now", choice.now}});
  }
  for (const Drawing& drawing : playback.network().drawings()) {
    json pixels = json::array();
    for (std::int64_t i = 0; i < drawing.pixels.numel(); ++i) {
      pixels.push_back(drawing.pixels.get(i));
    }
    drawings.push_back({{"name", drawing.name},
                        {"shape", drawing.pixels.shape().dims()},
                        {"high", drawing.high},
                        {"pixels", std::move(pixels)}});
  }
  for (const Text& text : playback.network().texts()) {
    texts.push_back({{"name", text.name}, {"text", text.text}, {"max", text.max}});
  }
  const json live = {{"title", title},
                     {"graph", facts.graph},
                     {"choices", std::move(chosen)},
                     {"lessons", lessons},
                     {"drawings", std::move(drawings)},
                     {"texts", std::move(texts)},
                     {"loss", preview.step().loss.id()},
                     {"limits", {{"back", facts.can_go_back}, {"train", true}}},
                     {"frame", state_json(playback, facts)}};
  page::Document document;
  document.title = title;
  document.body = std::string(live_html()) + page::data_element("data", data) +
                  page::data_element("live", live);
  const std::string style = std::string(page::graph_css()).append(live_css());
  document.style = style;
  for (const auto script :
       {page::chart_js, page::layout_js, page::fold_js, page::graph_js, page::view_js, stream_js,
        exchange_js, link_js, live_js, editor_js, formulas_js, guide_js, guide_words_js,
        markdown_js, norms_js, panel_js, pictures_js, present_js}) {
    document.script += script();
  }
  return document.html();
}

}  // namespace aclgrad::live
