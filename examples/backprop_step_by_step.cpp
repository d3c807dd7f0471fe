// SPDX-License-Identifier: Apache-2.0
// Backpropagation through a small network, every number of it: on a page with a slider over the
// operators, out/backprop/backprop.html, and printed by an observer of an eager session.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

namespace {

constexpr const char* kHeadings[] = {"Forward: from the input to the loss",
                                     "Backward: gradient operators, from the loss to the weights",
                                     "Update: weight = weight - 0.1 * gradient"};

void print_tensors(const char* title, const Graph& graph, std::span<const ValueId> ids,
                   const std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string name = graph.value(ids[i]).name();
    fmt::print("      {:<7} {:<12} = {}\n", i == 0 ? title : "",
               name.empty() ? fmt::format("value {}", ids[i]) : name, tensors[i]);
  }
}

}  // namespace

int main() {
  Graph graph;
  const Value x = graph.input("x", {1, 2});
  const Value target = graph.input("target", {1, 1});
  const Value w1 = graph.parameter("w1", Tensor::from({2, 2}, {2, -1, 1, 0.5}));
  const Value w2 = graph.parameter("w2", Tensor::from({2, 1}, {1, 2}));
  const Value before = matmul(x, w1).named("h");
  const Value hidden = elu(before).named("elu(h)");
  const Value y = matmul(hidden, w2).named("y");
  const Value loss = mse_loss(y, target).named("loss");

  const Gradients gradients = backward(loss, {w1, w2, before, hidden, y});
  for (const auto& [value, gradient] : gradients) gradient.named("dloss/d" + value.name());
  Sgd optimizer({.learning_rate = 0.1});
  const Update update =
      optimizer.step(graph, Gradients({{w1, gradients[w1]}, {w2, gradients[w2]}}));
  const std::vector<Fetch> fetches = {loss, gradients[w1], gradients[w2], update};
  const std::vector<Feed> feeds = {{x, Tensor::from({1, 2}, {1, -1})},
                                   {target, Tensor::from({1, 1}, {0.5})}};

  VizPage page(graph, {.title = "Backpropagation, step by step"});
  page.add(gradients);
  page.run(fetches, feeds);
  std::filesystem::create_directories("out/backprop");
  write_file_atomically("out/backprop/backprop.html", page.html());

  fmt::print("h = x w1,  y = elu(h) w2,  loss = (y - target)^2\n");
  Pass pass = Pass::update;
  SessionOptions options{.eager = true};
  options.observer = [&](const Node& node, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& outputs) {
    if (node.pass != pass) fmt::print("\n{}\n", kHeadings[static_cast<int>(node.pass)]);
    pass = node.pass;
    fmt::print("\n  node {:>2}  {}  ({})\n", node.id, node.op->as_call()->call_name(),
               node.op->attributes().empty() ? node.op->name() : node.op->attributes());
    print_tensors("reads", graph, node.inputs, inputs);
    print_tensors("writes", graph, node.outputs, outputs);
  };
  const Results results = Session(graph, fetches, options).run(feeds);
  fmt::print(R"(
By hand: h = [1, -1.5], elu(h) = [1, e^-1.5 - 1] = [1, -0.77687], y = -0.55374
  dloss/dy  = 2 (y - target)                    = -2.10748
  dloss/dw2 = elu(h)^T dloss/dy                 = [-2.10748, 1.63724]
  dloss/dh  = dloss/dy w2^T * [1, e^-1.5]       = [-2.10748, -0.940485]
  dloss/dw1 = x^T dloss/dh                      = [[-2.10748, -0.940485], [2.10748, 0.940485]]
Here:
  dloss/dw2 = {}
  dloss/dw1 = {}

The page is out/backprop/backprop.html
)",
             results[gradients[w2]], results[gradients[w1]]);
}
