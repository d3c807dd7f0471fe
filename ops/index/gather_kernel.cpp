// SPDX-License-Identifier: Apache-2.0
#include "ops/index/gather_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/iterate.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 14;

// The numbers of a tensor.
struct Indices : Elements {
  const char* name;

  Indices(const Arguments& arguments, size_t tensor)
      : Elements(arguments, tensor), name(arguments.spec().parameters[tensor].name) {}

  // Calls visit(place, number) for all, in order.
  template <class Visit>
  void for_each(const Run& run, const Visit& visit) const {
    int64_t block[kBlock];
    for_blocks(0, index.count(), [&](int64_t begin, int64_t end) {
      read(run, begin, end, block);
      for (int64_t i = begin; i < end; ++i) visit(i, block[i - begin]);
    });
  }

  void check(const Run& run, int64_t size, bool counts_from_end) const {
    const int64_t low = counts_from_end ? -size : 0;
    for_each(run, [&](int64_t place, int64_t number) {
      if (low <= number && number < size) return;
      throw std::runtime_error(fmt::format("element {} of {} is {}, but must be in [{}, {}]", place,
                                           name, number, low, size - 1));
    });
  }
};

// ---- Selection ----------------------------------------------------------------------------------

struct SelectionState {
  Indices indices;
  Selection selection;
  Dims shape;  // with dimensions joined
};

template <class Element>
struct StridedRun {
  Unaligned<Element>* out;
  const Unaligned<Element>* self;
  int64_t out_stride;
  int64_t self_stride;
};

// A run of out along the last dimension: of one index, or of one for each element.
template <class Element, class Index>
void select_run(const StridedRun<Element>& line, const Unaligned<Index>* index,
                int64_t index_stride, const Selection& selection, int64_t count) {
  const auto moved = [&](int64_t i) {
    const int64_t number = index[i * index_stride].value;
    return (number < 0 ? number + selection.size : number) * selection.step;
  };
  if (index_stride != 0) {
    for (int64_t i = 0; i < count; ++i) {
      line.out[i * line.out_stride] = line.self[moved(i) + i * line.self_stride];
    }
    return;
  }
  const Unaligned<Element>* const self = line.self + moved(0);
  if (line.out_stride == 1 && line.self_stride == 1) {
    std::memcpy(line.out, self, static_cast<size_t>(count) * sizeof(Element));
    return;
  }
  for (int64_t i = 0; i < count; ++i) line.out[i * line.out_stride] = self[i * line.self_stride];
}

template <class Element, class Index>
void select(const Run& run, const SelectionState& state, int64_t begin, int64_t end) {
  const Selection& selection = state.selection;
  const size_t last = state.shape.size() - 1;
  const int64_t length = state.shape[last];
  auto* const out = run.data<Unaligned<Element>>(selection.out.parameter);
  const auto* const self = run.data<const Unaligned<Element>>(selection.self.parameter);
  const auto* const index = run.data<const Unaligned<Index>>(selection.index.parameter);
  const auto offset = [&](const Operand& operand, int64_t place) {
    int64_t sum = 0;
    for (size_t d = last + 1; d-- > 0; place /= state.shape[d]) {
      sum += place % state.shape[d] * operand.strides[d];
    }
    return sum;
  };
  while (begin < end) {
    const int64_t count = std::min(end - begin, length - begin % length);
    select_run<Element, Index>(
        {out + offset(selection.out, begin), self + offset(selection.self, begin),
         selection.out.strides[last], selection.self.strides[last]},
        index + offset(selection.index, begin), selection.index.strides[last], selection, count);
    begin += count;
  }
}

using Select = void (*)(const Run&, const SelectionState&, int64_t, int64_t);

template <class Index>
Select select_of_size(size_t size) {
  struct Pair {
    uint64_t half[2];
  };
  switch (size) {
    case 1:
      return select<uint8_t, Index>;
    case 2:
      return select<uint16_t, Index>;
    case 4:
      return select<uint32_t, Index>;
    case 8:
      return select<uint64_t, Index>;
    default:
      return select<Pair, Index>;
  }
}

}  // namespace

Plan plan_selection(const Arguments& arguments, size_t out, const Selection& selection) {
  if (arguments.empty(out)) return {};
  auto state = std::make_shared<SelectionState>(SelectionState{
      Indices(arguments, selection.index.parameter), selection, arguments.shape(out)});
  Selection& operands = state->selection;
  Dims* const strides[] = {&operands.out.strides, &operands.self.strides, &operands.index.strides};
  collapse_dimensions(state->shape, strides);
  const size_t size = element_size(operands.out.dtype);
  const Select select = operands.index.dtype == ACL_INT32 ? select_of_size<int32_t>(size)
                                                          : select_of_size<int64_t>(size);
  return {[state = std::shared_ptr<const SelectionState>(std::move(state)), select,
           count = count_elements(arguments.shape(out))](const Run& run) -> aclError {
    state->indices.check(run, state->selection.size, state->selection.counts_from_end);
    parallel_pieces(count, kGrain,
                    [&](int64_t begin, int64_t end) { select(run, *state, begin, end); });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
