// SPDX-License-Identifier: Apache-2.0
// Numbers at equal distances, and numbers of classes as rows.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_one_hot.h"
#include "aclnnop/aclnn_range.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace numbering {

// ---- Arange, Range ------------------------------------------------------------------------------

Sample bounds(double start, double end, double step) {
  return {{{"start", start}, {"end", end}, {"step", step}}};
}

std::vector<std::pair<std::string, ParameterSpec>> scalars(double start, double end, double step) {
  return {{"step", ScalarSpec{step, ACL_INT64}},
          {"start", ScalarSpec{start, ACL_INT64}},
          {"end", ScalarSpec{end, ACL_INT64}}};
}

Operator spaced(Signature call, bool with_end, Words words) {
  // In one dimension, or in two, where the count has such sizes.
  const auto arrange = [with_end](Arguments& a) {
    const Number steps = (a.number("end") - a.number("start")) / a.number("step");
    const auto count = static_cast<int64_t>(with_end ? std::floor(steps) + 1 : std::ceil(steps));
    const bool is_matrix = a.is_set("out") && count % 3 == 0;
    a.shape("out") = is_matrix ? Shape{count / 3, 3} : Shape{count};
  };
  const auto reference = [](const Arguments& a, const Arrays&) {
    Array numbers = dense::full(a.shape("out"));
    for (size_t i = 0; i < numbers.values.size(); ++i) {
      numbers.values[i] = a.number("start") + static_cast<Number>(i) * a.number("step");
    }
    return Arrays{numbers};
  };
  Sample matrix = bounds(-3, with_end ? 8 : 9, 1);
  matrix.settings.emplace_back("out", Shape{4, 3});
  return {.call = std::move(call),
          .domain = {.everywhere = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT64, ACL_INT32},
                     // As integers these are others.
                     .also_refuses =
                         [](const Arguments& a, std::string_view, aclDataType dtype) {
                           return is_whole(dtype) &&
                                  a.number("step") != std::trunc(a.number("step"));
                         },
                     .max_rank = kAnyRank,
                     .grows = !with_end,
                     .base = "out",
                     .base_shape = {kN},
                     .arrange = arrange,
                     .samples = {bounds(-3, 9, 1), bounds(7, -8, -3), bounds(-1.5, 2.125, 0.25),
                                 matrix}},
          .results = selected(reference),
          .error_inputs = {{.what = "= 0", .changes = scalars(0, 1, 0), .words = {"is 0"}},
                           {.what = "that leads away",
                            .changes = scalars(0, 1, -1),
                            .words = {"is -1"}},
                           {.what = "with more numbers than out has",
                            .changes = scalars(0, 3, 1),
                            .words = {with_end ? "must have 4 elements" : "must have 3 elements"}}},
          .words = std::move(words)};
}

void add_spaced(std::vector<Operator>& all) {
  const Parameter start = number("start", 0), end = number("end", 1), step = number("step", 1);
  all.push_back(spaced(
      ACLGRAD_CALL(aclnnArange, start, end, step, shaped(out("out"), {1})), false,
      {"numbers at equal distances", "等差数列", "arange(graph, start, end, step)", "arange"}));
  all.push_back(
      spaced(ACLGRAD_CALL(aclnnRange, start, end, step, shaped(out("out"), {2})), true,
             {"numbers at equal distances, with the end", "含终点的等差数列", "", "range"}));
  const double infinity = std::numeric_limits<double>::infinity();
  all.back().error_inputs.push_back(
      refused("end", "infinite", ScalarSpec{infinity, ACL_DOUBLE}, "finite"));
}

// ---- Linspace -----------------------------------------------------------------------------------

template <bool kMagnitude>
Arrays linspace(const Arguments& a, const Arrays&) {
  Array numbers = dense::full(a.shape("out"));
  const Number start = a.number("start"), end = a.number("end");
  const auto last = static_cast<Number>(numbers.values.size() - 1);
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    // Divided last, so that whole numbers are exact.
    const auto before = static_cast<Number>(i);
    const Number sum =
        dense::term<kMagnitude>(start * (last - before)) + dense::term<kMagnitude>(end * before);
    numbers.values[i] = last == 0 ? dense::term<kMagnitude>(start) : sum / last;
  }
  return {numbers};
}

void add_linspace(std::vector<Operator>& all) {
  // Steps without a fraction where there are integers, which are cut off.
  const auto sample = [](double start, double end, double steps) {
    return Sample{{{"start", start}, {"end", end}, {"steps", steps}}};
  };
  Results results = selected(linspace<false>);
  results.bound = {.of_float = 0.5001, .of_double = 2};
  results.magnitude = linspace<true>;
  all.push_back({
      .call = ACLGRAD_CALL(aclnnLinspace, number("start", 1), number("end", 3), integer("steps", 8),
                           any_shape(out("out"))),
      .domain = {.everywhere = without(kSummed, ACL_BOOL),
                 .grows = false,
                 .base = "out",
                 .base_shape = {kN},
                 .arrange =
                     [](Arguments& a) {
                       a.shape("out") = {static_cast<int64_t>(a.number("steps"))};
                     },
                 .samples = {sample(1, 9, 5), sample(7, 0, 15), sample(5, 9, 1), sample(2, 2, 3)},
                 .value_samples = {sample(0, 96, 3073), sample(100, 1, 100)}},
      .results = results,
      .error_inputs = {wrong_number("steps", 7, "steps, 7"),
                       wrong_number("steps", -8, "steps, -8")},
      .words = {"numbers of equal steps between two", "区间内等距的数",
                "linspace(graph, start, end, steps, dtype)", "linspace"},
  });
}

// ---- OneHot -------------------------------------------------------------------------------------

size_t axis_of_classes(const Arguments& a) {
  const auto axis = static_cast<int64_t>(a.number("axis"));
  const auto rank = static_cast<int64_t>(a.shape("self").size());
  if (axis < -1 || axis > rank) throw std::invalid_argument("the classes have no such dimension");
  return static_cast<size_t>(axis == -1 ? rank : axis);
}

void add_one_hot(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    Shape shape = a.shape("self");
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis_of_classes(a)),
                 static_cast<int64_t>(a.number("numClasses")));
    a.shape("out") = shape;
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const size_t axis = axis_of_classes(a);
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      Shape from = at;
      from.erase(from.begin() + static_cast<ptrdiff_t>(axis));
      const bool is_on = dense::at(in[0], from) == static_cast<Number>(at[axis]);
      return in[is_on ? 1 : 2].values.at(0);
    })};
  };
  const Parameter self = typed(filled(in("self", -1, 6), 1), ACL_INT64);
  all.push_back({
      .call = ACLGRAD_CALL(aclnnOneHot, self, integer("numClasses", 3),
                           shaped(in("onValue", 3, 3), {1}), shaped(in("offValue", 2, 2), {1}),
                           integer("axis", -1), shaped(out("out"), {2, 4, 3})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .max_rank = 7,
                 .grows = false,
                 .base = "self",
                 .base_shape = {kN, 3},
                 .arrange = arrange,
                 .samples = {{{{"axis", -1.0}, {"numClasses", 5.0}}},
                             {{{"axis", 0.0}, {"numClasses", 4.0}}},
                             {{{"axis", 1.0}, {"numClasses", 1.0}}},
                             {{{"axis", 2.0}, {"numClasses", 7.0}}}},
                 .value_samples = {{{{"self", Shape{900}}, {"numClasses", 6.0}}}}},
      .results = selected(reference),
      .error_inputs = {wrong_number("axis", 3, "[-1, 2]"), wrong_number("axis", -2, "[-1, 2]"),
                       wrong_number("numClasses", 4, "[2, 4, 4]"),
                       refused("onValue", "of two elements", of_shape({2}), "[2]")},
      .words = {"one value at the number of a class, another elsewhere", "独热编码",
                "one_hot(x, classes, dtype)", "one_hot"},
  });
}

}  // namespace numbering
}  // namespace

void add_numbers(std::vector<Operator>& all) {
  numbering::add_spaced(all);
  numbering::add_linspace(all);
  numbering::add_one_hot(all);
}

}  // namespace aclgrad::contract
