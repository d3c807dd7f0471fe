// SPDX-License-Identifier: Apache-2.0
// Modules written to files, given tensors, and as a table.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/terminal.h"
#include "nn/module_tree.h"

namespace aclgrad {

void Module::save(const std::filesystem::path& path, const SaveOptions& options) const {
  NamedTensors tensors = values_of(state());
  if (options.for_pytorch) {
    std::map<std::string, Tree::Entry> entries;
    tree_->each([&](const Tree& tree) {
      for (const Tree::Entry& entry : tree.entries) entries.emplace(entry.variable.name(), entry);
    });
    std::erase_if(tensors, [&](const auto& named) { return entries.at(named.first).ours_alone; });
    for (auto& [name, tensor] : tensors) {
      if (entries.at(name).transposed_in_pytorch && tensor.rank() == 2) {
        tensor = tensor.transpose(0, 1);
      }
    }
  }
  save_safetensors(path, tensors,
                   {{detail::kFormat, options.for_pytorch ? detail::kPyTorchFormat : "aclgrad"}});
}

LoadReport Module::load(const NamedTensors& tensors, const LoadOptions& options) const {
  return load_from("the tensors given", tensors, options, options.from_pytorch.value_or(false),
                   /*may_have_more=*/false, {});
}

LoadReport Module::load_from(const std::string& source, const NamedTensors& tensors,
                             const LoadOptions& options, bool from_pytorch, bool may_have_more,
                             std::vector<std::string> unexpected) const {
  std::map<std::string, Tree::Entry> wanted;  // by the variable's name
  tree_->each([&](const Tree& tree) {
    for (const Tree::Entry& entry : tree.entries) wanted.emplace(entry.variable.name(), entry);
  });
  LoadReport report{.missing = {}, .unexpected = std::move(unexpected)};
  NamedTensors fitting;
  std::vector<Variable> variables;
  for (const auto& [name, tensor] : tensors) {
    const std::string ours = options.rename ? options.rename(name) : name;
    if (ours.empty() || (from_pytorch && ours.ends_with("num_batches_tracked"))) continue;
    const auto found = wanted.find(ours);
    if (found == wanted.end()) {
      report.unexpected.push_back(ours);
      continue;
    }
    const Tree::Entry& entry = found->second;
    const bool turn = from_pytorch && entry.transposed_in_pytorch && tensor.shape().rank() == 2;
    const Tensor& turned = turn ? tensor.transpose(0, 1) : tensor;
    if (turned.shape() != entry.variable.shape()) {
      throw ShapeError(
          fmt::format("{}: `{}` has shape {}, the tensor has {} (a `rename` that returns \"\" for "
                      "`{}` leaves it out, with `strict = false`)",
                      source, ours, entry.variable.shape(), turned.shape(), name));
    }
    const bool converts = is_floating(turned.dtype()) && is_floating(entry.variable.dtype());
    fitting.emplace_back(ours, converts ? turned.to(entry.variable.dtype()) : turned);
    variables.push_back(entry.variable);
    wanted.erase(found);
  }
  for (const auto& [name, entry] : wanted) {
    if (!from_pytorch || !entry.ours_alone) report.missing.push_back(name);
  }
  if (options.strict) {
    std::string problems;
    if (!report.missing.empty()) {
      problems = fmt::format("no tensor for `{}`", fmt::join(report.missing, "`, `"));
    }
    if (!report.unexpected.empty() && !may_have_more) {
      problems += fmt::format("{}no variable for `{}`", problems.empty() ? "" : "; ",
                              fmt::join(report.unexpected, "`, `"));
    }
    if (!problems.empty()) {
      throw ValueError(fmt::format("{}: {} (`strict = false` loads the others)", source, problems));
    }
  }
  restore(variables, {.tensors = std::move(fitting)});
  return report;
}

std::string Module::summary() const { return summary_of(nullptr); }
std::string Module::summary(const Graph& graph) const { return summary_of(&graph); }

std::string Module::summary_of(const Graph* graph) const {
  std::map<std::string, std::string> shapes;  // of what was returned, by the module's path
  for (std::size_t id = 0; graph != nullptr && id < graph->value_count(); ++id) {
    const Value value = graph->value(static_cast<ValueId>(id));
    if (!value.name().empty()) shapes.emplace(value.name(), fmt::format("{}", value.shape()));
  }
  std::vector<std::string> headers = {"module", "kind"};
  if (graph != nullptr) headers.push_back("result");
  headers.push_back("parameters");
  report::Table table(headers);
  const auto add_row = [&](const std::string& name, const std::string& kind,
                           const std::string& shape, std::int64_t numbers) {
    std::vector<std::string> cells = {name, kind};
    if (graph != nullptr) cells.push_back(shape);
    cells.push_back(std::to_string(numbers));
    table.add_row(std::move(cells));
  };
  const std::int64_t frozen = detail::numbers_in(frozen_parameters());
  tree_->each([&](const Tree& tree) {
    if (tree.entries.empty()) return;
    std::vector<Variable> own;
    for (const Tree::Entry& entry : tree.entries) {
      if (entry.trained) own.push_back(entry.variable);
    }
    const auto shape = shapes.find(tree.path);
    const std::string kind =
        tree.frozen ? tree.kind + (tree.kind.empty() ? "frozen" : ", frozen") : tree.kind;
    add_row(tree.path, kind, shape == shapes.end() ? "" : shape->second, detail::numbers_in(own));
  });
  if (frozen > 0) {
    add_row("trained", "", "", parameter_count() - frozen);
    add_row("frozen", "", "", frozen);
  }
  add_row("all", "", "", parameter_count());
  return table.to_string();
}

}  // namespace aclgrad
