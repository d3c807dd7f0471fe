// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/terminal.h"
#include "io/checkpoint_format.h"

namespace aclgrad {
namespace {

std::string join(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "." + b;
}

std::int64_t numbers_in(const std::vector<Variable>& variables) {
  std::int64_t sum = 0;
  for (const Variable& variable : variables) sum += variable.shape().numel();
  return sum;
}

}  // namespace

struct Module::Tree {
  struct Entry {
    std::string name;
    Variable variable;
    bool trained = true;
    bool transposed_in_pytorch = false;
    bool ours_alone = false;  // PyTorch's file of the same network has no such tensor
  };
  struct Child {
    std::shared_ptr<Tree> tree;
    bool owned = true;  // its path begins with its parent's
  };

  std::string path;
  std::string kind;
  bool has_parent = false;
  std::vector<Entry> entries;
  std::vector<Child> children;

  template <class Visit>  // this tree and those below it
  void each(const Visit& visit) const {
    visit(*this);
    for (const Child& child : children) child.tree->each(visit);
  }

  template <class Wanted>
  std::vector<Variable> variables(const Wanted& wanted) const {
    std::vector<Variable> all;
    each([&](const Tree& tree) {
      for (const Entry& entry : tree.entries) {
        if (!wanted(entry) || std::find(all.begin(), all.end(), entry.variable) != all.end()) {
          continue;
        }
        all.push_back(entry.variable);
      }
    });
    return all;
  }

  void check_names() const {
    std::set<std::string> names;
    for (const Variable& variable : variables([](const Entry&) { return true; })) {
      if (names.insert(variable.name()).second) continue;
      throw ValueError(fmt::format("two variables are called `{}`", variable.name()));
    }
  }
};

Module::Module(const Name& name, std::string kind) : tree_(std::make_shared<Tree>()) {
  tree_->path = name.path_;
  tree_->kind = std::move(kind);
  if (!name.parent_) return;
  for (const Tree::Child& other : name.parent_->children) {
    if (other.tree->path != name.path_) continue;
    throw ValueError(fmt::format("two modules are called `{}`", name.path_));
  }
  tree_->has_parent = true;
  name.parent_->children.push_back({tree_, true});
}

const std::string& Module::path() const { return tree_->path; }

std::vector<Variable> Module::parameters() const {
  return tree_->variables([](const Tree::Entry& entry) { return entry.trained; });
}

std::int64_t Module::parameter_count() const { return numbers_in(parameters()); }

std::vector<Variable> Module::buffers() const {
  return tree_->variables([](const Tree::Entry& entry) { return !entry.trained; });
}

std::vector<Variable> Module::state() const {
  return tree_->variables([](const Tree::Entry&) { return true; });
}

std::vector<Value> Module::parameters(const Graph& graph, std::source_location where) const {
  return aclgrad::parameters(graph, parameters(), where);
}

Module::Name Module::child(const std::string& name) const {
  Name place(join(tree_->path, name));
  place.parent_ = tree_;
  return place;
}

Variable Module::parameter(const std::string& name, const Tensor& initial) const {
  tree_->entries.push_back({name, Variable(join(tree_->path, name), initial)});
  return tree_->entries.back().variable;
}

Variable Module::buffer(const std::string& name, const Tensor& initial) const {
  tree_->entries.push_back({name, Variable(join(tree_->path, name), initial), /*trained=*/false});
  return tree_->entries.back().variable;
}

void Module::adopt_counter(const std::string& name, const Variable& variable) const {
  variable.state_->name = join(tree_->path, name);
  tree_->entries.push_back({name, variable, /*trained=*/false, false, /*ours_alone=*/true});
}

void Module::mark_transposed_in_pytorch(const Variable& variable) const {
  for (Tree::Entry& entry : tree_->entries) {
    if (entry.variable == variable) entry.transposed_in_pytorch = true;
  }
}

void Module::rename(Tree& tree, const std::string& prefix) {
  tree.path = join(prefix, tree.path);
  for (const Tree::Entry& entry : tree.entries) {
    entry.variable.state_->name = join(tree.path, entry.name);
  }
  for (const Tree::Child& child : tree.children) {
    if (child.owned) rename(*child.tree, prefix);
  }
}

void Module::adopt(const Module& part) const {
  const bool owned = !part.tree_->has_parent;
  if (owned && !tree_->path.empty()) rename(*part.tree_, tree_->path);
  part.tree_->has_parent = true;
  tree_->children.push_back({part.tree_, owned});
  tree_->check_names();
}

void Module::save(const std::filesystem::path& path) const {
  save_safetensors(path, values_of(state()));
}

LoadReport Module::load(const std::filesystem::path& path, const LoadOptions& options) const {
  SafetensorsFile file = load_safetensors(path);
  const bool is_checkpoint = detail::is_checkpoint(file.metadata);
  const NamedTensors tensors = is_checkpoint ? detail::checkpoint_of(path, std::move(file)).tensors
                                             : std::move(file.tensors);
  return load_from(path.string(), tensors, options, /*may_have_more=*/is_checkpoint);
}

LoadReport Module::load(const NamedTensors& tensors, const LoadOptions& options) const {
  return load_from("the tensors given", tensors, options, /*may_have_more=*/false);
}

LoadReport Module::load_from(const std::string& source, const NamedTensors& tensors,
                             const LoadOptions& options, bool may_have_more) const {
  std::map<std::string, Tree::Entry> wanted;  // by the variable's name
  tree_->each([&](const Tree& tree) {
    for (const Tree::Entry& entry : tree.entries) wanted.emplace(entry.variable.name(), entry);
  });
  LoadReport report;
  NamedTensors fitting;
  std::vector<Variable> variables;
  for (const auto& [name, tensor] : tensors) {
    const std::string ours = options.rename ? options.rename(name) : name;
    if (ours.empty() || (options.from_pytorch && ours.ends_with("num_batches_tracked"))) continue;
    const auto found = wanted.find(ours);
    if (found == wanted.end()) {
      report.unexpected.push_back(ours);
      continue;
    }
    const Tree::Entry& entry = found->second;
    const bool turn =
        options.from_pytorch && entry.transposed_in_pytorch && tensor.shape().rank() == 2;
    const Tensor& turned = turn ? tensor.transpose(0, 1) : tensor;
    const bool converts = is_floating(turned.dtype()) && is_floating(entry.variable.dtype());
    fitting.emplace_back(ours, converts ? turned.to(entry.variable.dtype()) : turned);
    variables.push_back(entry.variable);
    wanted.erase(found);
  }
  for (const auto& [name, entry] : wanted) {
    if (!options.from_pytorch || !entry.ours_alone) report.missing.push_back(name);
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
  tree_->each([&](const Tree& tree) {
    if (tree.entries.empty()) return;
    std::vector<Variable> trained;
    for (const Tree::Entry& entry : tree.entries) {
      if (entry.trained) trained.push_back(entry.variable);
    }
    const auto shape = shapes.find(tree.path);
    add_row(tree.path, tree.kind, shape == shapes.end() ? "" : shape->second, numbers_in(trained));
  });
  add_row("all", "", "", parameter_count());
  return table.to_string();
}

std::vector<Value> parameters(const Graph& graph, const std::vector<Variable>& variables,
                              std::source_location where) {
  std::vector<Value> values;
  for (const Variable& variable : variables) values.push_back(graph.parameter(variable, where));
  return values;
}

}  // namespace aclgrad
