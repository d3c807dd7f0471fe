// SPDX-License-Identifier: Apache-2.0
// Reductions: each output is made of terms of its own. Terms are cut into chunks, and what is known
// of a chunk is a state; the states of an output are merged in the order of its chunks. The cut
// depends on the shape alone, so the number of threads changes no bit.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// Outputs that may be handled together.
inline constexpr int64_t kMaxTogether = 512;

// A Reduction has:
//   using State, which is trivial;
//   int64_t outputs() const and chunks() const, at least one each;
//   int64_t together() const, outputs that are handled together, at most kMaxTogether: where their
//   terms lie side by side, what one has brought into the caches is there for the others;
//   int64_t grain() const, such groups of a chunk that a thread takes at a time;
//   void reduce(run, first, count, chunk, State* states) const, of some outputs;
//   void reduce_chunks(run, begin, end, State* states) const, if it has a faster way to reduce some
//   chunks of its only output;
//   void merge(State& state, const State& next) const;
//   void finish(run, first, count, State* states) const, which writes some outputs.
template <class Reduction>
class Reducer {
 public:
  using State = typename Reduction::State;

  explicit Reducer(Reduction reduction) : reduction_(std::move(reduction)) {}

  // States of the chunks of outputs with more than one.
  uint64_t workspace_size() const {
    if (reduction_.chunks() == 1) return 0;
    const int64_t bytes = saturating_product(
        {reduction_.chunks(), reduction_.outputs(), static_cast<int64_t>(sizeof(State))});
    return static_cast<uint64_t>(bytes) + alignof(State);
  }

  void run(const Run& run) const {
    const int64_t outputs = reduction_.outputs();
    const int64_t chunks = reduction_.chunks();
    const int64_t together = reduction_.together();
    const int64_t groups = (outputs + together - 1) / together;
    State* const partial = chunks == 1 ? nullptr : aligned<State>(run.workspace());
    parallel_pieces(groups * chunks, reduction_.grain(), [&](int64_t begin, int64_t end) {
      if constexpr (requires { reduction_.reduce_chunks(run, begin, end, partial); }) {
        if (outputs == 1 && chunks > 1) return reduction_.reduce_chunks(run, begin, end, partial);
      }
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i / chunks * together;
        const int64_t count = std::min(together, outputs - first);
        if (chunks > 1) {
          State* const states = partial + i % chunks * outputs + first;
          reduction_.reduce(run, first, count, i % chunks, states);
        } else {
          State states[kMaxTogether];
          reduction_.reduce(run, first, count, 0, states);
          reduction_.finish(run, first, count, states);
        }
      }
    });
    if (chunks == 1) return;
    for (int64_t chunk = 1; chunk < chunks; ++chunk) {
      for (int64_t i = 0; i < outputs; ++i) {
        reduction_.merge(partial[i], partial[chunk * outputs + i]);
      }
    }
    for (int64_t first = 0; first < outputs; first += kMaxTogether) {
      reduction_.finish(run, first, std::min(kMaxTogether, outputs - first), partial + first);
    }
  }

 private:
  Reduction reduction_;
};

template <class Reduction>
Plan plan_reduction(Reduction reduction) {
  const auto reducer = std::make_shared<const Reducer<Reduction>>(std::move(reduction));
  return {[reducer](const Run& run) -> aclError {
            reducer->run(run);
            return ACL_SUCCESS;
          },
          reducer->workspace_size()};
}

// ---- Block by block -----------------------------------------------------------------------------

// A Reduction over some dimensions of a tensor whose elements are terms in row-major order, taken
// in blocks. A Formula has:
//   using Element, the type that elements are converted to: double, int64_t or
//   std::complex<double>;
//   using State, as above; State{} is the one of no elements;
//   void add(State& state, const Element* block, size_t count, int64_t first) const, elements from
//   number `first` of the output on;
//   void merge(State& state, const State& next) const;
//   void finish(run, first, count, const State* states) const.
template <class Formula>
class BlockReduction {
 public:
  using Element = typename Formula::Element;
  using State = typename Formula::State;

  // At least one element, and one output. Elements are converted to `through` first, if it is
  // given.
  BlockReduction(const Arguments& arguments, size_t input, const DimSet& reduced, Formula formula,
                 std::optional<aclDataType> through = std::nullopt)
      : formula_(std::move(formula)),
        input_(arguments, input, reduced),
        through_(through.value_or(input_.dtype)) {
    chunk_ = outputs() < kManyOutputs ? 4096 : 65536;
  }

  int64_t outputs() const { return input_.starts.count(); }
  int64_t chunks() const { return (input_.index.count() + chunk_ - 1) / chunk_; }
  int64_t together() const { return kTogether; }
  int64_t grain() const {
    return std::max<int64_t>(1, kGrain / (std::min(input_.index.count(), chunk_) * kTogether));
  }
  void reduce(const Run& run, int64_t first, int64_t count, int64_t chunk, State* states) const {
    std::array<int64_t, kTogether> starts;
    for (int64_t i = 0; i < count; ++i) {
      starts[static_cast<size_t>(i)] = input_.starts.offset(first + i);
      states[i] = {};
    }
    alignas(64) Element block[kBlock];
    const int64_t end = std::min(input_.index.count(), (chunk + 1) * chunk_);
    for_blocks(chunk * chunk_, end, [&](int64_t begin, int64_t stop) {
      for (int64_t i = 0; i < count; ++i) {
        read(run, begin, stop, starts[static_cast<size_t>(i)], block);
        formula_.add(states[i], block, static_cast<size_t>(stop - begin), begin);
      }
    });
  }
  void merge(State& state, const State& next) const { formula_.merge(state, next); }
  void finish(const Run& run, int64_t first, int64_t count, const State* states) const {
    formula_.finish(run, first, count, states);
  }

 private:
  static constexpr int64_t kTogether = 16;
  // Enough for threads to share without chunks, whose states take memory.
  static constexpr int64_t kManyOutputs = 1024;
  // Elements that a thread takes at a time, at least.
  static constexpr int64_t kGrain = 1 << 15;

  void read(const Run& run, int64_t begin, int64_t end, int64_t start, Element* block) const {
    if (through_ == input_.dtype) return input_.read(run, begin, end, block, start);
    input_.index.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
      load_through(input_.at(run, start + offset), input_.dtype, through_, stride, block,
                   static_cast<size_t>(n));
      block += n;
    });
  }

  Formula formula_;
  Slices input_;
  aclDataType through_;
  int64_t chunk_ = 1;  // terms of one
};

template <class Formula>
Plan plan_block_reduction(const Arguments& arguments, size_t input, const DimSet& reduced,
                          Formula formula, std::optional<aclDataType> through = std::nullopt) {
  return plan_reduction(
      BlockReduction<Formula>(arguments, input, reduced, std::move(formula), through));
}

}  // namespace aclgrad::ops
