// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "graph/graph_data.h"
#include "viz/graph_view.h"

namespace aclgrad::viz {
namespace {

using Path = std::vector<std::string>;  // "blocks.0.norm" by its parts

Path parts_of(const std::string& name) {
  Path path(1);
  for (const char c : name) {
    if (c == '.') {
      path.emplace_back();
    } else {
      path.back() += c;
    }
  }
  return path;
}

// Of the module that a variable belongs to: its name without the last part.
Path owner_of(const Variable& variable) {
  Path path = parts_of(variable.name());
  path.pop_back();
  return path;
}

Path common(const Path& a, const Path& b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

// The common part of all that were added.
class Common {
 public:
  void add(const Path& path) { path_ = count_++ == 0 ? path : common(path_, path); }
  std::size_t count() const { return count_; }
  const Path& path() const { return path_; }

 private:
  Path path_;
  std::size_t count_ = 0;
};

// Where recording is in the tree of modules. A module that is left and called again is another part
// of the drawing, "cell (2)": as one box it would be before and after what lies between.
class CallStack {
 public:
  const Path& enter(const Path& module) {
    const std::size_t kept = common(module, plain_).size();
    numbered_.resize(kept);
    for (std::size_t i = kept; i < module.size(); ++i) {
      const int count = ++calls_[fmt::format("{}.{}", fmt::join(numbered_, "."), module[i])];
      numbered_.push_back(count == 1 ? module[i] : fmt::format("{} ({})", module[i], count));
    }
    plain_ = module;
    return numbered_;
  }

 private:
  Path plain_, numbered_;
  std::map<std::string, int> calls_;
};

class Modules {
 public:
  explicit Modules(const GraphView& view)
      : data_(detail::GraphAccess::data(view.graph)),
        modules_(view.shown()),
        weights_(view.shown()),
        anchors_(view.shown()) {}

  std::vector<std::string> run() {
    find_variables();
    find_anchors();
    place_forward();
    for (std::size_t id = 0; id < modules_.size(); ++id) {
      const Node& node = data_.node(static_cast<NodeId>(id));
      if (node.differentiates >= 0) modules_[id] = modules_[index(node.differentiates)];
      if (node.pass == Pass::update) modules_[id] = module_of_update(node);
    }
    place_sources();
    std::vector<std::string> names;
    for (const Path& path : modules_) names.push_back(fmt::format("{}", fmt::join(path, ".")));
    return names;
  }

 private:
  static std::size_t index(NodeId id) { return static_cast<std::size_t>(id); }
  std::size_t maker(ValueId input) const { return index(data_.value(input).node); }
  bool is_source(std::size_t id) const {
    return data_.node(static_cast<NodeId>(id)).inputs.empty();
  }

  void find_variables() {
    for (std::size_t id = 0; id < modules_.size(); ++id) {
      const Node& node = data_.node(static_cast<NodeId>(id));
      const auto* source = dynamic_cast<const VariableOp*>(node.op.get());
      if (source == nullptr || node.pass != Pass::forward) continue;
      weights_[id] = modules_[id] = owner_of(source->variable);
      for (Path path = modules_[id]; !path.empty(); path.pop_back()) known_.insert(path);
    }
  }

  // The innermost module that a value is named after: a layer's result has its layer's name.
  Path named_after(const Node& node) const {
    if (node.outputs.empty() || data_.name(node.outputs[0]).empty()) return {};
    Path path = parts_of(data_.name(node.outputs[0]));
    while (!path.empty() && !known_.contains(path)) path.pop_back();
    return path;
  }

  // What reads a module's variables, or what was made of them alone (a cast, a transposed view), is
  // in the module, and what is named after it.
  void find_anchors() {
    CallStack stack;
    for (std::size_t id = 0; id < modules_.size(); ++id) {
      const Node& node = data_.node(static_cast<NodeId>(id));
      if (node.pass != Pass::forward || is_source(id)) continue;
      Common owners;
      for (const ValueId input : node.inputs) {
        if (weights_[maker(input)]) owners.add(*weights_[maker(input)]);
      }
      if (owners.count() == node.inputs.size()) weights_[id] = owners.path();
      if (const Path name = named_after(node); !name.empty()) {
        anchors_[id] = stack.enter(name);
      } else if (owners.count() > 0) {
        anchors_[id] = stack.enter(owners.path());
      }
    }
  }

  // Other nodes are in what encloses the anchors before and after them, since a module's call
  // records its nodes one after the other; or in what encloses all that they read: x +
  // feed_forward(x) at a block's end.
  void place_forward() {
    std::vector<const Path*> next(modules_.size(), nullptr);
    const Path* anchor = nullptr;
    for (std::size_t id = modules_.size(); id-- > 0;) {
      if (anchors_[id]) anchor = &*anchors_[id];
      next[id] = anchor;
    }
    anchor = nullptr;
    for (std::size_t id = 0; id < modules_.size(); ++id) {
      const Node& node = data_.node(static_cast<NodeId>(id));
      if (node.pass != Pass::forward || is_source(id)) continue;
      if (anchors_[id]) {
        anchor = &*anchors_[id];
        modules_[id] = *anchor;
        continue;
      }
      if (anchor != nullptr && next[id] != nullptr) modules_[id] = common(*anchor, *next[id]);
      Common read;
      for (const ValueId& input : node.inputs) {
        const bool again = &*std::ranges::find(node.inputs, input) != &input;
        if (!is_source(maker(input)) && !again) read.add(modules_[maker(input)]);
      }
      if (read.count() > 1 && read.path().size() > modules_[id].size()) modules_[id] = read.path();
    }
  }

  // An optimizer's state is named after the parameter. Other nodes are where the network's
  // variables are that they read, or else the gradients.
  Path module_of_update(const Node& node) const {
    if (Path name = named_after(node); !name.empty()) return name;
    Common owners, gradients;
    for (const ValueId input : node.inputs) {
      const std::size_t id = maker(input);
      if (weights_[id]) owners.add(*weights_[id]);
      if (!modules_[id].empty()) gradients.add(modules_[id]);
    }
    return owners.count() > 0 ? owners.path() : gradients.path();
  }

  // Constants are where they are read.
  void place_sources() {
    std::vector<Common> readers(modules_.size());
    for (std::size_t id = 0; id < modules_.size(); ++id) {
      const Node& node = data_.node(static_cast<NodeId>(id));
      for (const ValueId input : node.inputs) {
        if (data_.node(data_.value(input).node).pass == node.pass) {
          readers[maker(input)].add(modules_[id]);
        }
      }
    }
    for (std::size_t id = 0; id < modules_.size(); ++id) {
      const Node& node = data_.node(static_cast<NodeId>(id));
      const bool is_constant = node.op->kind() == OpKind::constant;
      if (is_constant && node.differentiates < 0) modules_[id] = readers[id].path();
    }
  }

  const detail::GraphData& data_;
  std::set<Path> known_;  // with those around them
  std::vector<Path> modules_;
  std::vector<std::optional<Path>> weights_;  // of nodes that are a function of variables alone
  std::vector<std::optional<Path>> anchors_;
};

}  // namespace

std::vector<std::string> modules_of(const GraphView& view) { return Modules(view).run(); }

}  // namespace aclgrad::viz
