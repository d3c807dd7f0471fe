// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/checkpoint.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/io/file.h"
#include "io/checkpoint_format.h"
#include "io/old_names.h"
#include "io/safetensors_format.h"

namespace aclgrad {
namespace {

namespace fs = std::filesystem;

fs::path previous(fs::path path) { return path += ".previous"; }

Checkpoint load_one(const fs::path& path) {
  return detail::checkpoint_of(path, load_safetensors(path));
}

// No file can take the name of a folder.
void refuse_folders(const fs::path& path) {
  for (const fs::path& name : {path, previous(path)}) {
    std::error_code ignored;
    if (!fs::is_directory(name, ignored)) continue;
    throw IoError(name.string() + ": cannot save a checkpoint there, it is a folder");
  }
}

// As far as can be told without its numbers: load_checkpoint() looks at those.
bool seems_whole(const fs::path& path) {
  const std::optional<Metadata> metadata = detail::metadata_of_whole(path);
  return metadata && detail::is_checkpoint(*metadata);
}

}  // namespace

NamedTensors values_of(const std::vector<Variable>& variables) {
  NamedTensors tensors;
  std::set<std::string> names;
  for (const Variable& variable : variables) {
    if (!names.insert(variable.name()).second) {
      throw ValueError(fmt::format(
          "a checkpoint cannot hold two variables called `{}`: give one of them, or the "
          "part that it is in, another name",
          variable.name()));
    }
    tensors.emplace_back(variable.name(), variable.value());
  }
  return tensors;
}

void restore(const std::vector<Variable>& variables, const Checkpoint& checkpoint,
             RestoreOptions options) {
  std::map<std::string_view, const Tensor*> unclaimed;
  bool is_old = true;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    unclaimed.emplace(name, &tensor);
    is_old = is_old && name.find(Variable::kMark) == std::string::npos;
  }
  std::set<std::string> names;
  std::vector<const Tensor*> values;
  for (const Variable& variable : variables) {
    variable.check_alive();
    if (!names.insert(variable.name()).second) {
      throw ValueError(
          fmt::format("two variables to be restored are called `{}`", variable.name()));
    }
    auto found = unclaimed.find(variable.name());
    if (found == unclaimed.end() && is_old) {
      found = unclaimed.find(detail::old_name(variable.name()));
    }
    if (found == unclaimed.end()) {
      throw ValueError(fmt::format("the checkpoint has no `{}`", variable.name()));
    }
    const Tensor& tensor = *found->second;
    unclaimed.erase(found);
    if (tensor.shape() != variable.shape()) {
      throw ShapeError(fmt::format("`{}` has shape {}, in the checkpoint {}", variable.name(),
                                   variable.shape(), tensor.shape()));
    }
    if (tensor.dtype() != variable.dtype()) {
      throw DTypeError(fmt::format("`{}` is {}, in the checkpoint {}", variable.name(),
                                   variable.dtype(), tensor.dtype()));
    }
    values.push_back(&tensor);
  }
  if (!unclaimed.empty() && !options.allow_unexpected_keys) {
    throw ValueError(fmt::format(
        "the checkpoint has the unexpected key `{}`, which no variable to be restored has as its "
        "name (an optimizer knows its state once step() was recorded; to restore the weights "
        "alone, allow unexpected keys)",
        unclaimed.begin()->first));
  }
  for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign(*values[i]);
}

void require_same_order(const Checkpoint& checkpoint, const data::Batches& batches) {
  if (checkpoint.data_order != batches.description()) {
    throw ValueError(fmt::format("the checkpoint was made with {}, but now there are {}",
                                 checkpoint.data_order, batches.description()));
  }
  const std::int64_t batch = checkpoint.position.batch;
  if (batch < 0 || batch >= batches.batches_per_epoch()) {
    throw ValueError(fmt::format("the checkpoint goes on with batch {}, but an epoch has {}", batch,
                                 batches.batches_per_epoch()));
  }
}

void save_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  if (path.empty()) throw IoError("a checkpoint needs a path to be saved to, it is empty");
  if (checkpoint.step < 0 || checkpoint.position.batch < 0) {
    throw ValueError(fmt::format("a checkpoint cannot be of step {} and batch {}", checkpoint.step,
                                 checkpoint.position.batch));
  }
  refuse_folders(path);
  detail::TemporaryFile fresh(path);
  detail::write_safetensors(fresh, checkpoint.tensors, detail::metadata_of(checkpoint));
  // From here on there is one more whole checkpoint than before, and it is the first to take its
  // name: whatever the old one holds, what it pushes out is not the last good one.
  if (seems_whole(path)) {
    fresh.take_name_from(previous(path));
  } else {
    fresh.take_name();
  }
}

void require_checkpoint_writable(const fs::path& path) {
  refuse_folders(path);
  require_writable(path);
}

std::optional<Checkpoint> load_checkpoint(const fs::path& path) {
  std::vector<std::string> problems;
  bool is_any = false;
  for (const fs::path& candidate : {path, previous(path)}) {
    // Only a name that certainly does not exist may pass for a run that has yet to begin: one that
    // cannot be looked up, or leads nowhere, would be overwritten.
    std::error_code ignored;
    if (fs::symlink_status(candidate, ignored).type() == fs::file_type::not_found) {
      problems.push_back(candidate.string() + ": there is no such file");
      continue;
    }
    is_any = true;
    try {
      Checkpoint loaded = load_one(candidate);
      loaded.fallback_reason = fmt::format("{}", fmt::join(problems, "; "));
      return loaded;
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  if (is_any) throw IoError(fmt::format("{}", fmt::join(problems, "; ")));
  return std::nullopt;
}

}  // namespace aclgrad
