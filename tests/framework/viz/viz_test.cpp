// SPDX-License-Identifier: Apache-2.0
// Pages of graphs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "aclgrad/aclgrad.h"
#include "tests/framework/viz/page_check.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;
using testing::Not;

// loss = mean((elu(x w))^2) with its gradient and one step of SGD.
struct Network {
  Graph graph;
  Value x = graph.input("x", {1, 2});
  Value w = graph.parameter("w", Tensor::from({2, 2}, {1, -1, 0, 2}));
  Value h = matmul(x, w).named("h");
  Value y = elu(h).named("y");
  Value loss = mean(mul(y, y)).named("loss");
  Gradients gradients = backward(loss, {w, h});
  Update update = Sgd({.learning_rate = 0.5}).step(graph, Gradients({{w, gradients[w]}}));
  Tensor batch = Tensor::from({1, 2}, {1, 3});
};

TEST(VizPage, OfAGraphThatWasNotRun) {
  const Network net;
  const std::string html = VizPage(net.graph, {.title = "A & B"}).html();
  EXPECT_EQ(fault_of(html), "");
  EXPECT_THAT(html, HasSubstr("<title>A &amp; B</title>"));
  for (const char* absent : {"id=\"player\"", "id=\"times\"", "id=\"memory\"", "id=\"limit\""}) {
    EXPECT_THAT(html, Not(HasSubstr(absent)));
  }
  const nlohmann::json data = data_of(html);
  ASSERT_EQ(data["nodes"].size(), net.graph.size());
  for (std::size_t id = 0; id < net.graph.size(); ++id) {
    const Node& each = net.graph.node(static_cast<NodeId>(id));
    EXPECT_EQ(data["nodes"][id]["pass"], to_string(each.pass));
    if (const auto* call = dynamic_cast<const AclnnOp*>(each.op.get())) {
      EXPECT_EQ(data["nodes"][id]["call"], call->call_name());
    }
  }
  const nlohmann::json& node = data["nodes"][2];
  EXPECT_EQ(node["op"], "matmul");
  EXPECT_EQ(node["call"], "aclnnMatmul");
  EXPECT_EQ(node["pass"], "forward");
  EXPECT_THAT(node["where"].get<std::string>(), testing::MatchesRegex("viz/viz_test.cpp:[0-9]+"));
  EXPECT_EQ(data["values"]["2"]["spec"], "float32 [1, 2]");
  EXPECT_FALSE(data["values"]["2"].contains("tensor"));
}

TEST(VizPage, ARunGivesValuesGradientsTimesAndMemory) {
  const Network net;
  VizPage page(net.graph);
  page.add(net.gradients);
  page.run({net.loss, net.update}, {{net.x, net.batch}});
  const std::string html = page.html();
  EXPECT_EQ(fault_of(html), "");
  const nlohmann::json data = data_of(html);
  const auto value = [&](const Value& of) { return data["values"][std::to_string(of.id())]; };
  // x w = [1, 5]; the mean of squares 13; its gradient y.
  EXPECT_EQ(value(net.x)["tensor"]["text"], "[1, 3]");
  EXPECT_EQ(value(net.h)["tensor"]["text"], "[1, 5]");
  EXPECT_EQ(value(net.loss)["tensor"]["text"], "13");
  const Value gradient = net.gradients[net.w];
  EXPECT_EQ(value(net.w)["gradient"], gradient.id());
  EXPECT_EQ(value(gradient)["gradient_of"], net.w.id());
  EXPECT_EQ(value(gradient)["tensor"]["text"], "[1, 5, 3, 15]");
  EXPECT_EQ(value(net.h)["gradient"], net.gradients[net.h].id());
  EXPECT_EQ(value(net.update.values[0])["tensor"]["text"], "-5.5 … 0.5");
  // A position for each operator, in the order of running.
  std::size_t calls = 0;
  for (const nlohmann::json& node : data["nodes"]) {
    if (node["kind"] == "call") {
      EXPECT_EQ(node["position"], ++calls);
    }
  }
  EXPECT_EQ(data["order"].size(), calls);
  EXPECT_EQ(data["times"].size(), calls);
  EXPECT_EQ(data["live"].size(), calls + 2);
  EXPECT_THAT(html, HasSubstr(fmt::format("max=\"{}\"", calls)));
  EXPECT_THAT(html, HasSubstr("id=\"times\""));
  EXPECT_THAT(html, HasSubstr("bytes alive"));
}

TEST(VizPage, SaysWhatDidNotRun) {
  const Network net;
  VizPage page(net.graph);
  page.run({net.loss}, {{net.x, net.batch}});
  const std::string html = page.html();
  EXPECT_EQ(fault_of(html), "");
  EXPECT_THAT(html, HasSubstr("forward <b>6</b></span>"));
  EXPECT_THAT(html, testing::ContainsRegex("backward <b>[0-9]+</b> .[0-9]+ did not run.</span>"));
  EXPECT_THAT(html, HasSubstr("update <b>1</b> (1 did not run)</span>"));
}

TEST(VizPage, ABoxSaysWhereManyOrLongElementsLie) {
  Graph graph;
  const Value many = graph.input("many", {5});
  const Value lengthy = graph.input("lengthy", {2, 2});
  VizPage page(graph);
  page.run({add(many, 0.0), add(lengthy, 0.0)},
           {{many, Tensor::from({5}, {0.00012345, 1, 2, 3, -4.5678})},
            {lengthy, Tensor::from({2, 2}, {-2.10748, -0.940485, 2.10748, 0.940485})}});
  const nlohmann::json values = data_of(page.html())["values"];
  const auto text = [&](const Value& of) {
    return values[std::to_string(of.id())]["tensor"]["text"];
  };
  EXPECT_EQ(text(many), "-4.6 … 3");
  EXPECT_EQ(text(lengthy), "-2.1 … 2.1");
}

TEST(VizPage, ARunLeavesVariablesAsTheyWere) {
  const Network net;
  const Tensor before = net.w.variable()->value();
  VizPage page(net.graph);
  page.run({net.update}, {{net.x, net.batch}});
  EXPECT_TRUE(bitwise_equal(net.w.variable()->value(), before));
}

TEST(VizPage, ViewsAreDoneWithWhatTheyShow) {
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  const Value turned = transpose(x, 0, 1);
  const Value loss = reduce_sum(transpose(selu(turned), 0, 1));
  selu(x);  // not asked for
  VizPage page(graph);
  page.run({loss}, {{x, Tensor::zeros({2, 3})}});
  std::vector<int> positions;
  const nlohmann::json data = data_of(page.html());
  for (const nlohmann::json& node : data["nodes"]) {
    positions.push_back(node["position"]);
  }
  EXPECT_THAT(positions, testing::ElementsAre(0, 0, 1, 1, 2, -1));
}

TEST(VizPage, SaysWhatItLeavesOut) {
  Graph graph;
  Value x = graph.input("x", {20, 40});
  for (int i = 0; i < 30; ++i) x = selu(x);
  VizPage page(graph, {.max_nodes = 10, .max_elements = 3});
  page.run({x}, {{graph.inputs()[0], Tensor::full({20, 40}, 2)}});
  const std::string html = page.html();
  EXPECT_EQ(fault_of(html), "");
  EXPECT_THAT(html, HasSubstr("Only the first 10 of 31 nodes are shown"));
  EXPECT_THAT(html, HasSubstr("the 20 longest of 30 nodes"));
  const nlohmann::json data = data_of(html);
  EXPECT_EQ(data["nodes"].size(), 10U);
  EXPECT_EQ(data["order"].size(), 9U);
  const nlohmann::json& tensor = data["values"]["0"]["tensor"];
  EXPECT_EQ(tensor["rows"], 20);
  EXPECT_EQ(tensor["columns"], 40);
  EXPECT_EQ(tensor["cells"].size(), 3U);
  EXPECT_EQ(tensor["cells"][0].size(), 3U);
  EXPECT_EQ(tensor["mean"], "2");
}

// The bytes that base64 stands for, as numbers.
template <class T>
std::vector<T> numbers_of(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

// What is larger than its corner is there as a whole, so that any part of it can be looked at,
// small tensors before large ones.
TEST(VizPage, KeepsAllElementsOfTensors) {
  Graph graph;
  const Value small = graph.input("small", {2, 19});
  const Value wide = graph.input("wide", {5, 5, 1}, DType::int64);
  const Value large = graph.input("large", {7, 30});
  const Value tiny = graph.input("tiny", {3});
  const std::vector<Fetch> fetches = {selu(small), cast(wide, DType::int32), selu(large),
                                      selu(tiny)};
  const auto page_of = [&](std::int64_t max_values) {
    VizPage page(graph, {.max_elements = 16, .max_values = max_values});
    page.run(fetches, {{small, Tensor::arange(38).reshape({2, 19})},
                       {wide, Tensor::arange(25, 1e12, 1, DType::int64).reshape({5, 5, 1})},
                       {large, Tensor::arange(210).reshape({7, 30})},
                       {tiny, Tensor::arange(3)}});
    return data_of(page.html())["values"];
  };
  const nlohmann::json all = page_of(1000);
  const std::vector<float> elements = numbers_of<float>(all["0"]["tensor"]["all"]);
  ASSERT_EQ(elements.size(), 38U);
  for (std::size_t i = 0; i < elements.size(); ++i) EXPECT_EQ(elements[i], static_cast<float>(i));
  EXPECT_EQ(all["0"]["tensor"]["shape"], (nlohmann::json{2, 19}));
  EXPECT_EQ(numbers_of<double>(all["1"]["tensor"]["all"])[24], 1e12 + 24);
  EXPECT_TRUE(all["2"]["tensor"].contains("all"));
  EXPECT_FALSE(all["3"]["tensor"].contains("all")) << "all of it is in the corner";
  const nlohmann::json few = page_of(200);
  EXPECT_TRUE(few["0"]["tensor"].contains("all"));
  EXPECT_TRUE(few["1"]["tensor"].contains("all"));
  EXPECT_FALSE(few["2"]["tensor"].contains("all")) << "210 elements are more than the page keeps";
}

// A block as users write them: nothing in its own call says where it begins and ends.
struct Block : Module {
  using Module::Module;
  Value operator()(const Value& x) const {
    const Value y = x + attention(norm(x));
    return y + down(gelu(up(y)));
  }
  LayerNorm norm{child("norm"), 8};
  SelfAttention attention{child("attention"), 8, 2};
  Linear up{child("up"), 8, 16}, down{child("down"), 16, 8};
};

struct TiedNetwork : Module {
  Value operator()(const Value& text) const {
    const Value x = second(first(letters(text)));
    return matmul(x, transpose(x.graph().parameter(letters.weight()), 0, 1));
  }
  Embedding letters{child("letters"), 5, 8};
  Block first{child("blocks.0")}, second{child("blocks.1")};
};

TEST(VizPage, NodesAreInTheModulesThatRecordedThem) {
  const TiedNetwork model;
  Graph graph;
  const Value text = graph.input("text", {2, 3}, DType::int64);
  const Value scores = model(text);
  const Value loss = mean(mul(scores, scores));
  const Gradients gradients = backward(loss, model.parameters(graph));
  [[maybe_unused]] const Update all = Sgd({.learning_rate = 0.1}).step(graph, gradients);
  const nlohmann::json nodes = data_of(VizPage(graph).html())["nodes"];
  std::map<std::string, std::map<std::string, int>> count;  // by module and operator, forward
  const auto module_of = [&](const nlohmann::json& node) { return node.value("module", ""); };
  for (const nlohmann::json& node : nodes) {
    if (node["pass"] == "forward") ++count[module_of(node)][node["op"]];
    // Backward stands with what it differentiates.
    if (node.contains("of")) {
      EXPECT_EQ(module_of(node), module_of(nodes[node["of"].get<std::size_t>()]));
    }
  }
  for (const std::string block : {"blocks.0", "blocks.1"}) {
    EXPECT_EQ(count[block]["add"], 2) << "the sums of a block are its own";
    EXPECT_EQ(count[block]["gelu"], 1);
    EXPECT_EQ(count[block + ".attention"]["softmax"], 1);
    EXPECT_EQ(count[block + ".attention.qkv"]["variable"], 2);
    EXPECT_EQ(count[block + ".norm"]["layer_norm"], 1);
  }
  EXPECT_EQ(count["letters"]["embedding"], 1);
  EXPECT_EQ(count["letters"]["variable"], 1);
  EXPECT_EQ(count["letters (2)"]["matmul"], 1) << "its weight is read again at the end";
  EXPECT_EQ(count[""]["input"], 1);
  EXPECT_EQ(count[""]["mean"], 1);
  const auto update = std::ranges::find_if(nodes, [](const nlohmann::json& node) {
    return node["pass"] == "update" && node["kind"] == "call";
  });
  ASSERT_NE(update, nodes.end());
  EXPECT_NE(module_of(*update), "");
}

TEST(VizPage, NumbersThatAreNone) {
  Graph graph;
  const Value x = graph.input("x", {5});
  const Value y = selu(x);
  VizPage page(graph);
  const double infinity = std::numeric_limits<double>::infinity();
  page.run({y}, {{x, Tensor::from({5}, {0, NAN, -infinity, infinity, 4})}});
  const nlohmann::json tensor = data_of(page.html())["values"]["0"]["tensor"];
  EXPECT_EQ(tensor["not_finite"], 3);
  EXPECT_EQ(tensor["zeros"], 1);
  EXPECT_EQ(tensor["low"], "0");
  EXPECT_EQ(tensor["high"], "4");
  EXPECT_EQ(tensor["mean"], "2");
  EXPECT_EQ(tensor["cells"][0], (nlohmann::json{"0", "nan", "-inf", "inf", "4"}));
}

TEST(VizPage, AnyTextIsOnlyText) {
  Graph graph;
  const std::string wild = "</script><!-- \"&' \xff \x01";
  const Value x = graph.input(wild, {2});
  const Value y = selu(x).named("<b>");
  VizPage page(graph, {.title = wild});
  page.run({y}, {{x, Tensor::zeros({2})}});
  const std::string html = page.html();
  EXPECT_EQ(fault_of(html), "");
  EXPECT_EQ(count_of(html, "</script>"), 2U);
  EXPECT_EQ(data_of(html)["values"]["0"]["name"], "</script><!-- \"&' \xEF\xBF\xBD \x01");
}

TEST(VizPage, KeepsTheGraph) {
  std::optional<Graph> graph;
  graph.emplace();
  mul(graph->input("x", {2}), 2).named("doubled");
  const VizPage page(*graph);
  graph.reset();
  EXPECT_THAT(page.html(), HasSubstr("doubled"));
}

TEST(VizPage, EmptyGraphAndWrongTensors) {
  const Graph empty;
  EXPECT_EQ(fault_of(VizPage(empty).html()), "");
  const Network net;
  VizPage page(net.graph);
  EXPECT_EQ(message_of<ValueError>([&] { page.add(net.h.node(), {net.batch}, {}); }),
            label(net.h.node()) + " has 2 inputs and 1 outputs, but 1 and 0 tensors came");
}

}  // namespace
}  // namespace aclgrad
