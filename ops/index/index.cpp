// SPDX-License-Identifier: Apache-2.0
// aclnnIndex, aclnnIndexPutImpl.
#include "aclnnop/aclnn_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "aclnnop/aclnn_index_put_impl.h"
#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/dtype/formats.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/meta/dtypes.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::index {
namespace {

constexpr DtypeSet kIndexOrMask{ACL_INT64, ACL_INT32, ACL_BOOL, ACL_UINT8};

bool is_mask_dtype(aclDataType dtype) { return dtype == ACL_BOOL || dtype == ACL_UINT8; }

// How the members of the list `indices` address `self`, and what results. The shape of the result
// is that of `elements`, or one that this broadcasts to.
class Addressing {
 public:
  struct Parameters {
    size_t self, indices, elements;
    bool broadcasts;  // elements may
  };

  Addressing(const Arguments& arguments, const Parameters& parameters)
      : shape_(arguments.shape(parameters.self)) {
    const auto [first, count] = arguments.members(parameters.indices);
    size_t dim = 0;
    for (size_t i = first; i < first + count && complaint_.empty(); ++i) {
      dim = add(arguments, i, dim, arguments.name(parameters.self));
    }
    arrange(arguments, parameters);
  }

  // Null, or of shape [0]: all of the dimension.
  static bool takes_all(const Arguments& arguments, size_t member) {
    return !arguments.given(member) || arguments.shape(member) == Dims{0};
  }

  const std::string& complaint() const { return complaint_; }
  const Dims& result() const { return result_; }

  Places places(const Arguments& arguments) const {
    std::vector<IndexTerm> terms;
    for (const Indexed& each : indices_) {
      const bool is_mask =
          arguments.dtype(each.tensor) == ACL_BOOL || arguments.dtype(each.tensor) == ACL_UINT8;
      int64_t size = 1, step = 1;
      for (size_t d = 0; d < shape_.size(); ++d) {
        if (d >= each.first && d < each.first + each.count) size *= shape_[d];
        if (d >= each.first + each.count && is_indexed_[d]) step *= shape_[d];
      }
      terms.emplace_back(
          arguments, each.tensor,
          is_mask ? Elements(arguments, each.tensor) : Elements(arguments, each.tensor, positions_),
          size, step);
    }
    return index_places(positions_, std::move(terms), {}, may_lack_);
  }

  // Self's slices, by their places, and those of the result, or of what broadcasts to it.
  Slices of_self(const Arguments& arguments, size_t tensor) const {
    DimSet inside{};
    for (size_t d = 0; d < shape_.size(); ++d) inside[d] = !is_indexed_[d];
    return Slices(arguments, tensor, inside);
  }
  Slices of_result(const Arguments& arguments, size_t tensor) const {
    return of_result(arguments, tensor, arguments.strides(tensor));
  }
  // With these strides instead of the tensor's own.
  Slices of_result(const Arguments& arguments, size_t tensor, const Dims& strides) const {
    DimSet inside = dimensions(0, result_.size());
    std::fill_n(inside.begin() + first_, positions_.size(), false);
    return slices_of(arguments, tensor, result_,
                     broadcast_strides(arguments.shape(tensor), strides, result_), inside);
  }

 private:
  struct Indexed {
    size_t tensor;
    size_t first;  // of self's dimensions
    size_t count;  // of them: as many as a mask has
  };

  // Member i indexes dimensions from `dim` on; returns the next one.
  size_t add(const Arguments& arguments, size_t i, size_t dim, const char* self) {
    const bool all = takes_all(arguments, i);
    const bool is_mask = !all && is_mask_dtype(arguments.dtype(i));
    const size_t count = is_mask ? std::max<size_t>(arguments.shape(i).size(), 1) : 1;
    if (dim + count > shape_.size()) {
      complaint_ = fmt::format("tensor {} {} must have at least {} dimensions for {}.", self,
                               to_string(shape_), dim + count, arguments.name(i));
    }
    if (all || !complaint_.empty()) return dim + count;
    const Dims& index = arguments.shape(i);
    std::fill_n(is_indexed_.begin() + dim, count, true);
    indices_.push_back({i, dim, count});
    if (is_mask) {
      const Dims masked(shape_.data() + dim, count);
      if (!(index == masked)) {
        complaint_ =
            fmt::format("mask {} of {} must have size {}, as {} from dimension {} on, but is {}.",
                        arguments.name(i), dtype_name(arguments.dtype(i)), to_string(masked), self,
                        dim, to_string(index));
      }
      most_ = std::max(most_, count_elements(index));
      has_mask_ = true;
    } else if (const Dims before = positions_; !broadcast_shapes(before, index, positions_)) {
      complaint_ = fmt::format("tensor {} {} must broadcast with the indices before it, of {}.",
                               arguments.name(i), to_string(index), to_string(before));
    }
    return dim + count;
  }

  void arrange(const Arguments& arguments, const Parameters& parameters) {
    const auto begin = is_indexed_.begin(), end = begin + shape_.size();
    const auto low = std::find(begin, end, true);
    const bool is_adjacent = std::find(std::find(low, end, false), end, true) == end;
    first_ = low != end && is_adjacent ? static_cast<size_t>(low - begin) : 0;
    if (has_mask_) {
      if (positions_.empty()) positions_.push_back(1);
      int64_t& last = positions_[positions_.size() - 1];
      // As many as elements has places for; as many as there can be where it is broadcast.
      const Dims& known = arguments.shape(parameters.elements);
      const size_t behind = static_cast<size_t>(std::count(begin, end, false)) - first_;
      if (last == 1) last = known.size() > behind ? known[known.size() - 1 - behind] : 1;
      may_lack_ = last == 1 && parameters.broadcasts;
      if (may_lack_) last = most_;
    }
    size_t before = 0;
    for (; before < first_; ++before) result_.push_back(shape_[before]);
    for (const int64_t size : positions_) result_.push_back(size);
    for (size_t d = before; d < shape_.size(); ++d) {
      if (!is_indexed_[d]) result_.push_back(shape_[d]);
    }
  }

  Dims shape_;
  std::vector<Indexed> indices_ = {};
  DimSet is_indexed_{};
  Dims positions_ = {};  // what the indices broadcast to
  size_t first_ = 0;     // where positions stand in the result
  Dims result_ = {};
  bool has_mask_ = false;
  int64_t most_ = 1;       // elements of a mask
  bool may_lack_ = false;  // a mask may have fewer true elements than positions
  std::string complaint_ = {};
};

Rule are_live(size_t list) {
  return all_members(list, [](size_t i) { return live_if_given(i); });
}

Rule are_indices(size_t list) {
  return all_members(list, [](size_t i) {
    return when([i](const Arguments& arguments) { return !Addressing::takes_all(arguments, i); },
                dtype_in(i, kIndexOrMask));
  });
}

Rule indices_fit(const Addressing::Parameters& parameters) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Addressing addressing(arguments, parameters);
    if (!addressing.complaint().empty()) return addressing.complaint();
    const Dims& shape = arguments.shape(parameters.elements);
    const bool fits = parameters.broadcasts ? broadcasts_to(shape, addressing.result())
                                            : shape == addressing.result();
    if (fits) return std::nullopt;
    return fmt::format("tensor {} must {} {} for {} {}, but is {}.",
                       arguments.name(parameters.elements),
                       parameters.broadcasts ? "broadcast to" : "have size",
                       to_string(addressing.result()), arguments.name(parameters.self),
                       to_string(arguments.shape(parameters.self)), to_string(shape));
  });
}

namespace taken {

enum : size_t { kSelf, kIndices, kOut };
constexpr Addressing::Parameters kParameters{kSelf, kIndices, kOut, false};

const OperatorSpec kSpec{
    "aclnnIndex",
    {input("self"), input("indices"), output("out")},
    Rules{not_null({kSelf, kIndices, kOut}), are_live(kIndices), dtype_in(kSelf, kAllDtypes),
          are_indices(kIndices), same_dtype(kOut, kSelf), max_rank({kSelf, kOut}),
          indices_fit(kParameters), has_elements_to_index(kSelf, kOut)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Addressing addressing(arguments, kParameters);
  return plan_taken(addressing.places(arguments), addressing.of_self(arguments, kSelf),
                    addressing.of_result(arguments, kOut));
}

}  // namespace taken

namespace put {

enum : size_t { kSelfRef, kIndices, kValues, kAccumulate, kUnsafe };
constexpr Addressing::Parameters kParameters{kSelfRef, kIndices, kValues, true};

// Those of the operator, and an index for each dimension.
constexpr size_t kMostParameters = 5 + kMaxRank;
constexpr int64_t kConvertedGrain = 1 << 14;
struct alignas(16) Aligned {
  std::byte bytes[16];
};

const OperatorSpec kSpec{"aclnnIndexPutImpl",
                         {in_out("selfRef"), input("indices"), input("values"),
                          attribute("accumulate"), attribute("unsafe")},
                         Rules{not_null({kSelfRef, kIndices, kValues}), are_live(kIndices),
                               dtype_in({kSelfRef, kValues}, kAllDtypes), are_indices(kIndices),
                               can_cast_tensor(kValues, kSelfRef), max_rank({kSelfRef, kValues}),
                               indices_fit(kParameters)}};

// A plan for values of selfRef's dtype: they are converted into memory behind its own.
Plan with_converted_values(const Arguments& arguments, Plan plan) {
  const int64_t count = count_elements(arguments.shape(kValues));
  const aclDataType dtype = arguments.dtype(kSelfRef);
  const Dims line{count}, steps{1};
  const uint64_t own = plan.workspace_size;
  plan.workspace_size += static_cast<uint64_t>(count) * element_size(dtype) + alignof(Aligned);
  plan.body = [=, body = std::move(plan.body), parameters = arguments.size(),
               values = Elements(arguments, kValues),
               dense = StridedIndex(line, steps)](const Run& run) -> aclError {
    void* const converted = aligned<Aligned>(static_cast<std::byte*>(run.workspace()) + own);
    parallel_pieces(count, kConvertedGrain, [&](int64_t begin, int64_t end) {
      cast_elements({values.at(run, 0), values.dtype, values.index}, {converted, dtype, dense},
                    begin, end);
    });
    std::array<void*, kMostParameters> addresses;
    for (size_t i = 0; i < parameters; ++i) addresses[i] = run.data(i);
    addresses[kValues] = converted;
    return body(Run(std::span(addresses).first(parameters), run.workspace()));
  };
  return plan;
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelfRef) || arguments.empty(kValues)) return {};
  const Addressing addressing(arguments, kParameters);
  if (count_elements(addressing.result()) == 0) return {};
  Places places = addressing.places(arguments);
  const Slices self = addressing.of_self(arguments, kSelfRef);
  const bool converts = arguments.dtype(kValues) != self.dtype;
  Slices values = converts ? addressing.of_result(arguments, kValues,
                                                  contiguous_strides(arguments.shape(kValues)))
                           : addressing.of_result(arguments, kValues);
  values.dtype = self.dtype;
  Plan plan = arguments.flag(kAccumulate)
                  ? plan_placed_sum(std::move(places), {.terms = values, .self = self, .out = self})
                  : plan_put(std::move(places), values, self);
  return converts ? with_converted_values(arguments, std::move(plan)) : plan;
}

}  // namespace put
}  // namespace

ACLGRAD_OPERATOR(aclnnIndex, taken::kSpec, taken::plan)
ACLGRAD_OPERATOR(aclnnIndexPutImpl, put::kSpec, put::plan)

}  // namespace aclgrad::ops::index
