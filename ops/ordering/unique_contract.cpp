// SPDX-License-Identifier: Apache-2.0
// Different elements and slices, and the places of what is not 0. The results are smaller than the
// room for them: references give them in their true shapes.
#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"
#include "aclnnop/aclnn_unique.h"
#include "aclnnop/aclnn_unique2.h"
#include "aclnnop/aclnn_unique_consecutive.h"
#include "aclnnop/aclnn_unique_dim.h"
#include "ops/ordering/ordering_contract.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kNoDim = 1000;

bool asks_for(const Arguments& a, const char* flag) { return !a.has(flag) || a.number(flag) != 0; }

// Whether slices are compared, not elements.
bool has_dim(const Arguments& a) {
  return a.has("dim") && (a.has("sorted") || a.number("dim") != kNoDim);
}

using Slice = std::vector<Number>;

// The elements of each slice along an axis, in row-major order.
std::vector<Slice> slices_of(const Array& self, size_t axis) {
  std::vector<Slice> slices(static_cast<size_t>(self.shape[axis]));
  int64_t inner = 1;
  for (size_t d = axis + 1; d < self.shape.size(); ++d) inner *= self.shape[d];
  for (size_t i = 0; i < self.values.size(); ++i) {
    const auto slice = static_cast<int64_t>(i) / inner % self.shape[axis];
    slices[static_cast<size_t>(slice)].push_back(self.values[i]);
  }
  return slices;
}

Arrays unique(const Arguments& a, const Arrays& in) {
  const bool by_slice = has_dim(a);
  const Array self = by_slice ? in[0] : Array{{count_of(in[0].shape)}, in[0].values};
  const size_t axis = by_slice ? axis_of(a, self.shape) : 0;
  const std::vector<Slice> slices = slices_of(self, axis);
  std::vector<size_t> order(slices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (a.has("sorted")) {
    std::ranges::stable_sort(order, [&](size_t i, size_t j) { return slices[i] < slices[j]; });
  }
  Array inverse{a.shape("yInverse"), std::vector<Number>(slices.size())};
  std::vector<Slice> results;
  Array counts;
  for (const size_t i : order) {
    if (results.empty() || results.back() != slices[i]) {
      results.push_back(slices[i]);
      counts.values.push_back(0);
    }
    ++counts.values.back();
    inverse.values[i] = static_cast<Number>(results.size() - 1);
  }
  const auto found = static_cast<int64_t>(results.size());
  counts.shape = {found};
  Shape shape = self.shape;
  shape[axis] = found;
  std::vector<size_t> taken(results.size());
  const Array values = dense::generate(shape, [&](const Shape& position) {
    const auto slice = static_cast<size_t>(position[axis]);
    return results[slice][taken[slice]++];  // in row-major order, as in the slice
  });
  if (!asks_for(a, "returnInverse")) inverse.values.clear();
  Arrays all{values, inverse};
  if (!a.has("yCounts")) return all;
  if (!asks_for(a, "returnCounts")) counts.values.clear();
  all.push_back(counts);
  return all;
}

void arrange_unique(Arguments& a) {
  const Shape self = a.shape("self");
  const bool by_slice = has_dim(a);
  const Shape all = {by_slice ? self.at(ordered_axis(a)) : count_of(self)};
  a.reshape({"y"}, by_slice ? self : all);
  a.reshape({"yInverse"}, by_slice ? all : self);
  a.reshape({"yCounts"}, all);
  // What is not asked for may be anything.
  for (const auto& [flag, result] :
       {std::pair{"returnInverse", "yInverse"}, std::pair{"returnCounts", "yCounts"}}) {
    if (!a.has(result)) continue;
    const bool is_free = !asks_for(a, flag);
    a.tensor(result).any_shape = a.tensor(result).any_dtype = is_free;
  }
}

Operator unique_of(Signature call, std::vector<Sample> samples, Words words) {
  return {.call = std::move(call),
          .domain = {.everywhere = kOrdered + DTypes{ACL_BOOL},
                     .arrange = arrange_unique,
                     .samples = std::move(samples),
                     .value_samples = {{{{"self", Shape{5, 100}}}}}},
          .results = {.reference = unique, .bound = kExact, .nan_goes_through = false},
          .words = std::move(words)};
}

void add_different(std::vector<Operator>& all) {
  const Parameter self = of_elements(in("self"), {1, 1, -2, 0, 0, 3, -2, 1, 2, 2, -1});
  const Parameter sorted = flag("sorted", true), inverse = flag("returnInverse", true);
  const Parameter counts = flag("returnCounts", true), dim = integer("dim", 0);
  const auto number = [](const char* name, Shape shape) {
    return typed(shaped(out(name), std::move(shape)), ACL_INT64);
  };
  const Parameter y = shaped(out("y"), {8}), y_inverse = number("yInverse", {2, 4});
  const std::vector<Sample> samples = {{}, {{{"sorted", 0.0}, {"returnInverse", 0.0}}}};
  all.push_back(unique_of(ACLGRAD_CALL(aclnnUnique, self, sorted, inverse, y, y_inverse), samples,
                          {"the different elements in order, and the place among them of each",
                           "去重并排序的元素，及各元素的位置", "", "unique"}));
  all.push_back(unique_of(
      ACLGRAD_CALL(aclnnUnique2, self, sorted, inverse, counts, y, y_inverse,
                   number("yCounts", {8})),
      samples + std::vector<Sample>{{{{"returnCounts", 0.0}}}},
      {"the different elements in order, the place among them of each, and how often each is there",
       "去重并排序的元素，各元素的位置与出现次数", "", "unique2"}));
  // Slices along the first dimension lie behind each other; those along others have gaps.
  const Parameter rows = of_elements(in("self"), {1, 2, 0, 3, 1, 2, 0, 3, -1, 2, 0, 3});
  all.push_back(unique_of(
      ACLGRAD_CALL(aclnnUniqueDim, rows, sorted, inverse, dim, out("y"), number("yInverse", {2}),
                   number("yCounts", {2})),
      {{{{"dim", 0.0}}}, {{{"dim", 1.0}, {"returnInverse", 0.0}}}, {{{"dim", -1.0}}}},
      {"the different slices along dim in order, the place of each, and how often it is there",
       "沿 dim 去重并排序的切片，各切片的位置与出现次数", "", "unique_dim"}));
  all.back().error_inputs = {bad_dim(2), bad_dim(-3)};
  all.push_back(unique_of(
      ACLGRAD_CALL(aclnnUniqueConsecutive, self, inverse, counts, integer("dim", kNoDim), y,
                   y_inverse, number("yCounts", {8})),
      {{},
       {{{"returnInverse", 0.0}}},
       {{{"returnCounts", 0.0}}},
       {{{"dim", 0.0}}},
       {{{"dim", -1.0}, {"returnInverse", 0.0}}}},
      {"the elements, or slices along dim, without those that are equal to the one before",
       "去除与前一个相等的元素（或沿 dim 的切片）", "", "unique_consecutive"}));
  all.back().error_inputs = {bad_dim(2), bad_dim(-3)};
}

// ---- Not 0 --------------------------------------------------------------------------------------

Arrays nonzero(const Arguments& a, const Arrays& in) {
  const Shape& shape = in[0].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<Shape> found;
  dense::generate(shape, [&](const Shape& position) -> Number {
    if (dense::at(in[0], position) != 0) found.push_back(position);
    return 0;
  });
  const auto count = static_cast<int64_t>(found.size());
  const bool by_dimension = a.op().name() == "aclnnNonzeroV2";
  return {
      dense::generate(by_dimension ? Shape{rank, count} : Shape{count, rank}, [&](const Shape& at) {
        const auto [element, d] = by_dimension ? std::pair(at[1], at[0]) : std::pair(at[0], at[1]);
        return static_cast<Number>(found[static_cast<size_t>(element)][static_cast<size_t>(d)]);
      })};
}

Operator nonzero_of(Signature call, bool by_dimension, Words words) {
  return {
      .call = std::move(call),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange =
                     [by_dimension](Arguments& a) {
                       const Shape& self = a.shape("self");
                       const auto rank = static_cast<int64_t>(self.size());
                       const int64_t count = count_of(self);
                       a.reshape({"out"}, by_dimension ? Shape{rank, count} : Shape{count, rank});
                     },
                 .value_samples = {{{{"self", Shape{70000}}}}, {{{"self", Shape{50, 2, 30}}}}}},
      .results = {.reference = nonzero, .bound = kExact, .nan_goes_through = false},
      .words = std::move(words)};
}

void add_nonzero(std::vector<Operator>& all) {
  const Parameter self = of_elements(in("self"), {0, 2, 0, 0, -1, 1, 3, 0, 0, 1, 1});
  all.push_back(nonzero_of(
      ACLGRAD_CALL(aclnnNonzero, self, typed(shaped(out("out"), {8, 2}), ACL_INT64)), false,
      {"the indices of the elements that are not 0, a row for each", "非零元素的下标，每行一个", "",
       "nonzero"}));
  all.push_back(nonzero_of(
      ACLGRAD_CALL(aclnnNonzeroV2, self, typed(shaped(out("out"), {2, 8}), ACL_INT64)), true,
      {"the indices of the elements that are not 0, a column for each", "非零元素的下标，每列一个",
       "", "nonzero_v2"}));
}

}  // namespace

void add_unique(std::vector<Operator>& all) {
  add_different(all);
  add_nonzero(all);
}

}  // namespace aclgrad::contract
