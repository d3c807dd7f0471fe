// SPDX-License-Identifier: Apache-2.0
// Modules read from files: apart from what else modules do, as this alone needs zlib.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/io/pth.h"
#include "io/checkpoint_format.h"
#include "io/pth.h"
#include "nn/module_tree.h"

namespace aclgrad {

LoadReport Module::load(const std::filesystem::path& path, const LoadOptions& options) const {
  std::set<std::string> names;
  for (const Variable& variable : state()) names.insert(variable.name());
  // Throws for what the module needs; returns the names of what it does not.
  const auto look_at_refused = [&](const NamedTensors& tensors) {
    std::vector<std::string> others;
    for (const auto& [name, why] : tensors.refused) {
      const std::string ours = options.rename ? options.rename(name) : name;
      if (names.contains(ours)) throw IoError(fmt::format("{}: {}", path.string(), why));
      if (!ours.empty()) others.push_back(ours);
    }
    return others;
  };
  if (detail::is_pth(path)) {
    const NamedTensors tensors = read_pth(path);
    look_at_refused(tensors);  // others are mostly no tensors, as the arguments of a program
    return load_from(path.string(), tensors, options, options.from_pytorch.value_or(true),
                     /*may_have_more=*/false, {});
  }
  SafetensorsFile file = load_safetensors(path);
  const bool is_checkpoint = detail::is_checkpoint(file.metadata);
  const auto format = file.metadata.find(detail::kFormat);
  const bool from_pytorch = options.from_pytorch.value_or(format != file.metadata.end() &&
                                                          format->second == detail::kPyTorchFormat);
  std::vector<std::string> unexpected = look_at_refused(file.tensors);
  const NamedTensors tensors = is_checkpoint ? detail::checkpoint_of(path, std::move(file)).tensors
                                             : std::move(file.tensors);
  return load_from(path.string(), tensors, options, from_pytorch, is_checkpoint,
                   std::move(unexpected));
}

}  // namespace aclgrad
