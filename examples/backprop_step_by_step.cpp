// SPDX-License-Identifier: Apache-2.0
// Backpropagation through a small network, with every number shown. The graph runs eagerly, node by
// node, and an observer prints what each operator read and wrote: first the forward pass, then
// every gradient operator that backward() appended, then the update. The same as a page with a
// slider over the operators goes to out/backprop/backprop.html.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>
#include <span>
#include <string>

using namespace aclgrad;

namespace {

std::string describe(const Value& value) {
  return value.name().empty() ? fmt::format("value {}", value.id()) : value.name();
}

void print_tensors(const char* title, const Graph& graph, std::span<const ValueId> ids,
                   const std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    fmt::print("      {:<7} {:<12} = {}\n", i == 0 ? title : "", describe(graph.value(ids[i])),
               tensors[i]);
  }
}

const char* heading(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "Forward: from the input to the loss";
    case Phase::backward:
      return "Backward: gradient operators, from the loss to the weights";
    case Phase::update:
      return "Update: weight = weight - 0.1 * gradient";
  }
  return "";
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

  fmt::print("h = x w1,  y = elu(h) w2,  loss = (y - target)^2\n");
  Phase phase = Phase::update;
  SessionOptions options;
  options.eager = true;
  VizPage page(graph, {.title = "Backpropagation, step by step"});
  page.add(gradients);
  options.observer = [&](const Node& node, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& outputs) {
    page.add(node, inputs, outputs);
    if (node.phase != phase) fmt::print("\n{}\n", heading(phase = node.phase));
    const auto* call = dynamic_cast<const CallOp*>(node.op.get());
    fmt::print("\n  node {:>2}  {}  ({})\n", node.id, call != nullptr ? call->call_name() : "",
               node.op->attributes().empty() ? node.op->name() : node.op->attributes());
    print_tensors("reads", graph, node.inputs, inputs);
    print_tensors("writes", graph, node.outputs, outputs);
  };
  const std::vector<Fetch> fetches = {loss, gradients[w1], gradients[w2], update};
  const std::vector<Feed> feeds = {{x, Tensor::from({1, 2}, {1, -1})},
                                   {target, Tensor::from({1, 1}, {0.5})}};
  Session session(graph, fetches, options);
  const Results results = session.run(feeds);

  fmt::print(R"(
By hand: h = [1, -1.5], elu(h) = [1, e^-1.5 - 1] = [1, -0.77687], y = -0.55374
  dloss/dy  = 2 (y - target)                    = -2.10748
  dloss/dw2 = elu(h)^T dloss/dy                 = [-2.10748, 1.63724]
  dloss/dh  = dloss/dy w2^T * [1, e^-1.5]       = [-2.10748, -0.940485]
  dloss/dw1 = x^T dloss/dh                      = [[-2.10748, -0.940485], [2.10748, 0.940485]]
)");
  fmt::print("Here:\n  dloss/dw2 = {}\n  dloss/dw1 = {}\n", results[gradients[w2]],
             results[gradients[w1]]);

  Session planned(graph, fetches);
  page.add(planned.memory_report());
  planned.run(feeds);  // so that the times are not those of the first run
  page.add(planned.profile(feeds));
  std::filesystem::create_directories("out/backprop");
  write_file_atomically("out/backprop/backprop.html", page.html());
  fmt::print("\nThe page is out/backprop/backprop.html\n");
}
