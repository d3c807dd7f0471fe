// SPDX-License-Identifier: Apache-2.0
#include "ops/index/placed_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/formats.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {

// ---- Places -------------------------------------------------------------------------------------

IndexTerm::IndexTerm(const Arguments& arguments, size_t tensor, Elements of, int64_t numbered,
                     int64_t distance)
    : elements(std::move(of)),
      name(arguments.name(tensor)),
      is_mask(elements.dtype == ACL_BOOL || elements.dtype == ACL_UINT8),
      size(numbered),
      step(distance) {}

namespace {

// Elements that a thread takes at a time.
constexpr int64_t kPlacedGrain = 1 << 14;

// Of an operator that puts a scalar.
constexpr size_t kMaxParameters = 8;

// Calls visit(place, number) for all elements, in order.
template <class Visit>
void for_each_number(const Run& run, const Elements& elements, const Visit& visit) {
  int64_t block[kBlock];
  for_blocks(0, elements.index.count(), [&](int64_t begin, int64_t end) {
    elements.read(run, begin, end, block);
    for (int64_t i = begin; i < end; ++i) visit(i, block[i - begin]);
  });
}

// Element i of a tensor of numbers, counted from the front of `size`.
int64_t from_front(const char* name, int64_t i, int64_t number, int64_t size,
                   bool counts_from_end) {
  const int64_t low = counts_from_end ? -size : 0;
  if (number < low || number >= size) {
    throw std::runtime_error(fmt::format("element {} of {} is {}, but must be in [{}, {}]", i, name,
                                         number, low, size - 1));
  }
  return number < 0 ? number + size : number;
}

void add_numbers(const Run& run, const IndexTerm& term, int64_t* places) {
  for_each_number(run, term.elements, [&](int64_t i, int64_t number) {
    places[i] += from_front(term.name, i, number, term.size, term.counts_from_end) * term.step;
  });
}

// The numbers of the true elements go to `chosen`, of which there is one for each of `last`
// positions.
void add_mask(const Run& run, const IndexTerm& term, int64_t last, bool may_lack, int64_t count,
              int64_t* places, int64_t* chosen) {
  int64_t found = 0;
  for_each_number(run, term.elements, [&](int64_t i, int64_t value) {
    if (value == 0) return;
    if (found < last) chosen[found] = i;
    ++found;
  });
  if (found > last || (found < last && !may_lack)) {
    if (term.taken_from != nullptr) {
      throw std::runtime_error(
          fmt::format("tensor {} must have an element for each of the {} true elements of {}, but "
                      "has {}",
                      term.taken_from, found, term.name, last));
    }
    throw std::runtime_error(fmt::format("{} has {} elements that are true, but {} are needed{}",
                                         term.name, found, last, may_lack ? " at most" : ""));
  }
  for (int64_t i = 0; i < count; ++i) {
    if (i % last >= found || places[i] < 0) {
      places[i] = -1;
    } else {
      places[i] += chosen[i % last] * term.step;
    }
  }
}

}  // namespace

Places index_places(const Dims& shape, std::vector<IndexTerm> terms, const Dims& steps,
                    bool may_lack) {
  const int64_t count = count_elements(shape);
  const int64_t last = shape.empty() ? 1 : shape[shape.size() - 1];
  const StridedIndex own = steps.empty() ? StridedIndex(shape, Dims::filled(shape.size(), 0))
                                         : StridedIndex(shape, steps);
  // Masks last: they say which positions have no place.
  std::ranges::stable_partition(terms, [](const IndexTerm& term) { return !term.is_mask; });
  const bool has_mask = !terms.empty() && terms.back().is_mask;
  return {count,
          [=, terms = std::move(terms)](const Run& run, int64_t* places, int64_t* scratch) {
            int64_t* next = places;
            own.for_runs(0, count, [&](int64_t offset, int64_t stride, int64_t n) {
              for (int64_t i = 0; i < n; ++i) *next++ = offset + i * stride;
            });
            for (const IndexTerm& term : terms) {
              if (term.is_mask) {
                add_mask(run, term, last, may_lack, count, places, scratch);
              } else {
                add_numbers(run, term, places);
              }
            }
          },
          has_mask ? last : 0};
}

Places coordinate_places(const Arguments& arguments, size_t coordinates, const Dims& shape,
                         bool counts_from_end) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  const Elements elements(arguments, coordinates);
  const Dims& rows = arguments.shape(coordinates);
  const int64_t count = count_elements(Dims(rows.data(), rows.size() - 1));
  return {count,
          [=, name = arguments.name(coordinates)](const Run& run, int64_t* places, int64_t*) {
            std::fill_n(places, count, 0);
            for_each_number(run, elements, [&](int64_t i, int64_t number) {
              const size_t d = static_cast<size_t>(i % rank);
              int64_t& place = places[i / rank];
              place = place * shape[d] + from_front(name, i, number, shape[d], counts_from_end);
            });
          }};
}

Places repeated_places(const Arguments& arguments, size_t repeats, int64_t size, int64_t count) {
  const char* const name = arguments.name(repeats);
  const Elements elements(arguments, repeats);
  return {count,
          [=](const Run& run, int64_t* places, int64_t* scratch) {
            for_each_number(run, elements, [&](int64_t i, int64_t times) {
              if (times < 0) {
                throw std::runtime_error(fmt::format(
                    "element {} of {} is {}, but must not be negative", i, name, times));
              }
              scratch[i] = times;
            });
            int64_t total = 0;
            for (int64_t k = 0; k < size; ++k) {
              const int64_t times = scratch[elements.index.count() == 1 ? 0 : k];
              // Not added first: a sum of numbers as large as they may be would not fit.
              if (times > count - total) {
                throw std::runtime_error(fmt::format(
                    "{} has a sum of more than {}, which must be the sum", name, count));
              }
              std::fill_n(places + total, times, k);
              total += times;
            }
            if (total != count) {
              throw std::runtime_error(
                  fmt::format("{} has a sum of {}, but must have one of {}", name, total, count));
            }
          },
          elements.index.count()};
}

Slices slices_of(const Arguments& arguments, size_t tensor, const Dims& shape, const Dims& strides,
                 const DimSet& inside) {
  Slices slices;
  slices.parameter = tensor;
  slices.dtype = arguments.dtype(tensor);
  slices.index = {selected(shape, inside, true), selected(strides, inside, true)};
  slices.starts = {selected(shape, inside, false), selected(strides, inside, false)};
  return slices;
}

// ---- Taken --------------------------------------------------------------------------------------

namespace {

int64_t slices_of_a_piece(const Slices& slices) {
  return std::max<int64_t>(1, kPlacedGrain / std::max<int64_t>(1, slices.index.count()));
}

// Where the places are, and numbers behind them.
struct Workspace {
  int64_t* places;
  int64_t* rest;
  Workspace(const Run& run, const Places& of)
      : places(aligned<int64_t>(run.workspace())), rest(places + of.count) {
    of.fill(run, places, rest);
  }
};

// Of so many numbers, and one for an address that is not aligned.
uint64_t bytes_of(std::initializer_list<int64_t> numbers) {
  int64_t total = 1;
  for (const int64_t each : numbers) total += each;
  return static_cast<uint64_t>(total) * sizeof(int64_t);
}

template <class Element>
void copy_slice(const Run& run, const Slices& from, int64_t source, const Slices& to,
                int64_t target) {
  for_blocks(0, to.index.count(), [&](int64_t begin, int64_t end) {
    Element block[kBlock];
    Element* next = block;
    const auto* const in = static_cast<const Unaligned<Element>*>(from.at(run, source));
    from.index.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i) *next++ = in[offset + i * stride].value;
    });
    next = block;
    auto* const out = static_cast<Unaligned<Element>*>(to.at(run, target));
    to.index.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i) out[offset + i * stride].value = *next++;
    });
  });
}

using MoveSlice = void (*)(const Run&, const Slices&, int64_t, const Slices&, int64_t);

MoveSlice mover(aclDataType dtype) {
  struct Pair {
    uint64_t half[2];
  };
  switch (element_size(dtype)) {
    case 1:
      return copy_slice<uint8_t>;
    case 2:
      return copy_slice<uint16_t>;
    case 4:
      return copy_slice<uint32_t>;
    case 8:
      return copy_slice<uint64_t>;
    default:
      return copy_slice<Pair>;
  }
}

}  // namespace

Plan plan_taken(Places places, const Slices& from, const Slices& to,
                std::function<void(int64_t count)> found) {
  const uint64_t bytes = bytes_of({places.count, places.scratch});
  return {[=, places = std::move(places), move = mover(to.dtype)](const Run& run) -> aclError {
            const Workspace memory(run, places);
            parallel_pieces(places.count, slices_of_a_piece(to), [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                if (memory.places[i] < 0) continue;
                move(run, from, from.starts.offset(memory.places[i]), to, to.starts.offset(i));
              }
            });
            if (found) {
              found(std::count_if(memory.places, memory.places + places.count,
                                  [](int64_t place) { return place >= 0; }));
            }
            return ACL_SUCCESS;
          },
          bytes};
}

// ---- Sorted by places ---------------------------------------------------------------------------

namespace {

// The positions in the order of their places, those of one place in their own, and where in that
// each place's begin.
struct Sorted {
  const int64_t* begins;
  const int64_t* order;

  Sorted(const Run& run, const Places& places, int64_t count) {
    const Workspace memory(run, places);
    int64_t* const begin = memory.rest;
    int64_t* const sorted = begin + count + 1;
    std::fill_n(begin, count + 1, 0);
    for (int64_t i = 0; i < places.count; ++i) {
      if (memory.places[i] >= 0) ++begin[memory.places[i] + 1];
    }
    for (int64_t v = 0; v < count; ++v) begin[v + 1] += begin[v];
    for (int64_t i = 0; i < places.count; ++i) {
      if (memory.places[i] >= 0) sorted[begin[memory.places[i]]++] = i;
    }
    // Every place's begin is now its end, which is the next one's begin.
    for (int64_t v = count; v > 0; --v) begin[v] = begin[v - 1];
    begin[0] = 0;
    begins = begin;
    order = sorted;
  }

  // Of places, which first need what lies behind them to be found.
  static uint64_t bytes(const Places& places, int64_t count) {
    return bytes_of({places.count, std::max(places.scratch, count + 1 + places.count)});
  }
};

template <class T>
T joined(Join join, T total, T term) {
  if (join == Join::kProduct) return total * term;
  if constexpr (!std::is_same_v<T, std::complex<double>>) {
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(total)) return total;
    }
    if (join == Join::kMax) return term <= total ? total : term;
    if (join == Join::kMin) return term >= total ? total : term;
  }
  return total;
}

template <class T>
T factor_of(const PlacedSum& sum) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return sum.integer_factor;
  } else {
    return T(sum.factor);
  }
}

template <class T>
class Adder {
 public:
  Adder(const PlacedSum& sum, const Sorted& sorted, const Run& run)
      : sum_(sum), sorted_(sorted), run_(run), factor_(factor_of<T>(sum)) {}

  // Places whose slices are long, each by itself.
  void add_slices(int64_t first, int64_t last) const {
    for (int64_t v = first; v < last; ++v) {
      for_blocks(0, sum_.out.index.count(), [&](int64_t begin, int64_t end) {
        const auto width = static_cast<size_t>(end - begin);
        T total[kBlock];
        if (sum_.self && v != sum_.zero) {
          sum_.self->read(run_, begin, end, total, sum_.self->starts.offset(v));
        } else {
          std::fill_n(total, width, T{});
        }
        bool is_first = sum_.self_gives_way;
        for_terms(v, [&](int64_t start) {
          T terms[kBlock];
          sum_.terms.read(run_, begin, end, terms, start);
          if (std::exchange(is_first, false)) {
            std::copy_n(terms, width, total);
          } else if (sum_.join != Join::kSum) {
            for (size_t i = 0; i < width; ++i) total[i] = joined(sum_.join, total[i], terms[i]);
          } else {
            for (size_t i = 0; i < width; ++i) total[i] += factor_ * terms[i];
          }
        });
        for (size_t i = 0; i < width; ++i) total[i] = shared(total[i], v);
        sum_.out.write(run_, total, begin, end, sum_.out.starts.offset(v));
      });
    }
  }

  // Slices of one element, many places at a time.
  void add_elements(int64_t first, int64_t last) const {
    Elements out = sum_.out;
    out.index = sum_.out.starts;
    for_blocks(first, last, [&](int64_t begin, int64_t end) {
      T totals[kBlock] = {};
      if (sum_.self) {
        Elements self = *sum_.self;
        self.index = sum_.self->starts;
        self.read(run_, begin, end, totals);
      }
      for (int64_t v = begin; v < end; ++v) {
        T& total = totals[v - begin];
        if (v == sum_.zero) total = T{};
        bool is_first = sum_.self_gives_way;
        for_terms(v, [&](int64_t start) {
          T term;
          load(static_cast<const void*>(sum_.terms.at(run_, start)), sum_.terms.dtype, 1, &term, 1);
          if (std::exchange(is_first, false)) {
            total = term;
          } else {
            total =
                sum_.join == Join::kSum ? total + factor_ * term : joined(sum_.join, total, term);
          }
        });
        total = shared(total, v);
      }
      out.write(run_, totals, begin, end);
    });
  }

 private:
  template <class Visit>
  void for_terms(int64_t v, const Visit& visit) const {
    if (v == sum_.zero) return;
    for (int64_t k = sorted_.begins[v]; k < sorted_.begins[v + 1]; ++k) {
      visit(sum_.terms.starts.offset(sorted_.order[k]));
    }
  }

  T shared(T total, int64_t v) const {
    const int64_t terms = sorted_.begins[v + 1] - sorted_.begins[v];
    if (!sum_.is_mean || terms == 0) return total;
    const int64_t count = terms + (sum_.self_counts ? 1 : 0);
    if constexpr (std::is_same_v<T, int64_t>) {
      return total / count - (total % count < 0 ? 1 : 0);
    } else {
      return total / static_cast<T>(static_cast<double>(count));
    }
  }

  const PlacedSum& sum_;
  const Sorted& sorted_;
  const Run& run_;
  T factor_;
};

template <class T>
Plan plan_sum_in(Places places, const PlacedSum& sum) {
  const int64_t count = sum.out.starts.count();
  const uint64_t bytes = Sorted::bytes(places, count);
  return {[=, places = std::move(places)](const Run& run) -> aclError {
            const Sorted sorted(run, places, count);
            const Adder<T> adder(sum, sorted, run);
            parallel_pieces(count, slices_of_a_piece(sum.out), [&](int64_t begin, int64_t end) {
              if (sum.out.index.count() == 1) {
                adder.add_elements(begin, end);
              } else {
                adder.add_slices(begin, end);
              }
            });
            return ACL_SUCCESS;
          },
          bytes};
}

}  // namespace

Plan plan_placed_sum(Places places, const PlacedSum& sum) {
  if (is_complex(sum.out.dtype)) return plan_sum_in<std::complex<double>>(std::move(places), sum);
  if (is_floating(sum.out.dtype)) return plan_sum_in<double>(std::move(places), sum);
  return plan_sum_in<int64_t>(std::move(places), sum);
}

Plan plan_put(Places places, const Slices& from, const Slices& to,
              const std::optional<Slices>& self) {
  const int64_t count = to.starts.count();
  const uint64_t bytes = Sorted::bytes(places, count);
  return {[=, places = std::move(places), move = mover(to.dtype)](const Run& run) -> aclError {
            const Sorted sorted(run, places, count);
            parallel_pieces(count, slices_of_a_piece(to), [&](int64_t begin, int64_t end) {
              for (int64_t v = begin; v < end; ++v) {
                const int64_t last = sorted.begins[v + 1];
                const bool is_put = sorted.begins[v] < last;
                if (!is_put && !self) continue;
                const int64_t start =
                    is_put ? from.starts.offset(sorted.order[last - 1]) : self->starts.offset(v);
                move(run, is_put ? from : *self, start, to, to.starts.offset(v));
              }
            });
            return ACL_SUCCESS;
          },
          bytes};
}

// ---- Of a scalar --------------------------------------------------------------------------------

ScalarSlices::ScalarSlices(const Arguments& arguments, size_t scalar, aclDataType dtype,
                           const Dims& positions, const Dims& shape)
    : parameter_count_(arguments.size()) {
  slices.parameter = scalar;
  slices.dtype = dtype;
  slices.index = {shape, Dims::filled(shape.size(), 0)};
  slices.starts = {positions, Dims::filled(positions.size(), 0)};
  const KernelScalar number = KernelScalar::of(arguments.scalar(scalar), dtype);
  if (is_complex(dtype)) {
    store(&number.complex, element_.bytes, dtype, 1, 1);
  } else if (is_floating(dtype)) {
    store(&number.real, element_.bytes, dtype, 1, 1);
  } else {
    store(&number.integer, element_.bytes, dtype, 1, 1);
  }
}

// A run has no address for a scalar: it gets this element's.
Plan ScalarSlices::fill_in(Plan plan) const {
  plan.body = [body = std::move(plan.body), element = element_, scalar = slices.parameter,
               count = parameter_count_](const Run& run) {
    std::array<void*, kMaxParameters> addresses;
    for (size_t i = 0; i < count; ++i) addresses[i] = run.data(i);
    Element own = element;
    addresses[scalar] = own.bytes;
    return body(Run(std::span(addresses).first(count), run.workspace()));
  };
  return plan;
}

}  // namespace aclgrad::ops
