// SPDX-License-Identifier: Apache-2.0
// What torch.save() of PyTorch wrote: state dicts, tensors, checkpoints of both.
//
//   network.load("model.pth");                  // torch.save(network.state_dict(), "model.pth")
//   for (const auto& [name, tensor] : read_pth("run.pt")) ...     // "model.0.weight" ...
//
// Such a file is a program for a machine that Python's pickle has. This reader knows the
// instructions and the few names (OrderedDict, _rebuild_tensor_v2, storages) that tensors in dicts,
// lists and tuples need. Of what any other name would make it makes nothing: it calls nothing,
// whatever the file says.
#pragma once

#include <filesystem>

#include "aclgrad/io/safetensors.h"

namespace aclgrad {

/// All tensors of a file, in its order, in PyTorch's layout; see Module::load() for weights. In a
/// dict or list within another one the names of both are joined with a dot; a tensor that was saved
/// by itself is called "tensor"; numbers and texts are left out. Tensors that share a storage, are
/// a strided part of one, or were expanded from one, become tensors of their own. What is no tensor
/// of a dtype that there is here, complex numbers or an argparse.Namespace say, is in
/// NamedTensors::refused: asking for it throws IoError that says why.
///
/// Throws IoError, which names the file and what is wrong: for a damaged file; where nothing can be
/// read, as of a whole model (save its state_dict()); for a tensor that reaches beyond its storage;
/// for a description of the tensors (a pickle) that is longer than 64 MiB or takes 512 times its
/// size; for what PyTorch wrote before 1.6, which is no archive. A tensor with which all together
/// would be more than 16 times as large as the storages is refused, too.
NamedTensors read_pth(const std::filesystem::path& path);

}  // namespace aclgrad
