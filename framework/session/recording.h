// SPDX-License-Identifier: Apache-2.0
// Recording: what a stream captured of a program, to be replayed. ZeroCopyInputs: the inputs that
// recordings read where the tensor that was fed has them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "aclgrad/runtime/handles.h"
#include "session/memory.h"
#include "session/program.h"

namespace aclgrad::detail {

class Recording {
 public:
  /// Captures what `launch` queues on the stream for each position in [begin, end). Nothing where
  /// the runtime cannot capture. Throws as `launch` does, with the capture ended.
  static std::optional<Recording> capture(aclrtStream stream, std::size_t begin, std::size_t end,
                                          const std::function<void(std::size_t position)>& launch);

  /// Queues what was captured on the stream.
  void replay(aclrtStream stream) const;

  /// Where it failed when it was replayed last, where the runtime says so.
  std::optional<std::size_t> failed_position() const;

  aclmdlRI model() const { return model_.get(); }

 private:
  RecordedModel model_;
  std::vector<std::size_t> tasks_;  // by instruction: how many were recorded when it had been
  std::size_t first_ = 0;           // the first position
};

class ZeroCopyInputs {
 public:
  /// Without any, as long as nothing is recorded.
  ZeroCopyInputs() = default;
  ZeroCopyInputs(const Program& program, const Memory& memory,
                 std::span<const Recording> recordings);

  /// Lets the recordings read an input where the tensor has it. False where that cannot be.
  bool bind(ValueId input, const Tensor& tensor);

 private:
  // Where a recording looks for a tensor of an input. Each moves by itself, so that what a move
  // that failed left behind is known to the next.
  struct ReadPlace {
    aclmdlRI model;
    aclTensor* tensor;  // of the input or of a view of it
    const std::byte* input;
  };

  std::unordered_map<ValueId, std::vector<ReadPlace>> places_;
};

}  // namespace aclgrad::detail
