// SPDX-License-Identifier: Apache-2.0
// Modules read from files: apart from what else modules do, as this alone needs zlib.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/pth.h"
#include "io/checkpoint_format.h"
#include "io/pth.h"
#include "nn/module_tree.h"

namespace aclgrad {

LoadReport Module::load(const std::filesystem::path& path, const LoadOptions& options) const {
  if (detail::is_pth(path)) {
    return load_from(path.string(), read_pth(path), options, options.from_pytorch.value_or(true),
                     /*may_have_more=*/false, {});
  }
  SafetensorsFile file = load_safetensors(path);
  const bool is_checkpoint = detail::is_checkpoint(file.metadata);
  const auto format = file.metadata.find(detail::kFormat);
  const bool from_pytorch = options.from_pytorch.value_or(format != file.metadata.end() &&
                                                          format->second == detail::kPyTorchFormat);
  std::set<std::string> names;
  for (const Variable& variable : state()) names.insert(variable.name());
  std::vector<std::string> unexpected;
  for (const auto& [name, why] : file.refused) {
    const std::string ours = options.rename ? options.rename(name) : name;
    if (names.contains(ours)) throw IoError(fmt::format("{}: {}", path.string(), why));
    if (!ours.empty()) unexpected.push_back(ours);
  }
  const NamedTensors tensors = is_checkpoint ? detail::checkpoint_of(path, std::move(file)).tensors
                                             : std::move(file.tensors);
  return load_from(path.string(), tensors, options, from_pytorch, is_checkpoint,
                   std::move(unexpected));
}

}  // namespace aclgrad
