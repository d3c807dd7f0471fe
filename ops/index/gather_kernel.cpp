// SPDX-License-Identifier: Apache-2.0
#include "ops/index/gather_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/strided.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 14;

// The numbers of a tensor.
struct Indices {
  size_t parameter;
  const char* name;
  aclDataType dtype;
  StridedIndex index;

  Indices(const Arguments& arguments, size_t tensor)
      : parameter(tensor),
        name(arguments.spec().parameters[tensor].name),
        dtype(arguments.dtype(tensor)),
        index(arguments.shape(tensor), arguments.strides(tensor)) {}

  // Calls visit(place, number) for all, in order.
  template <class Visit>
  void for_each(const Run& run, const Visit& visit) const {
    const auto most = static_cast<int64_t>(kBlock);
    for (int64_t begin = 0; begin < index.count(); begin += most) {
      int64_t block[kBlock];
      const int64_t end = std::min(index.count(), begin + most);
      read_elements(run.data(parameter), dtype, index, begin, end, block);
      for (int64_t i = begin; i < end; ++i) visit(i, block[i - begin]);
    }
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
  collapse_dimensions(state->shape,
                      {&operands.out.strides, &operands.self.strides, &operands.index.strides});
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

// ---- Sums of rows -------------------------------------------------------------------------------

namespace {

struct RowSumState {
  Indices indices;
  RowSum sum;
  aclDataType grad_dtype;
  StridedIndex rows;  // of grad
  int64_t grad_step;
  aclDataType out_dtype;
  int64_t count;  // of rows of out
  int64_t columns;
  int64_t out_row_step;
  int64_t out_step;

  // The rows in the order of their numbers, those of one number in their own, and where in that
  // each number's begin.
  int64_t* starts(const Run& run) const {
    const auto address = reinterpret_cast<uintptr_t>(run.workspace());
    return reinterpret_cast<int64_t*>((address + alignof(int64_t) - 1) & -alignof(int64_t));
  }
  int64_t* order(const Run& run) const { return starts(run) + count + 1; }

  void sort_rows(const Run& run) const {
    int64_t* const begin = starts(run);
    std::fill_n(begin, count + 1, 0);
    indices.for_each(run, [&](int64_t, int64_t number) { ++begin[number + 1]; });
    for (int64_t v = 0; v < count; ++v) begin[v + 1] += begin[v];
    int64_t* const sorted = order(run);
    indices.for_each(run, [&](int64_t place, int64_t number) { sorted[begin[number]++] = place; });
    // Every number's begin is now its end, which is the next one's begin.
    for (int64_t v = count; v > 0; --v) begin[v] = begin[v - 1];
    begin[0] = 0;
  }

  void add_rows(const Run& run, int64_t v) const {
    const int64_t first = v == sum.padding ? 0 : starts(run)[v];
    const int64_t last = v == sum.padding ? 0 : starts(run)[v + 1];
    const void* const grad = run.data(sum.grad);
    for (int64_t column = 0; column < columns; column += static_cast<int64_t>(kBlock)) {
      const size_t width = std::min(kBlock, static_cast<size_t>(columns - column));
      double total[kBlock] = {};
      for (int64_t k = first; k < last; ++k) {
        double terms[kBlock];
        const int64_t at = rows.offset(order(run)[k]) + column * grad_step;
        load(element(grad, grad_dtype, at), grad_dtype, grad_step, terms, width);
        for (size_t i = 0; i < width; ++i) total[i] += terms[i];
      }
      if (sum.is_mean && first < last) {
        for (double& each : total) each /= static_cast<double>(last - first);
      }
      store(total, element(run.data(sum.out), out_dtype, v * out_row_step + column * out_step),
            out_dtype, out_step, width);
    }
  }
};

}  // namespace

Plan plan_row_sum(const Arguments& arguments, const RowSum& sum) {
  if (arguments.empty(sum.out)) return {};
  const Dims& shape = arguments.shape(sum.grad);
  const Dims& strides = arguments.strides(sum.grad);
  const Dims& out_strides = arguments.strides(sum.out);
  const size_t last = shape.size() - 1;
  auto state = std::make_shared<const RowSumState>(
      RowSumState{.indices = Indices(arguments, sum.indices),
                  .sum = sum,
                  .grad_dtype = arguments.dtype(sum.grad),
                  .rows = StridedIndex(Dims(shape.data(), last), Dims(strides.data(), last)),
                  .grad_step = strides[last],
                  .out_dtype = arguments.dtype(sum.out),
                  .count = arguments.shape(sum.out)[0],
                  .columns = arguments.shape(sum.out)[1],
                  .out_row_step = out_strides[0],
                  .out_step = out_strides[1]});
  const Body body = [state](const Run& run) -> aclError {
    state->indices.check(run, state->count, false);
    state->sort_rows(run);
    parallel_pieces(state->count, std::max<int64_t>(1, kGrain / state->columns),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t v = begin; v < end; ++v) state->add_rows(run, v);
                    });
    return ACL_SUCCESS;
  };
  // And one for an address that is not aligned.
  const auto numbers = static_cast<uint64_t>(state->count + 2 + state->indices.index.count());
  return {body, numbers * sizeof(int64_t)};
}

}  // namespace aclgrad::ops
