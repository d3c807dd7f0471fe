// SPDX-License-Identifier: Apache-2.0
// Reductions over some dimensions of a tensor that are more than a sum (reduce.h): the elements of
// an output are taken in row-major order, in blocks, and what is known of them is a state. Outputs
// of many elements are cut into chunks, whose states are merged in their order: the cut depends on
// the shape alone, so the number of threads changes no bit.
#ifndef ACLGRAD_OPS_REDUCTION_BLOCK_REDUCE_H_
#define ACLGRAD_OPS_REDUCTION_BLOCK_REDUCE_H_

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/strided.h"

namespace aclgrad::ops {

// Which dimensions of the input are reduced.
using ReducedDims = std::array<bool, kMaxRank>;

// An output of a reduction. Its elements, in row-major order, are those of the dimensions kept.
struct ReducedOutput {
  size_t parameter;
  aclDataType dtype;
  StridedIndex index;

  ReducedOutput(const Arguments& arguments, size_t output)
      : parameter(output),
        dtype(arguments.dtype(output)),
        index(arguments.shape(output), arguments.strides(output)) {}

  // Elements [begin, begin + count).
  template <class T>
  void write(const Run& run, const T* values, int64_t begin, int64_t count) const {
    write_elements(values, run.data(parameter), dtype, index, begin, begin + count);
  }
};

// Reduction has:
//   using Element, the type that elements are converted to: double or int64_t;
//   struct State, which is trivial, and State{} the one of no elements;
//   void add(State& state, const Element* block, size_t count, int64_t first), elements from number
//   `first` of the output on;
//   void merge(State& state, const State& next);
//   void finish(const Run& run, const State* states, int64_t first, int64_t count), which writes
//   the outputs from number `first` on.
template <class Reduction>
class BlockReducer {
 public:
  using Element = typename Reduction::Element;
  using State = typename Reduction::State;

  // At least one element, and one output.
  BlockReducer(const Arguments& arguments, size_t input, const ReducedDims& reduced,
               Reduction reduction)
      : reduction_(std::move(reduction)), input_(input), dtype_(arguments.dtype(input)) {
    Dims kept_shape, kept_strides, reduced_shape, reduced_strides;
    const Dims& shape = arguments.shape(input);
    const Dims& strides = arguments.strides(input);
    for (size_t i = 0; i < shape.size(); ++i) {
      (reduced[i] ? reduced_shape : kept_shape).push_back(shape[i]);
      (reduced[i] ? reduced_strides : kept_strides).push_back(strides[i]);
    }
    kept_ = StridedIndex(kept_shape, kept_strides);
    terms_ = StridedIndex(reduced_shape, reduced_strides);
    chunk_ = kept_.count() < kManyOutputs ? 4096 : 65536;
    chunks_ = (terms_.count() + chunk_ - 1) / chunk_;
  }

  // States of the chunks of outputs with more than one.
  uint64_t workspace_size() const {
    if (chunks_ == 1) return 0;
    return static_cast<uint64_t>(chunks_ * kept_.count()) * sizeof(State) + alignof(State);
  }

  void run(const Run& run) const {
    const int64_t groups = (kept_.count() + kGroup - 1) / kGroup;
    const int64_t elements = std::min(terms_.count(), chunk_) * kGroup;
    State* const partial = partial_states(run);
    parallel_pieces(groups * chunks_, std::max<int64_t>(1, kGrain / elements),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        reduce_group(run, i / chunks_ * kGroup, i % chunks_, partial);
                      }
                    });
    if (chunks_ == 1) return;
    for (int64_t i = 0; i < kept_.count(); ++i) {
      for (int64_t chunk = 1; chunk < chunks_; ++chunk) {
        reduction_.merge(partial[i], partial[chunk * kept_.count() + i]);
      }
    }
    reduction_.finish(run, partial, 0, kept_.count());
  }

 private:
  // Outputs that are handled together: where their elements lie side by side, what one has brought
  // into the caches is there for the others.
  static constexpr int64_t kGroup = 16;
  // Enough for threads to share without chunks, whose states take memory.
  static constexpr int64_t kManyOutputs = 1024;
  // Elements that a thread takes at a time, at least.
  static constexpr int64_t kGrain = 1 << 15;

  State* partial_states(const Run& run) const {
    if (chunks_ == 1) return nullptr;
    void* start = run.workspace();
    size_t room = workspace_size();
    return static_cast<State*>(std::align(alignof(State), room - alignof(State), start, room));
  }

  void reduce_group(const Run& run, int64_t begin, int64_t chunk, State* partial) const {
    const int64_t count = std::min(kGroup, kept_.count() - begin);
    std::array<State, kGroup> states{};
    std::array<int64_t, kGroup> starts{};
    for (int64_t i = 0; i < count; ++i) {
      starts[static_cast<size_t>(i)] = kept_.offset(begin + i);
    }
    alignas(64) Element block[kBlock];
    const int64_t last = std::min(terms_.count(), (chunk + 1) * chunk_);
    for (int64_t first = chunk * chunk_; first < last; first += static_cast<int64_t>(kBlock)) {
      const int64_t stop = std::min(last, first + static_cast<int64_t>(kBlock));
      for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
        read_elements(element(run.data(input_), dtype_, starts[i]), dtype_, terms_, first, stop,
                      block);
        reduction_.add(states[i], block, static_cast<size_t>(stop - first), first);
      }
    }
    if (partial == nullptr) {
      reduction_.finish(run, states.data(), begin, count);
    } else {
      std::copy_n(states.data(), count, partial + chunk * kept_.count() + begin);
    }
  }

  Reduction reduction_;
  size_t input_;
  aclDataType dtype_;
  StridedIndex kept_;   // the input's dimensions that the output has too
  StridedIndex terms_;  // those that are reduced
  int64_t chunk_ = 1;   // terms of one
  int64_t chunks_ = 1;
};

template <class Reduction>
Plan plan_block_reduction(const Arguments& arguments, size_t input, const ReducedDims& reduced,
                          Reduction reduction) {
  const auto reducer = std::make_shared<const BlockReducer<Reduction>>(arguments, input, reduced,
                                                                       std::move(reduction));
  return {[reducer](const Run& run) -> aclError {
            reducer->run(run);
            return ACL_SUCCESS;
          },
          reducer->workspace_size()};
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_REDUCTION_BLOCK_REDUCE_H_
