// SPDX-License-Identifier: Apache-2.0
// Checkpoints: all that a training run needs to go on as if it had never stopped, bit for bit.
//
//   std::vector<Variable> state = network.state();  // and the optimizer's state()
//   save_checkpoint(path, {.step = step, .position = next, .data_order = batches.description(),
//                          .tensors = values_of(state)});
//   ...
//   if (const std::optional<Checkpoint> last = load_checkpoint(path)) {
//     require_same_order(*last, batches);
//     restore(state, *last);
//     position = last->position;
//   }
//
// A checkpoint is a safetensors file; what is not a tensor stands in its metadata. At every moment,
// whatever kills the process that writes, the latest complete checkpoint can be loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/io/safetensors.h"
#include "aclgrad/random.h"
#include "aclgrad/variable.h"

namespace aclgrad {

struct Checkpoint {
  std::int64_t step = 0;         ///< training steps done
  data::Position position = {};  ///< of the batch that comes next
  std::string data_order = {};   ///< data::Batches::description(), for require_same_order()
  std::map<std::string, RandomSequence> random =
      {};                     ///< the program's own sources of random numbers
  Metadata notes = {};        ///< what else the program wants to keep
  NamedTensors tensors = {};  ///< weights and the optimizer's state

  /// Set by load_checkpoint(), not saved: what was wrong with the latest file, where this is the
  /// one before it. Empty where nothing was.
  std::string fallback_reason = {};
};

/// The contents of variables under their names. Throws ValueError when two have the same name.
NamedTensors values_of(const std::vector<Variable>& variables);

struct RestoreOptions {
  /// Whether the checkpoint may have tensors of names that no variable has: for the weights alone
  /// of a training run, restore(network.parameters(), checkpoint, {.allow_unexpected_keys = true}).
  bool allow_unexpected_keys = false;
};

/// Assigns to each variable the tensor of its name, or of the name that it had before there was a
/// mark, `w.velocity` for `w@velocity`. Throws, before anything is assigned, ValueError for a
/// variable that is dead, that the checkpoint lacks or whose name another one has, and for an
/// unexpected key (see RestoreOptions), ShapeError or DTypeError, naming it, for one that does not
/// fit.
void restore(const std::vector<Variable>& variables, const Checkpoint& checkpoint,
             RestoreOptions options = {});

/// Throws ValueError, with both descriptions, unless the checkpoint's position means the same batch
/// in `batches` as where it was saved; and where it is beyond the last batch of an epoch.
void require_same_order(const Checkpoint& checkpoint, const data::Batches& batches);

/// Writes a new checkpoint to `path`. The one that was there stays as `path`.previous, unless its
/// header or length shows that it is not whole; its numbers are not read. Throws ValueError for a
/// step or a batch below 0 and what save_safetensors() refuses, IoError when writing fails; then
/// the last good checkpoint is still there.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Throws the IoError that save_checkpoint() would end with, be it for the second checkpoint, as
/// far as that is known before: require_writable(), and neither name may be a folder's. Leaves
/// nothing behind.
void require_checkpoint_writable(const std::filesystem::path& path);

/// The latest complete checkpoint: `path`, or `path`.previous where that is missing, damaged
/// (lengths, header and a checksum over everything are tested), cannot be read or does not fit into
/// memory: then `fallback_reason` says why, for a program to tell its user. Nothing when neither
/// name exists; throws IoError, telling what is wrong with each, when there is none that is whole.
std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& path);

}  // namespace aclgrad
