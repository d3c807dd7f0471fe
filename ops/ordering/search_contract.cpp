// SPDX-License-Identifier: Apache-2.0
// Places in sequences, counts of numbers and of elements in intervals.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_bucketize.h"
#include "aclnnop/aclnn_histc.h"
#include "aclnnop/aclnn_searchsorted.h"
#include "ops/ordering/ordering_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Places in sequences ------------------------------------------------------------------------

// As many elements as are smaller, or with `right` not larger.
Number place_in(const Number* sequence, int64_t length, Number x, bool right) {
  return static_cast<Number>(std::count_if(
      sequence, sequence + length, [&](Number each) { return right ? each <= x : each < x; }));
}

Array places_in(const Arguments& a, const Array& sequence, const Array& self) {
  const int64_t length = sequence.shape.back();
  const bool is_one = sequence.shape.size() == 1;
  Array places = self;
  for (size_t i = 0; i < places.values.size(); ++i) {
    const int64_t row = is_one ? 0 : static_cast<int64_t>(i) / self.shape.back();
    places.values[i] = place_in(sequence.values.data() + row * length, length, self.values[i],
                                a.number("right") != 0);
  }
  return places;
}

Results places(Reference reference) {
  return {.reference = std::move(reference), .bound = kExact, .nan_goes_through = false};
}

void add_places(std::vector<Operator>& all) {
  const Parameter int32 = flag("outInt32"), right = flag("right");
  const Parameter result = typed(out("out"), ACL_INT64);
  const Parameter sequence = shaped(of_elements(in("sortedSequence"), {-3, -1, 1, 1, 2}), {5});
  // In order in dtypes without a sign, too.
  const std::vector<Number> numbers = {0, 1, 1, 2, 4};
  const Parameter sorter =
      optional(typed(shaped(of_elements(in("sorter"), {0, 1, 2, 3, 4}), {5}), ACL_INT64));
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSearchSorted, any_shape(any_dtype(of_elements(sequence, numbers))),
                           any_dtype(in("self")), int32, right, sorter, result),
      .domain = {.everywhere = kOrdered,
                 .base = "self",
                 .arrange =
                     [](Arguments& a) {
                       if (!a.is_set("sortedSequence")) a.shape("sortedSequence") = {5};
                       a.reshape({"out"}, a.shape("self"));
                     },
                 .samples = {{},
                             {{{"right", 1.0}, {"outInt32", 1.0}, {"out", ACL_INT32}}},
                             {{{"sortedSequence", Shape{kN, 3, 5}}}},
                             {{{"sorter", Shape{5}}}}}},
      .results = places(
          [](const Arguments& a, const Arrays& in) { return Arrays{places_in(a, in[0], in[1])}; }),
      .error_inputs = {refused("out", "of INT32 without outInt32",
                               TensorSpec{.shape = {2, 4}, .dtype = ACL_INT32}, "INT32"),
                       refused("sortedSequence", "of other rows", of_shape({3, 5}), "[3, 5]")},
      .words = {"the places at which elements belong in sorted sequences", "元素在有序序列中的位置",
                "searchsorted(sequence, numbers, options)", "searchsorted"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSearchSorteds, any_shape(of_elements(sequence, numbers)),
                           number("self", 1), int32, right, sorter,
                           typed(shaped(out("out"), {}), ACL_INT64)),
      .domain = {.everywhere = kOrdered,
                 .base_shape = {5},
                 .arrange =
                     [](Arguments& a) {
                       if (a.shape("sortedSequence").size() != 1) {
                         throw std::invalid_argument("no sequence");
                       }
                     },
                 .samples = {{}, {{{"self", 3.0}, {"right", 1.0}}}, {{{"sorter", Shape{5}}}}}},
      .results = places([](const Arguments& a, const Arrays& in) {
        const Array self{{}, {a.number("self")}};
        return Arrays{places_in(a, in[0], self)};
      }),
      .words = {"the place at which a number belongs in a sorted sequence",
                "标量在有序序列中的位置", "", "searchsorteds"},
  });
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnBucketize, any_dtype(in("self")),
                       any_shape(any_dtype(shaped(of_elements(in("boundaries"), numbers), {5}))),
                       int32, right, result),
      .domain = {.everywhere = kOrdered,
                 .arrange =
                     [](Arguments& a) {
                       a.shape("boundaries") = {5};
                       a.reshape({"out"}, a.shape("self"));
                     },
                 .samples = {{}, {{{"right", 1.0}, {"outInt32", 1.0}, {"out", ACL_INT32}}}}},
      .results = places(
          [](const Arguments& a, const Arrays& in) { return Arrays{places_in(a, in[1], in[0])}; }),
      .words = {"in which interval between boundaries elements lie", "元素所在的区间",
                "bucketize(x, boundaries, right)", "bucketize"},
  });
}

// ---- Counts -------------------------------------------------------------------------------------

Arrays bincount(const Arguments& a, const Arrays& in) {
  Array counts = dense::full(a.shape("out"));
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const auto number = static_cast<size_t>(in[0].values[i]);
    if (number < counts.values.size()) {
      counts.values[number] += in.size() > 1 ? in[1].values[i] : 1;
    }
  }
  return {counts};
}

// By the formula of the header, in DOUBLE.
Arrays histogram(const Arguments& a, const Arrays& in) {
  auto low = static_cast<double>(a.number("min")), high = static_cast<double>(a.number("max"));
  if (low == high) {
    low = static_cast<double>(*std::ranges::min_element(in[0].values));
    high = static_cast<double>(*std::ranges::max_element(in[0].values));
  }
  const auto bins = static_cast<double>(a.number("bins"));
  Array counts = dense::full(a.shape("out"));
  for (const Number each : in[0].values) {
    const auto x = static_cast<double>(each);
    if (x < low || x > high) continue;
    const double place = std::min((x - low) * bins / (high - low), bins - 1);
    ++counts.values[static_cast<size_t>(place)];
  }
  // What the dtype does not hold wraps, or is rounded.
  return {dense::map(counts,
                     [&](Number x) { return is_whole(a.dtype()) ? wrapped(x, a.dtype()) : x; })};
}

void add_counts(std::vector<Operator>& all) {
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnBincount, any_shape(shaped(typed(in("self", 0, 6), ACL_INT64), {8})),
          optional(shaped(typed(in("weights"), ACL_FLOAT), {8})), integer("minlength", 0),
          any_shape(typed(shaped(out("out"), {6}), ACL_INT64))),
      .domain = {.everywhere = kFloats,
                 .base_shape = {kN},
                 .arrange =
                     [](Arguments& a) {
                       if (a.shape("self").size() != 1) throw std::invalid_argument("no list");
                     },
                 .samples = {{},
                             {{{"out", ACL_INT32}, {"minlength", 6.0}}},
                             {{{"weights", Shape{kN}}, {"out", ACL_FLOAT}}}},
                 .value_samples = {{{{"self", Shape{3000}}}}}},
      .results = {.reference = bincount, .bound = {.of_float = 0.51}, .nan_goes_through = false},
      .error_inputs = {wrong_number("minlength", -1, "-1"),
                       refused("self", "of two dimensions",
                               TensorSpec{.shape = {2, 4}, .dtype = ACL_INT64}, "[2, 4]")},
      .words = {"how often each number is there, or the sum of its weights",
                "各数出现的次数或权重之和", "bincount(x, size, weights)", "bincount"},
  });
  const double infinity = std::numeric_limits<double>::infinity();
  all.push_back({
      .call = ACLGRAD_CALL(aclnnHistc, any_shape(in("self")), integer("bins", 4), number("min", -3),
                           number("max", 3), shaped(out("out"), {4})),
      .domain = {.everywhere = kOrdered,
                 .grows = false,
                 .arrange =
                     [](Arguments& a) {
                       a.shape("out") = {static_cast<int64_t>(a.number("bins"))};
                     },
                 .samples = {{},
                             {{{"bins", 7.0}, {"min", -1.0}, {"max", 2.0}}},
                             {{{"min", 0.0}, {"max", 0.0}}}},
                 .value_samples = {{{{"self", Shape{30, 100}}}}}},
      .results = {.reference = histogram,
                  .bound = {.of_float = 0.5, .of_16_bits = 0.5},
                  .nan_goes_through = false},
      .error_inputs = {wrong_number("bins", 0, "bins"),
                       refused("min", "above max", ScalarSpec{4}, "4 and 3"),
                       refused("max", "infinite", ScalarSpec{infinity}, "finite")},
      .words = {"how many elements lie in each of equal intervals", "各等宽区间内的元素个数",
                "histc(x, bins, min, max)", "histc"},
  });
}

}  // namespace

void add_searches(std::vector<Operator>& all) {
  add_places(all);
  add_counts(all);
}

}  // namespace aclgrad::contract
