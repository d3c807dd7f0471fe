// SPDX-License-Identifier: Apache-2.0
// Modules written to files, given tensors, and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/terminal.h"
#include "nn/module_tree.h"

namespace aclgrad {

namespace {

// Of the names that are not those of what training keeps beside variables.
std::vector<std::string> plain_names(const NamedTensors& tensors, const Rename& rename) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    if (name.find(Variable::kMark) != std::string::npos) continue;
    std::string ours = rename ? rename(name) : name;
    if (!ours.empty()) names.push_back(std::move(ours));
  }
  return names;
}

// The beginning, up to a dot, that all names have and without which some are among the others; the
// longest with which most are. Empty where there is none.
std::string prefix_over(const std::vector<std::string>& names,
                        const std::set<std::string>& others) {
  if (names.empty()) return {};
  std::string best;
  std::ptrdiff_t most = 0;
  for (std::size_t dot = names[0].find('.'); dot != std::string::npos;
       dot = names[0].find('.', dot + 1)) {
    const std::string prefix = names[0].substr(0, dot + 1);
    const auto has_it = [&](const std::string& name) { return name.starts_with(prefix); };
    if (!std::ranges::all_of(names, has_it)) break;
    const auto found = std::ranges::count_if(names, [&](const std::string& name) {
      return others.contains(name.substr(prefix.size()));
    });
    if (found <= most) continue;
    most = found;
    best = prefix;
  }
  return best;
}

// What to do where the names of one side have a prefix more than those of the other; "" elsewhere.
std::string prefix_hint(const std::vector<std::string>& theirs,
                        const std::vector<std::string>& ours) {
  const std::set<std::string> in_file(theirs.begin(), theirs.end()), here(ours.begin(), ours.end());
  if (const std::string more = prefix_over(theirs, here); !more.empty()) {
    return fmt::format(
        "; all its names begin with `{}`, which ours do not: load with {{.rename = "
        "without_prefix(\"{}\")}}",
        more, more);
  }
  if (const std::string more = prefix_over(ours, in_file); !more.empty()) {
    return fmt::format(
        "; all our names begin with `{}`, which its names do not: load with {{.rename = "
        "with_prefix(\"{}\")}}",
        more, more);
  }
  return {};
}

}  // namespace

Rename with_prefix(std::string prefix) {
  return [prefix = std::move(prefix)](const std::string& name) { return prefix + name; };
}

Rename without_prefix(std::string prefix) {
  return [prefix = std::move(prefix)](const std::string& name) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  };
}

void Module::save(const std::filesystem::path& path, const SaveOptions& options) const {
  write(path, values_of(state()), options);
}

void Module::write(const std::filesystem::path& path, NamedTensors tensors,
                   const SaveOptions& options) const {
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
  if (options.rename) {
    std::map<std::string, std::string> ours;  // by the name in the file
    for (auto& [name, tensor] : tensors) {
      const std::string before = std::exchange(name, options.rename(name));
      const auto [taken, is_new] = ours.emplace(name, before);
      if (is_new || name.empty()) continue;
      throw ValueError(fmt::format("{}: `rename` gives `{}` and `{}` one name, `{}`", path.string(),
                                   taken->second, before, name));
    }
    std::erase_if(tensors, [](const auto& named) { return named.first.empty(); });
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
      std::vector<std::string> ours;
      for (const Variable& variable : state()) ours.push_back(variable.name());
      throw ValueError(fmt::format("{}: {} (`strict = false` loads the others){}", source, problems,
                                   prefix_hint(plain_names(tensors, options.rename), ours)));
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
    std::vector<Variable> trained;
    for (const Tree::Entry& entry : tree.entries) {
      if (entry.trained) trained.push_back(entry.variable);
    }
    const auto shape = shapes.find(tree.path);
    const std::string kind =
        tree.frozen ? tree.kind + (tree.kind.empty() ? "frozen" : ", frozen") : tree.kind;
    add_row(tree.path, kind, shape == shapes.end() ? "" : shape->second,
            detail::numbers_in(trained));
  });
  if (frozen > 0) {
    add_row("trained", "", "", parameter_count() - frozen);
    add_row("frozen", "", "", frozen);
  }
  add_row("all", "", "", parameter_count());
  return table.to_string();
}

}  // namespace aclgrad
