// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/checkpoint.h"

#include <fmt/format.h>

#include <set>

#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "aclgrad/format.h"
#include "io/checkpoint_format.h"

namespace aclgrad {
namespace {

namespace fs = std::filesystem;

fs::path with_suffix(fs::path path, const char* suffix) { return path += suffix; }

Checkpoint load_one(const fs::path& path) {
  return detail::checkpoint_of(path, load_safetensors(path));
}

bool is_whole(const fs::path& path) {
  try {
    load_one(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Temporary files of processes that were killed while they wrote.
void remove_leftovers(const fs::path& path) {
  const std::string beginning = path.filename().string() + ".tmp-";
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(beginning)) fs::remove(entry.path(), ignored);
  }
}

const Tensor* find(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [known, tensor] : tensors) {
    if (known == name) return &tensor;
  }
  return nullptr;
}

}  // namespace

NamedTensors values_of(const std::vector<Variable>& variables) {
  NamedTensors tensors;
  std::set<std::string> names;
  for (const Variable& variable : variables) {
    if (!names.insert(variable.name()).second) {
      throw ValueError(
          fmt::format("a checkpoint cannot hold two variables called `{}`", variable.name()));
    }
    tensors.emplace_back(variable.name(), variable.value());
  }
  return tensors;
}

void restore(const std::vector<Variable>& variables, const Checkpoint& checkpoint) {
  std::set<std::string> names;
  for (const Variable& variable : variables) {
    variable.check_alive();
    names.insert(variable.name());
    const Tensor* tensor = find(checkpoint.tensors, variable.name());
    if (tensor == nullptr) {
      throw ValueError(fmt::format("the checkpoint has no `{}`", variable.name()));
    }
    if (tensor->shape() != variable.shape()) {
      throw ShapeError(fmt::format("`{}` has shape {}, in the checkpoint {}", variable.name(),
                                   variable.shape(), tensor->shape()));
    }
    if (tensor->dtype() != variable.dtype()) {
      throw DTypeError(fmt::format("`{}` is {}, in the checkpoint {}", variable.name(),
                                   variable.dtype(), tensor->dtype()));
    }
  }
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (!names.contains(name)) {
      throw ValueError(
          fmt::format("the checkpoint has `{}`, which is nobody's (an optimizer knows its state "
                      "once step() was "
                      "recorded)",
                      name));
    }
  }
  for (const Variable& variable : variables) {
    variable.assign(*find(checkpoint.tensors, variable.name()));
  }
}

void require_same_order(const Checkpoint& checkpoint, const data::Batches& batches) {
  if (checkpoint.data_order == batches.description()) return;
  throw ValueError(fmt::format("the checkpoint was made with {}, but now there are {}",
                               checkpoint.data_order, batches.description()));
}

void save_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  if (path.empty()) throw IoError("a checkpoint needs a path to be saved to, it is empty");
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw IoError(path.string() + ": cannot save a checkpoint there, it is a folder");
  }
  const fs::path fresh = with_suffix(path, ".new");
  remove_leftovers(fresh);
  save_safetensors(fresh, checkpoint.tensors, detail::metadata_of(checkpoint));
  // From here on there is one more whole checkpoint than before. The old one steps back only when
  // it is whole, so that what steps out is never the last good one.
  if (is_whole(path)) rename_file(path, with_suffix(path, ".previous"));
  rename_file(fresh, path);
}

std::optional<Checkpoint> load_checkpoint(const fs::path& path) {
  std::vector<std::string> problems;
  bool is_any = false;
  for (const fs::path& candidate : {path, with_suffix(path, ".previous")}) {
    std::error_code ignored;
    if (!fs::exists(candidate, ignored)) {
      problems.push_back(candidate.string() + ": there is no such file");
      continue;
    }
    is_any = true;
    try {
      Checkpoint loaded = load_one(candidate);
      loaded.passed_over = fmt::format("{}", fmt::join(problems, "; "));
      return loaded;
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  if (is_any) throw IoError(fmt::format("{}", fmt::join(problems, "; ")));
  return std::nullopt;
}

}  // namespace aclgrad
