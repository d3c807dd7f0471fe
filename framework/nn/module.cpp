// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/random.h"
#include "aclgrad/terminal.h"
#include "io/checkpoint_format.h"
#include "nn/support.h"

namespace aclgrad {
namespace {

std::string join(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "." + b;
}

std::string join_words(const std::string& a, const std::string& b) {
  return a.empty() ? b : a + ", " + b;
}

std::int64_t numbers_in(const std::vector<Variable>& variables) {
  std::int64_t sum = 0;
  for (const Variable& variable : variables) sum += variable.shape().numel();
  return sum;
}

}  // namespace

// A part. Trees are shared: handles of a module, and modules that have a part in common, refer to
// the same one.
struct Module::Tree {
  struct Entry {
    std::string name;
    Variable variable;
    bool trained = true;
    bool transposed_in_pytorch = false;
    bool ours_alone = false;  // PyTorch's file of the same network has no such tensor
    // Of a parameter that is drawn, and of a generator's count.
    Draw draw = {};
    std::optional<Generator> generator = {};
    std::optional<std::uint64_t> seed = {};
    std::uint64_t drawn_version = 0;  // the variable's, as long as nothing else was assigned
  };
  struct Child {
    std::shared_ptr<Tree> tree;
    bool owned = true;  // its path begins with its parent's
  };

  std::string path;
  std::string kind;
  bool has_parent = false;
  bool frozen = false;
  std::weak_ptr<Tree> parent;  // the one that owns it
  std::vector<Entry> entries;
  std::vector<Child> children;
  std::optional<std::uint64_t> network_seed;
  std::unordered_map<std::string, std::uintptr_t> names;  // of the topmost: all variables' below

  template <class Visit>  // this tree and those below it, each once
  void each(const Visit& visit) {
    std::unordered_set<const Tree*> seen;
    walk(visit, seen);
  }
  template <class Visit>
  void walk(const Visit& visit, std::unordered_set<const Tree*>& seen) {
    if (!seen.insert(this).second) return;
    visit(*this);
    for (const Child& child : children) child.tree->walk(visit, seen);
  }

  template <class Wanted>
  std::vector<Variable> variables(const Wanted& wanted) {
    std::vector<Variable> all;
    std::unordered_set<std::uintptr_t> taken;
    each([&](const Tree& tree) {
      for (const Entry& entry : tree.entries) {
        if (wanted(tree, entry) && taken.insert(entry.variable.identity()).second) {
          all.push_back(entry.variable);
        }
      }
    });
    return all;
  }

  Tree& root() {
    Tree* top = this;
    while (const std::shared_ptr<Tree> above = top->parent.lock()) top = above.get();
    return *top;
  }

  // The full name of a variable to be made.
  std::string new_name(const std::string& name) {
    if (name.empty()) {
      throw ValueError(fmt::format("a variable of `{}` needs a name, \"weight\" say", path));
    }
    std::string full = join(path, name);
    if (root().names.contains(full)) {
      throw ValueError(fmt::format("two variables are called `{}`", full));
    }
    return full;
  }

  Variable add(Entry entry) {
    root().names.emplace(entry.variable.name(), entry.variable.identity());
    entry.drawn_version = entry.variable.version();
    entries.push_back(std::move(entry));
    return entries.back().variable;
  }

  // Seeds are those of the layer, the network, or the path.
  std::uint64_t seed_for(const std::optional<std::uint64_t>& own, std::uint64_t number) const {
    if (network_seed) return Random(*network_seed, detail::seed_of(path)).bits(number);
    return own.value_or(detail::seed_of(path)) + number;
  }
  std::uint64_t count_drawn() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(entries, [](const Entry& entry) { return bool(entry.draw); }));
  }

  // Draws what is drawn; without force, what was not given its seed and was not assigned to.
  void draw_again(bool force) {
    std::uint64_t number = 0;
    for (Entry& entry : entries) {
      if (!entry.draw && !entry.generator) continue;
      const std::uint64_t seed = seed_for(entry.seed, entry.draw ? number++ : 0);
      const bool follows =
          (network_seed || !entry.seed) && entry.variable.version() == entry.drawn_version;
      if (!force && !follows) continue;
      if (entry.generator) entry.generator->reseed(static_cast<std::int64_t>(seed));
      if (!entry.draw) continue;
      entry.variable.assign(entry.draw(seed).to(entry.variable.dtype()));
      entry.drawn_version = entry.variable.version();
    }
  }

  // The variables below, with the names that they will have behind the prefix.
  void collect_names(const std::string& prefix,
                     std::unordered_map<std::string, std::uintptr_t>& all,
                     std::unordered_set<const Tree*>& seen) const {
    if (!seen.insert(this).second) return;
    for (const Entry& entry : entries) {
      all.emplace(join(prefix, entry.variable.name()), entry.variable.identity());
    }
    for (const Child& child : children) {
      child.tree->collect_names(child.owned ? prefix : "", all, seen);
    }
  }

  void rename(const std::string& prefix) {
    path = join(prefix, path);
    for (const Entry& entry : entries) {
      entry.variable.state_->name = join(path, entry.name);
    }
    draw_again(/*force=*/false);
    for (const Child& child : children) {
      if (child.owned) child.tree->rename(prefix);
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
  tree_->parent = name.parent_;
  tree_->network_seed = name.parent_->network_seed;
  name.parent_->children.push_back({tree_, true});
}

const std::string& Module::path() const { return tree_->path; }

std::vector<Variable> Module::parameters() const {
  return tree_->variables(
      [](const Tree& tree, const Tree::Entry& entry) { return entry.trained && !tree.frozen; });
}

std::vector<Variable> Module::frozen_parameters() const {
  return tree_->variables(
      [](const Tree& tree, const Tree::Entry& entry) { return entry.trained && tree.frozen; });
}

std::int64_t Module::parameter_count() const { return numbers_in(parameters()); }

std::vector<Variable> Module::buffers() const {
  return tree_->variables([](const Tree&, const Tree::Entry& entry) { return !entry.trained; });
}

std::vector<Variable> Module::state() const {
  return tree_->variables([](const Tree&, const Tree::Entry&) { return true; });
}

void Module::to(DType dtype) const {
  if (!is_floating(dtype)) {
    throw DTypeError(fmt::format("to() converts to a floating dtype, got {}", dtype));
  }
  tree_->each([&](Tree& tree) {
    for (Tree::Entry& entry : tree.entries) {
      const Variable& variable = entry.variable;
      if (!is_floating(variable.dtype())) continue;
      const bool as_drawn = variable.version() == entry.drawn_version;
      variable.convert(entry.trained ? dtype : detail::at_least_float(dtype));
      if (as_drawn) entry.drawn_version = variable.version();
    }
  });
}

std::vector<Value> Module::parameters(const Graph& graph, std::source_location where) const {
  return aclgrad::parameters(graph, parameters(), where);
}

namespace {

std::atomic<std::uint64_t> freezes{0};

}  // namespace

void Module::set_frozen(bool frozen) const {
  tree_->each([&](Tree& tree) { tree.frozen = frozen; });
  ++freezes;
}

void Module::freeze() const { set_frozen(true); }
void Module::unfreeze() const { set_frozen(false); }
bool Module::is_frozen() const { return tree_->frozen; }

std::vector<bool> Module::frozen_parts() const {
  std::vector<bool> all;
  tree_->each([&](const Tree& tree) { all.push_back(tree.frozen); });
  return all;
}

std::uint64_t Module::freeze_count() noexcept { return freezes; }

void seed_parameters(const Module& module, std::uint64_t seed) {
  module.tree_->each([&](Module::Tree& tree) {
    tree.network_seed = seed;
    tree.draw_again(/*force=*/true);
  });
}

Module::Name Module::child(const std::string& name) const {
  if (name.empty()) {
    throw ValueError(fmt::format("a part of `{}` needs a name, \"hidden\" say", path()));
  }
  Name place(join(tree_->path, name));
  place.parent_ = tree_;
  return place;
}

Variable Module::parameter(const std::string& name, const Tensor& initial) const {
  return tree_->add({name, Variable(tree_->new_name(name), initial)});
}

Variable Module::parameter(const std::string& name, Draw initial,
                           std::optional<std::uint64_t> seed) const {
  if (!initial) throw ValueError("a parameter needs a function that draws its initial values");
  const std::string full = tree_->new_name(name);
  const Tensor drawn = [&] {
    try {
      return initial(tree_->seed_for(seed, tree_->count_drawn()));
    } catch (const ShapeError& error) {  // too large
      throw ShapeError(fmt::format("`{}`: {}", full, error.what()));
    }
  }();
  return tree_->add(
      {.name = name, .variable = Variable(full, drawn), .draw = std::move(initial), .seed = seed});
}

Variable Module::buffer(const std::string& name, const Tensor& initial) const {
  return tree_->add({name, Variable(tree_->new_name(name), initial), /*trained=*/false});
}

Generator Module::generator(const std::string& name, std::optional<std::uint64_t> seed) const {
  const std::string full = tree_->new_name(name);
  const Generator made(static_cast<std::int64_t>(tree_->seed_for(seed, 0)), full);
  tree_->add({.name = name,
              .variable = made.draws(),
              .trained = false,
              .ours_alone = true,
              .generator = made,
              .seed = seed});
  return made;
}

void Module::mark_transposed_in_pytorch(const Variable& variable) const {
  for (Tree::Entry& entry : tree_->entries) {
    if (entry.variable == variable) entry.transposed_in_pytorch = true;
  }
}

void Module::adopt(const Module& part) const {
  part.tree_->each([&](const Tree& tree) {
    if (&tree != tree_.get()) return;
    throw ValueError(fmt::format("`{}` cannot be a part of itself", path()));
  });
  const bool owned = !part.tree_->has_parent;
  std::unordered_map<std::string, std::uintptr_t> added;
  std::unordered_set<const Tree*> seen;
  part.tree_->collect_names(owned ? tree_->path : "", added, seen);
  Tree& root = tree_->root();
  for (const auto& [name, identity] : added) {
    const auto found = root.names.find(name);
    if (found == root.names.end() || found->second == identity) continue;
    throw ValueError(fmt::format("two variables are called `{}`", name));
  }
  if (owned) {
    part.tree_->parent = tree_;
    part.tree_->has_parent = true;
    part.tree_->names.clear();
    if (!tree_->path.empty()) part.tree_->rename(tree_->path);
  }
  root.names.merge(std::move(added));
  tree_->children.push_back({part.tree_, owned});
}

void Module::save(const std::filesystem::path& path) const {
  save_safetensors(path, values_of(state()));
}

LoadReport Module::load(const std::filesystem::path& path, const LoadOptions& options) const {
  SafetensorsFile file = load_safetensors(path);
  const bool is_checkpoint = detail::is_checkpoint(file.metadata);
  for (const auto& [name, why] : file.refused) {
    const std::string ours = options.rename ? options.rename(name) : name;
    const std::vector<Variable> all = state();
    if (std::ranges::find(all, ours, &Variable::name) == all.end()) continue;
    throw IoError(fmt::format("{}: {}", path.string(), why));
  }
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
  std::int64_t frozen = 0;
  tree_->each([&](const Tree& tree) {
    if (tree.entries.empty()) return;
    std::vector<Variable> own;
    for (const Tree::Entry& entry : tree.entries) {
      if (entry.trained) own.push_back(entry.variable);
    }
    const auto shape = shapes.find(tree.path);
    const std::string kind = tree.frozen ? join_words(tree.kind, "frozen") : tree.kind;
    add_row(tree.path, kind, shape == shapes.end() ? "" : shape->second, numbers_in(own));
    if (tree.frozen) frozen += numbers_in(own);
  });
  const std::int64_t trained = parameter_count();
  if (frozen > 0) {
    add_row("trained", "", "", trained);
    add_row("frozen", "", "", frozen);
  }
  add_row("all", "", "", trained + frozen);
  return table.to_string();
}

std::vector<Value> parameters(const Graph& graph, const std::vector<Variable>& variables,
                              std::source_location where) {
  std::vector<Value> values;
  for (const Variable& variable : variables) values.push_back(graph.parameter(variable, where));
  return values;
}

}  // namespace aclgrad
