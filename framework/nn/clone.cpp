// SPDX-License-Identifier: Apache-2.0
// Copies of modules that share nothing.
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/nn/module.h"
#include "graph/cloning.h"
#include "nn/module_tree.h"

namespace aclgrad {
namespace detail {

Clones*& clones_of_thread() noexcept {
  thread_local Clones* clones = nullptr;
  return clones;
}

CloneScope::CloneScope() {
  if (clones_of_thread() != nullptr) throw ValueError("clone() within clone()");
  clones_of_thread() = new Clones;
}

CloneScope::~CloneScope() {
  delete clones_of_thread();
  clones_of_thread() = nullptr;
}

}  // namespace detail

Module::Module(const Module& other) : tree_(detail::cloned_or_same(other.tree_, Module::cloned)) {}

Module& Module::operator=(const Module& other) {
  tree_ = detail::cloned_or_same(other.tree_, Module::cloned);
  return *this;
}

// Entries' variables and generators are copied as handles are. What is above the part stays behind:
// its copy has no parent, and the names of all that is below.
std::shared_ptr<Module::Tree> Module::cloned(const std::shared_ptr<Tree>& tree) {
  const auto copy = std::make_shared<Tree>(*tree);
  if (std::exchange(copy->frozen, false)) copy->set_frozen(true);  // the copies of its variables
  copy->has_parent = false;
  copy->parent.reset();
  for (Tree::Child& child : copy->children) {
    child.tree = detail::cloned_or_same(child.tree, Module::cloned);
    if (!child.owned) continue;
    child.tree->has_parent = true;
    child.tree->parent = copy;
    child.tree->names.clear();
  }
  copy->names.clear();
  std::unordered_set<const Tree*> seen;
  copy->collect_names("", copy->names, seen);
  return copy;
}

}  // namespace aclgrad
