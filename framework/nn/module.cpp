// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "nn/module_tree.h"
#include "tensor/at_least_float.h"

namespace aclgrad {

Module::Module(const Name& name, std::string kind) : tree_(std::make_shared<Tree>()) {
  detail::require_unmarked("a module", name.path_);
  tree_->path = name.path_;
  tree_->where = name.where_;
  tree_->kind = std::move(kind);
  if (!name.parent_) return;
  for (const Tree::Child& other : name.parent_->children) {
    if (other.tree->path != name.path_) continue;
    throw ValueError(fmt::format("two modules are called `{}` ({} and {}): give each its own name",
                                 name.path_, detail::place(other.tree->where),
                                 detail::place(name.where_)));
  }
  tree_->has_parent = true;
  tree_->parent = name.parent_;
  tree_->network_seed = name.parent_->network_seed;
  name.parent_->children.push_back({tree_, true});
}

const std::string& Module::path() const { return tree_->path; }

std::vector<Variable> Module::parameters() const {
  return tree_->variables([](const Tree&, const Tree::Entry& entry) { return entry.trained; });
}

std::vector<Variable> Module::trained_parameters() const {
  return tree_->variables(
      [](const Tree& tree, const Tree::Entry& entry) { return entry.trained && !tree.frozen; });
}

std::vector<Variable> Module::frozen_parameters() const {
  return tree_->variables(
      [](const Tree& tree, const Tree::Entry& entry) { return entry.trained && tree.frozen; });
}

std::int64_t Module::parameter_count() const { return detail::numbers_in(parameters()); }

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
  return aclgrad::parameters(graph, trained_parameters(), where);
}

namespace {

std::atomic<std::uint64_t> freezes{0};

// By identity; never destroyed, since modules may live as long as the program.
struct FrozenVariables {
  std::mutex mutex;
  std::unordered_multiset<std::uintptr_t> identities;
};

FrozenVariables& frozen_variables() {
  static FrozenVariables& all = *new FrozenVariables;
  return all;
}

}  // namespace

bool detail::is_frozen(const Variable& variable) {
  FrozenVariables& all = frozen_variables();
  const std::lock_guard lock(all.mutex);
  return all.identities.contains(variable.identity());
}

void Module::Tree::set_frozen(bool it) {
  if (frozen == it) return;
  frozen = it;
  for (const Entry& entry : entries) note_frozen(entry.variable, it);
}

void Module::Tree::note_frozen(const Variable& variable, bool it) {
  FrozenVariables& all = frozen_variables();
  const std::lock_guard lock(all.mutex);
  const std::uintptr_t identity = variable.identity();
  if (it) {
    all.identities.insert(identity);
  } else if (const auto found = all.identities.find(identity); found != all.identities.end()) {
    all.identities.erase(found);
  }
}

template <class Change>
void Module::change_each(const Change& change) const {
  tree_->each(change);
  ++freezes;
}

void Module::freeze() const {
  change_each([](Tree& tree) { tree.set_frozen(true); });
}
void Module::unfreeze() const {
  change_each([](Tree& tree) { tree.set_frozen(false); });
}
bool Module::is_frozen() const { return tree_->frozen; }

void Module::eval() const {
  change_each([](Tree& tree) { tree.evaluates = true; });
}
void Module::train() const {
  change_each([](Tree& tree) { tree.evaluates = false; });
}

bool Module::is_training(const Graph& graph) const {
  return graph.mode() == Mode::training && !tree_->frozen && !tree_->evaluates;
}

std::vector<bool> Module::frozen_parts() const {
  std::vector<bool> all;
  tree_->each([&](const Tree& tree) {
    all.push_back(tree.frozen);
    all.push_back(tree.evaluates);
  });
  return all;
}

std::uint64_t Module::freeze_count() noexcept { return freezes; }

void seed_parameters(const Module& module, std::uint64_t seed) {
  module.tree_->each([&](Module::Tree& tree) {
    tree.network_seed = seed;
    tree.draw_again(/*force=*/true);
  });
}

Module::Name Module::child(const std::string& name, std::source_location where) const {
  if (name.empty()) {
    throw ValueError(fmt::format("a part of `{}` needs a name, \"hidden\" say", path()));
  }
  Name place(detail::joined_path(tree_->path, name), where);
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
    Tree::refuse_twice(name, root.owner_of(found->second), part.tree_->owner_of(identity));
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

std::vector<Value> parameters(const Graph& graph, const std::vector<Variable>& variables,
                              std::source_location where) {
  std::vector<Value> values;
  for (const Variable& variable : variables) values.push_back(graph.parameter(variable, where));
  return values;
}

}  // namespace aclgrad
