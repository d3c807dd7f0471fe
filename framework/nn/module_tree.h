// SPDX-License-Identifier: Apache-2.0
// What the handles of a module share: its variables, its children, and its place in the network.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/nn/module.h"
#include "aclgrad/random.h"
#include "graph/describe.h"
#include "nn/support.h"

namespace aclgrad {
namespace detail {

// What metadata say about the layout, as Hugging Face's libraries write and read it.
inline constexpr const char* kFormat = "format";
inline constexpr const char* kPyTorchFormat = "pt";

inline std::string joined_path(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "." + b;
}

inline std::int64_t numbers_in(const std::vector<Variable>& variables) {
  std::int64_t sum = 0;
  for (const Variable& variable : variables) sum += variable.shape().numel();
  return sum;
}

/// Whether a part that has this variable is frozen.
bool is_frozen(const Variable& variable);

}  // namespace detail

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

  Tree() = default;
  Tree(const Tree&) = default;
  Tree& operator=(const Tree&) = delete;
  ~Tree() { set_frozen(false); }

  void set_frozen(bool it);
  static void note_frozen(const Variable& variable, bool it);

  std::string path;
  std::source_location where;  // the program gives the path
  std::string kind;
  bool has_parent = false;
  bool frozen = false;
  bool evaluates = false;
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
    std::string full = detail::joined_path(path, name);
    const auto taken = root().names.find(full);
    if (taken != root().names.end()) refuse_twice(full, root().owner_of(taken->second), *this);
    return full;
  }

  // The part below that has the variable; this one where none has.
  const Tree& owner_of(std::uintptr_t variable) {
    const Tree* owner = this;
    each([&](const Tree& tree) {
      const auto is_it = [&](const Entry& entry) { return entry.variable.identity() == variable; };
      if (std::ranges::any_of(tree.entries, is_it)) owner = &tree;
    });
    return *owner;
  }

  [[noreturn]] static void refuse_twice(const std::string& name, const Tree& one,
                                        const Tree& other) {
    const auto place = [](const Tree& tree) {
      return tree.path.empty() ? "the network itself" : detail::place(tree.where);
    };
    throw ValueError(
        &one == &other
            ? fmt::format("two variables are called `{}`, both of one part ({}): give each its own "
                          "name",
                          name, place(one))
            : fmt::format(
                  "two variables are called `{}`, of two parts ({} and {}): give one of the "
                  "parts another name",
                  name, place(one), place(other)));
  }

  Variable add(Entry entry) {
    root().names.emplace(entry.variable.name(), entry.variable.identity());
    entry.drawn_version = entry.variable.version();
    entries.push_back(std::move(entry));
    if (frozen) note_frozen(entries.back().variable, true);
    return entries.back().variable;
  }

  // Seeds are those of the layer, the network, or the path.
  std::uint64_t seed_for(const std::optional<std::uint64_t>& given, std::uint64_t number) const {
    if (network_seed) return Random(*network_seed, detail::seed_of(path)).bits(number);
    return given.value_or(detail::seed_of(path)) + number;
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
      all.emplace(detail::joined_path(prefix, entry.variable.name()), entry.variable.identity());
    }
    for (const Child& child : children) {
      child.tree->collect_names(child.owned ? prefix : "", all, seen);
    }
  }

  void rename(const std::string& prefix) {
    path = detail::joined_path(prefix, path);
    for (const Entry& entry : entries) {
      entry.variable.state_->name = detail::joined_path(path, entry.name);
    }
    draw_again(/*force=*/false);
    for (const Child& child : children) {
      if (child.owned) child.tree->rename(prefix);
    }
  }
};

}  // namespace aclgrad
