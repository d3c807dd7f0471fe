// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/viz.h"
#include "graph/graph_data.h"
#include "page/document.h"
#include "page/texts.h"
#include "report/svg.h"
#include "session/graph_page.h"
#include "session/saved_variables.h"
#include "viz/graph_view.h"

namespace aclgrad {
namespace {

using viz::GraphView;

std::string header(const GraphView& view) {
  std::array<std::size_t, 3> counts{}, idle{};
  for (std::size_t id = 0; id < view.graph.size(); ++id) {
    const Node& node = view.graph.node(static_cast<NodeId>(id));
    ++counts.at(static_cast<std::size_t>(node.pass));
    const bool ran = std::ranges::find(view.order, node.id) != view.order.end();
    if (id < view.shown() && node.op->as_call() != nullptr && !ran) {
      ++idle.at(static_cast<std::size_t>(node.pass));
    }
  }
  std::string legend;
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::update}) {
    const std::size_t count = counts.at(static_cast<std::size_t>(pass));
    if (count == 0) continue;
    const std::string name = to_string(pass);
    const std::size_t left = idle.at(static_cast<std::size_t>(pass));
    const std::string rest =
        view.order.empty() || left == 0 ? "" : fmt::format(" ({} did not run)", left);
    legend +=
        fmt::format("<span class=\"key {0}\"><i></i>{0} <b>{1}</b>{2}</span>\n", name, count, rest);
  }
  return fmt::format(
      "<header><h1>{}</h1><p class=\"keys\">{}"
      "<span class=\"faint\">{} nodes, {} values</span></p>\n"
      "<label class=\"find\"><span>Find</span><input id=\"find\" type=\"search\" "
      "placeholder=\"name, operator, file\" autocomplete=\"off\"/></label>"
      "<button id=\"theme\" type=\"button\">Dark</button></header>\n",
      report::xml_escape(view.options.title), legend, view.graph.size(), view.graph.value_count());
}

// What is left out, in so many words.
std::string limits(const GraphView& view) {
  if (view.shown() == view.graph.size()) return "";
  return fmt::format(
      "<p class=\"note\" id=\"limit\">Only the first {} of {} nodes are shown, in the order of "
      "view. VizOptions::max_nodes sets how many.</p>\n",
      view.shown(), view.graph.size());
}

std::string player(const GraphView& view) {
  if (view.order.empty()) return "";
  return fmt::format(
      "<section id=\"player\"><button id=\"back\" type=\"button\" title=\"one operator back "
      "(left arrow)\">◀</button><button id=\"play\" type=\"button\" title=\"play (space)\">Play"
      "</button><button id=\"on\" type=\"button\" title=\"one operator on (right "
      "arrow)\">▶</button>"
      "<input id=\"position\" type=\"range\" min=\"0\" max=\"{0}\" value=\"{0}\" step=\"1\" "
      "aria-label=\"operators done\"/><output id=\"now\">{0} of {0}</output></section>\n",
      view.order.size());
}

}  // namespace

VizPage::VizPage(const Graph& graph, VizOptions options)
    : view_(std::make_unique<GraphView>(
          GraphView{detail::GraphAccess::handle(graph), std::move(options)})) {}
VizPage::VizPage(VizPage&&) noexcept = default;
VizPage& VizPage::operator=(VizPage&&) noexcept = default;
VizPage::~VizPage() = default;

void VizPage::add(const Gradients& gradients) {
  for (const auto& [value, gradient] : gradients) {
    view_->gradient_of[value.id()] = gradient.id();
  }
}

void VizPage::add(const Node& node, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& outputs) {
  if (inputs.size() != node.inputs.size() || outputs.size() != node.outputs.size()) {
    throw ValueError(fmt::format("{} has {} inputs and {} outputs, but {} and {} tensors came",
                                 label(node), node.inputs.size(), node.outputs.size(),
                                 inputs.size(), outputs.size()));
  }
  if (static_cast<std::size_t>(node.id) >= view_->options.max_nodes) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // What an operator made is kept from then; only sources and views are first seen here.
    if (view_->graph.value(node.inputs[i]).node().op->as_call() != nullptr) continue;
    view_->keep(node.inputs[i], inputs[i]);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    view_->keep(node.outputs[i], outputs[i]);
  }
  if (std::ranges::find(view_->order, node.id) == view_->order.end()) {
    view_->order.push_back(node.id);
  }
}

void VizPage::add(Profile profile) { view_->profile = std::move(profile); }

void VizPage::add(MemoryReport report) { view_->memory = std::move(report); }

void VizPage::run(const std::vector<Fetch>& fetches, std::span<const Feed> feeds) {
  const Graph& graph = view_->graph;
  const detail::SavedVariables variables(graph.variables());
  SessionOptions eager;
  eager.eager = true;
  eager.observer = [this](const Node& node, const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& outputs) { add(node, inputs, outputs); };
  Session(graph, fetches, eager).run(feeds);
  Session planned(graph, fetches);
  add(planned.memory_report());
  planned.profile(feeds);  // the first run pays for what later ones find ready
  Profile least = planned.profile(feeds);
  for (int again = 0; again < 4; ++again) {  // in one, the system may have taken the processor away
    Profile profile = planned.profile(feeds);
    if (profile.total_us() < least.total_us()) least = std::move(profile);
  }
  add(std::move(least));
}

void VizPage::run(const std::vector<Fetch>& fetches, std::initializer_list<Feed> feeds) {
  run(fetches, std::span<const Feed>(feeds.begin(), feeds.size()));
}

std::string VizPage::html() const {
  const GraphView& view = *view_;
  page::Document document;
  document.title = view.options.title;
  document.body = header(view) + limits(view) + player(view);
  document.body +=
      "<main><div id=\"view\"><div id=\"zoom\"><button type=\"button\" id=\"fit\">Fit"
      "</button><button type=\"button\" id=\"smaller\" title=\"smaller\">−</button>"
      "<button type=\"button\" id=\"larger\" title=\"larger\">+</button>"
      "<button type=\"button\" id=\"fold\">Close all</button>"
      "<button type=\"button\" id=\"unfold\">Open all</button></div>"
      "<svg id=\"overview\" hidden=\"\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"overview\"></svg>"
      "<div id=\"scroll\"><div id=\"graph\"></div></div></div>\n<aside id=\"details\" "
      "aria-live=\"polite\"></aside></main>\n";
  document.body += viz::times_markup(view) + viz::memory_markup(view);
  document.body += page::data_element("data", viz::page_data(view));
  document.style = page::graph_css();
  for (const auto script : {page::layout_js, page::fold_js, page::graph_js, page::view_js}) {
    document.script += script();
  }
  return document.html();
}

void provide_step_pages() {
  detail::graph_page() = [](const Graph& graph, const Gradients& gradients,
                            const std::vector<Fetch>& fetches, std::span<const Feed> feeds,
                            const std::string& title) {
    VizPage page(graph, {.title = title});
    page.add(gradients);
    page.run(fetches, feeds);
    return page.html();
  };
}

}  // namespace aclgrad
