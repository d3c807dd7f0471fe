// SPDX-License-Identifier: Apache-2.0
// Elements that are taken or put by the numbers of several dimensions, and elements repeated.
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_repeat_interleave_grad.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Several indices ----------------------------------------------------------------------------

// Numbers of the first two dimensions.
void arrange_two(Arguments& a, std::string_view self, std::string_view result) {
  const Shape shape = a.shape(self);
  if (shape.size() < 2) throw std::invalid_argument("two dimensions are indexed");
  a.shape(result) = shape;
  if (a.tensor("indices[0]").optional) return;  // neither is given: all of both
  limit(a.tensor("indices[0]"), -shape[0], shape[0] - 1);
  limit(a.tensor("indices[1]"), -shape[1], shape[1] - 1);
  Shape expected = dense::broadcast_shape(a.shape("indices[0]"), a.shape("indices[1]"));
  expected.insert(expected.end(), shape.begin() + 2, shape.end());
  a.shape(result) = expected;
}

// Where in self the element of the result comes from.
Shape source_of(const Array& first, const Array& second, const Shape& self, const Shape& at) {
  const Shape common = dense::broadcast_shape(first.shape, second.shape);
  const auto width = static_cast<ptrdiff_t>(common.size());
  const Shape position(at.begin(), at.begin() + width);
  Shape from = {from_front(dense::at(dense::expand(first, common), position), self[0]),
                from_front(dense::at(dense::expand(second, common), position), self[1])};
  from.insert(from.end(), at.begin() + width, at.end());
  return from;
}

// Either is all of its dimension where it is not given, and here of as many as the dimension has.
Parameter first_index() { return optional(member(indices("indices[0]", {2}), "indices")); }
Parameter second_index() { return optional(member(indices("indices[1]", {4}), "indices")); }

void require_both(bool are_given) {
  if (!are_given) throw std::invalid_argument("index is checked with two indices");
}

// Of the right call, which gives neither.
Results with_value(Results results) {
  results.value = 1;
  return results;
}

ErrorInput do_not_broadcast(std::string result) {
  return {.what = "that do not broadcast",
          .changes = {{"indices[0]", TensorSpec{.shape = {3, 3}, .dtype = ACL_INT64}},
                      {"indices[1]", TensorSpec{.shape = {4}, .dtype = ACL_INT64}},
                      {std::move(result), TensorSpec{{3, 4}}}},
          .words = {"[3, 3]"}};
}

std::vector<Sample> index_samples() {
  return {{{{"indices[0]", Shape{3}}, {"indices[1]", Shape{3}}}},
          {{{"indices[0]", Shape{2, 1}}, {"indices[1]", Shape{5}}}},
          {{{"indices[0]", Shape{}}, {"indices[1]", Shape{4}}}}};
}

void add_indexing(std::vector<Operator>& all) {
  const auto take = [](const Arguments& a, const Arrays& in) {
    require_both(in.size() == 3);
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      return dense::at(in[0], source_of(in[1], in[2], in[0].shape, at));
    })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnIndex, in("self"), first_index(), second_index(), out("out")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .grows = false,
                 .arrange = [](Arguments& a) { arrange_two(a, "self", "out"); },
                 .samples = index_samples()},
      .results = with_value(selected(take)),
      .error_inputs = {do_not_broadcast("out"),
                       refused("out", "of another size", of_shape({4}), "[2, 4]"),
                       {.what = "of a tensor with one dimension",
                        .changes = {{"self", TensorSpec{{8}}}},
                        .words = {"at least"}},
                       {.what = "without elements",
                        .changes = {{"self", TensorSpec{{0, 4}}},
                                    {"indices[0]", TensorSpec{.shape = {2}, .dtype = ACL_INT64}}},
                        .words = {"[0, 4]"}}},
      .words = {"elements by the numbers of several dimensions, or by masks",
                "按多维下标或掩码选取", "index(x, {i, j})", "index"},
  });

  Parameter overwritten = in("selfRef");
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  // Inputs: selfRef, both indices, values.
  const auto put = [](const Arguments& a, const Arrays& in, bool magnitudes) {
    require_both(in.size() == 4);
    Array out = in[0];
    const bool adds = a.number("accumulate") != 0;
    const auto counted = [&](Number x) { return adds || magnitudes ? part(a, x, magnitudes) : x; };
    out = dense::map(out, counted);
    const Shape shape = a.shape("values");
    dense::generate(shape, [&](const Shape& at) {
      Number& to = out.values[place_of(out.shape, source_of(in[1], in[2], out.shape, at))];
      to = (adds ? to : 0) + counted(dense::at(in[3], at));
      return Number{0};
    });
    return Arrays{out};
  };
  std::vector<Sample> samples = index_samples();
  for (const Sample& each : index_samples()) {
    samples.push_back(each);
    samples.back().settings.emplace_back("accumulate", 1.0);
  }
  all.push_back({
      .call = ACLGRAD_CALL(aclnnIndexPutImpl, overwritten, first_index(), second_index(),
                           any_dtype(in("values")), flag("accumulate"), flag("unsafe")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .grows = false,
                 .arrange = [](Arguments& a) { arrange_two(a, "selfRef", "values"); },
                 .samples = samples},
      .results = with_value(summed(put)),
      .error_inputs = {do_not_broadcast("values"),
                       refused("values", "of another size", of_shape({3}), "[2, 4]"),
                       {.what = "of a tensor with one dimension",
                        .changes = {{"selfRef", TensorSpec{{8}}}},
                        .words = {"at least"}}},
      .words = {"values put, or added, where indices say", "按多维下标写入或累加", "", "index_put"},
  });
}

// ---- Repeats ------------------------------------------------------------------------------------

// All repeats on the average: their sum is that of as many twos.
constexpr int64_t kTwice = 2;

// Repeats that differ, and among them none.
std::vector<Number> repeats_for(int64_t count) {
  std::vector<Number> repeats(static_cast<size_t>(count), kTwice);
  for (size_t i = 0; i + 1 < repeats.size(); i += 2) {
    repeats[i] = i % 4 == 0 ? 3 : 0;
    repeats[i + 1] = 2 * kTwice - repeats[i];
  }
  return repeats;
}

// Whose slice stands in each place of the result, of so many slices that are repeated.
std::vector<int64_t> origins(const Array& repeats, int64_t count) {
  std::vector<int64_t> from;
  for (int64_t k = 0; k < count; ++k) {
    const size_t own = repeats.values.size() == 1 ? 0 : static_cast<size_t>(k);
    from.insert(from.end(), static_cast<size_t>(repeats.values[own]), k);
  }
  return from;
}

Parameter repeats_of(Shape shape) {
  Parameter repeats = indices("repeats", std::move(shape), kTwice);
  std::get<TensorSpec>(repeats.spec).low = std::get<TensorSpec>(repeats.spec).high = kTwice;
  return repeats;
}

// Where there is no other size for them, one for each of so many slices.
void set_repeats(Arguments& a, int64_t count) {
  TensorSpec& repeats = a.tensor("repeats");
  if (a.is_set("repeats")) {
    repeats.any_shape = true;  // another size may be right, too
    return;
  }
  repeats.shape = {count};
  repeats.elements = repeats_for(count);
}

void set_output_size(Arguments& a, int64_t size) {
  for (Parameter& each : a.parameters()) {
    if (each.name == "outputSize") each.spec = size;
  }
}

// One of all elements, or of the slices along dim.
void arrange_repeats(Arguments& a) {
  const Shape self = a.shape("self");
  Shape out = {count_of(self) * kTwice};
  int64_t repeated = count_of(self);
  if (a.has("dim")) {
    const size_t axis = checked_axis(a);
    repeated = self[axis];
    out = self;
    out[axis] *= kTwice;
  }
  set_output_size(a, repeated * kTwice);
  if (a.op().parameter("repeats").tensor() != nullptr) set_repeats(a, repeated);
  // The sum of one number, for however many elements, is known when it is read.
  a.tensor("self").any_shape = a.is_set("repeats") && !a.has("dim");
  a.shape("out") = out;
}

// Inputs: self, and repeats where they are a tensor.
Arrays repeat(const Arguments& a, const Arrays& in) {
  const Array repeats = in.size() > 1 ? in[1] : Array{{}, {kTwice}};
  const bool is_line = !a.has("dim");
  const Array self = is_line ? Array{{count_of(in[0].shape)}, in[0].values} : in[0];
  const size_t axis = is_line ? 0 : checked_axis(a);
  const std::vector<int64_t> from = origins(repeats, self.shape[axis]);
  return {dense::generate(a.shape("out"), [&](Shape at) {
    at[axis] = from.at(static_cast<size_t>(at[axis]));
    return dense::at(self, at);
  })};
}

Operator repeated(Signature call, std::vector<Sample> samples, Words words) {
  const bool by_tensor = call.parameters[1].tensor() != nullptr;
  const bool has_dim = call.parameters[2].name == "dim";
  Operator op{.call = std::move(call),
              .domain = {.everywhere = kNumbers + kUnsigned,
                         .grows = false,
                         .base_shape = has_dim ? Shape{3, kN, 4} : Shape{3, 4},
                         .arrange = arrange_repeats,
                         .samples = std::move(samples)},
              .results = selected(repeat),
              .error_inputs = {wrong_number("outputSize", 15, by_tensor ? "[15" : "must be")},
              .words = std::move(words)};
  if (by_tensor) {
    op.error_inputs[0].words = {"15"};
    op.error_inputs.push_back(refused("repeats", "of another count",
                                      TensorSpec{.shape = {3}, .fill = 2, .dtype = ACL_INT64},
                                      "one element"));
    op.error_inputs.push_back(refused("repeats", "of rank 2",
                                      TensorSpec{.shape = {1, 1}, .fill = 2, .dtype = ACL_INT64},
                                      "has 2"));
  } else {
    op.error_inputs.push_back(wrong_number("repeats", -1, "negative"));
  }
  return op;
}

void add_repeats(std::vector<Operator>& all) {
  const Parameter self = in("self"), all16 = no_option(integer("outputSize", 16)),
                  all8 = no_option(integer("outputSize", 8)), line = shaped(out("out"), {16}),
                  rows = shaped(out("out"), {2, 8}), times = no_option(integer("repeats", kTwice)),
                  dim = integer("dim", 1);
  const std::vector<Sample> along = {{{{"dim", 0.0}}}, {{{"dim", 2.0}}}, {{{"dim", -1.0}}}};
  const std::vector<Sample> one_for_all = {{}, {{{"repeats", Shape{1}}}}, {{{"repeats", Shape{}}}}};
  all.push_back(repeated(ACLGRAD_CALL(aclnnRepeatInterleave, self, repeats_of({8}), all16, line),
                         one_for_all,
                         {"elements several times each", "逐元素重复", "", "repeat_interleave"}));
  all.push_back(
      repeated(ACLGRAD_CALL(aclnnRepeatInterleaveWithDim, self, repeats_of({4}), dim, all8, rows),
               along + std::vector<Sample>{{{{"dim", 0.0}, {"repeats", Shape{1}}}}},
               {"slices several times each", "沿一维逐片重复",
                "repeat_interleave(x, repeats, output_size, dim)"}));
  all.push_back(repeated(
      ACLGRAD_CALL(aclnnRepeatInterleaveInt, self, times, all16, line), {{}},
      {"elements one number of times each", "逐元素重复固定次数", "", "repeat_interleave_int"}));
  all.push_back(
      repeated(ACLGRAD_CALL(aclnnRepeatInterleaveIntWithDim, self, times, dim, all8, rows), along,
               {"slices one number of times each", "沿一维逐片重复固定次数",
                "repeat_interleave(x, 2, dim)", "repeat_interleave_int_dim"}));

  const auto numbers = [](const Arguments& a, const Arrays& in) {
    const std::vector<int64_t> from = origins(in[0], in[0].shape[0]);
    return Arrays{{a.shape("out"), {from.begin(), from.end()}}};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnRepeatInterleaveTensor, any_shape(repeats_of({4})), all8,
                           typed(shaped(out("out"), {8}), ACL_INT64)),
      .domain = {.everywhere = {ACL_FLOAT},  // whatever: it is in no tensor

                 .from_a2_on = {},
                 .max_rank = 1,
                 .grows = false,
                 .base_shape = {5},
                 .arrange =
                     [](Arguments& a) {
                       if (a.shape("repeats").size() != 1) {
                         throw std::invalid_argument("repeats has one dimension");
                       }
                       set_repeats(a, a.shape("repeats")[0]);
                       a.shape("out") = {a.shape("repeats")[0] * kTwice};
                       set_output_size(a, a.shape("out")[0]);
                     }},
      .results = selected(numbers),
      .error_inputs = {wrong_number("outputSize", 7, "[7]"),
                       {.what = "without dimensions",
                        .changes = {{"repeats",
                                     TensorSpec{.shape = {}, .fill = 8, .dtype = ACL_INT64}}},
                        .words = {"repeats"}}},
      .words = {"numbers, each several times", "按次数重复的序号", "", "repeat_interleave_tensor"},
  });

  const auto sums = [](const Arguments& a, const Arrays& in, bool magnitudes) {
    const size_t axis = axis_of(a, in[0].shape, "axis");
    const std::vector<int64_t> from = origins(in[1], a.shape("gradIn")[axis]);
    Array out = dense::full(a.shape("gradIn"));
    dense::generate(in[0].shape, [&](Shape at) {
      const Number term = part(a, dense::at(in[0], at), magnitudes);
      at[axis] = from.at(static_cast<size_t>(at[axis]));
      out.values[place_of(out.shape, at)] += term;
      return Number{0};
    });
    return Arrays{out};
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnRepeatInterleaveGrad, shaped(in("gradOut"), {2, 8}), repeats_of({4}),
                       option(integer("axis", 1), "dim"), shaped(out("gradIn"), {2, 4})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .grows = false,
                 .base = "gradIn",
                 .base_shape = {3, kN, 4},
                 .arrange =
                     [](Arguments& a) {
                       const Shape shape = a.shape("gradIn");
                       const size_t axis = axis_of(a, shape, "axis");
                       if (axis >= shape.size()) throw std::invalid_argument("no such axis");
                       a.shape("gradOut") = shape;
                       a.shape("gradOut")[axis] *= kTwice;
                       set_repeats(a, shape[axis]);
                     },
                 .samples = {{{{"axis", 0.0}, {"dim", 0.0}}},
                             {{{"axis", -1.0}, {"dim", -1.0}}},
                             {{{"axis", 1.0}, {"dim", 1.0}, {"repeats", Shape{1}}}}},
                 .value_samples = {{{{"gradIn", Shape{300, 700}}, {"axis", 0.0}}},
                                   {{{"gradIn", Shape{3000}}, {"axis", 0.0}}}}},
      .results = summed(sums),
      .gradient = Gradient{.of = "aclnnRepeatInterleaveWithDim",
                           .inputs =
                               [](const Arguments&, const Arrays& in, const Arrays&,
                                  const Array& gradient) {
                                 return Arrays{gradient, in[1]};
                               }},
      .error_inputs = {wrong_number("axis", 2, "is 2"),
                       refused("repeats", "of another count",
                               TensorSpec{.shape = {3}, .fill = 2, .dtype = ACL_INT64}, "[2, 3]"),
                       refused("repeats", "of rank 2",
                               TensorSpec{.shape = {2, 2}, .fill = 2, .dtype = ACL_INT64},
                               "has 2")},
      .words = {"sums of the slices that came from one", "把重复切片的梯度累加回原处", "",
                "repeat_interleave_dim"},
  });
}

}  // namespace

void add_index_updates(std::vector<Operator>& all) {
  add_slices_by_number(all);
  add_scatter(all);
  add_masks(all);
  add_puts(all);
  add_indexing(all);
  add_repeats(all);
}

}  // namespace aclgrad::contract
