// SPDX-License-Identifier: Apache-2.0
// Elements and rows by their numbers, and numbers at equal distances.
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_select.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// What all have in common: values are copied.
Operator selecting(Operator op, std::string check, Text computes, std::string in_graph) {
  op.results.bound = {.of_float = 0.5001};
  op.results.complex = Complex::kParts;
  op.words.check = std::move(check);
  op.words.computes = std::move(computes);
  op.words.in_graph = std::move(in_graph);
  op.results.nan_goes_through = false;  // those of elements that no number names do not
  return op;
}

// Numbers of elements; `fill` in the right call.
Parameter indices(std::string name, Shape shape, double fill = 1) {
  return typed(filled(shaped(in(std::move(name), 0, 1), std::move(shape)), fill), ACL_INT64);
}

void limit(TensorSpec& index, int64_t low, int64_t high) {
  index.low = static_cast<Number>(low);
  index.high = static_cast<Number>(high);
}

size_t checked_axis(const Arguments& a) {
  const Shape& self = a.shape("self");
  const size_t axis = axis_of(a, self);
  if (axis >= self.size() || self[axis] == 0) throw std::invalid_argument("no such dimension");
  return axis;
}

int64_t from_front(Number number, int64_t size) {
  const auto whole = static_cast<int64_t>(number);
  return whole < 0 ? whole + size : whole;
}

ErrorInput wrong_dim() { return refused("dim", "out of range", int64_t{2}, "is 2"); }

// No elements that numbers could name.
ErrorInput nothing_there(Shape index, Shape out) {
  return {.what = "without elements",
          .changes = {{"self", TensorSpec{{2, 0}}},
                      {"index", TensorSpec{.shape = std::move(index), .dtype = ACL_INT64}},
                      {"out", TensorSpec{std::move(out)}}},
          .words = {"[2, 0]"}};
}

ErrorInput many_for_a_scalar(Shape index) {
  return {.what = "of a scalar",
          .changes = {{"index", TensorSpec{.shape = std::move(index), .dtype = ACL_INT64}},
                      {"self", TensorSpec{{}}},
                      {"out", TensorSpec{{}}}},
          .words = {"[]"}};
}

// ---- A whole slice for each number --------------------------------------------------------------

// Inputs: self, index.
Arrays select(const Arguments& a, const Arrays& in) {
  const size_t axis = checked_axis(a);
  const size_t width = in[1].shape.size();
  return {dense::generate(a.shape("out"), [&](const Shape& at) {
    const auto begin = at.begin() + static_cast<ptrdiff_t>(axis);
    const Number number = dense::at(in[1], Shape(begin, begin + static_cast<ptrdiff_t>(width)));
    Shape from(at.begin(), begin);
    from.push_back(from_front(number, in[0].shape[axis]));
    from.insert(from.end(), begin + static_cast<ptrdiff_t>(width), at.end());
    return dense::at(in[0], from);
  })};
}

void arrange_selection(Arguments& a) {
  const Shape self = a.shape("self");
  const size_t axis = checked_axis(a);
  const Shape& index = a.shape("index");
  limit(a.tensor("index"), -self[axis], self[axis] - 1);
  Shape out(self.begin(), self.begin() + static_cast<ptrdiff_t>(axis));
  out.insert(out.end(), index.begin(), index.end());
  out.insert(out.end(), self.begin() + static_cast<ptrdiff_t>(axis) + 1, self.end());
  a.shape("out") = out;
}

void add_selections(std::vector<Operator>& all) {
  Operator select_all = selecting(
      contract_of<decltype(aclnnIndexSelectGetWorkspaceSize)>(
          "aclnnIndexSelect",
          {in("self"), integer("dim", -1), indices("index", {3}), shaped(out("out"), {2, 3})},
          kNumbers + kUnsigned),
      "index_select", {"slices by their numbers", "按下标选取"}, "index_select(x, dim, index)");
  select_all.domain.arrange = arrange_selection;
  select_all.results.reference = select;
  select_all.domain.samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}};
  select_all.error_inputs = {wrong_dim(), nothing_there({3}, {2, 3}), many_for_a_scalar({3})};
  all.push_back(select_all);

  Operator gather_v2 = selecting(
      contract_of<decltype(aclnnGatherV2GetWorkspaceSize)>(
          "aclnnGatherV2",
          {in("self"), integer("dim", 0), indices("index", {2, 3}), shaped(out("out"), {2, 3, 4})},
          kNumbers),
      "gather_v2", {"slices by a tensor of their numbers", "按下标张量选取"}, "");
  gather_v2.domain.also_accepts = [](const Arguments&, std::string_view product,
                                     aclDataType dtype) {
    return product == "Ascend950" && dtype == ACL_UINT16;
  };
  gather_v2.domain.arrange = arrange_selection;
  gather_v2.results.reference = select;
  gather_v2.domain.samples = {{{{"dim", 1.0}}}, {{{"dim", -1.0}, {"index", Shape{4}}}}};
  gather_v2.error_inputs = {wrong_dim(), nothing_there({2}, {2, 2}), many_for_a_scalar({3})};
  gather_v2.error_inputs[1].changes.emplace_back("dim", int64_t{1});
  all.push_back(gather_v2);
}

// ---- A number for each element ------------------------------------------------------------------

void add_gather(std::vector<Operator>& all) {
  Operator op =
      selecting(contract_of<decltype(aclnnGatherGetWorkspaceSize)>(
                    "aclnnGather",
                    {any_shape(in("self")), integer("dim", -1), indices("index", {2, 3}),
                     shaped(out("out"), {2, 3})},
                    without(without(kNumbers, ACL_COMPLEX64), ACL_COMPLEX128) + kUnsigned),
                "gather", {"an element of a dimension for each position", "逐元素按下标选取"},
                "gather(x, dim, index)");
  op.domain.arrange = [](Arguments& a) {
    Shape index = a.shape("self");
    const size_t axis = checked_axis(a);
    limit(a.tensor("index"), -index[axis], index[axis] - 1);
    index[axis] = 3;
    a.shape("index") = a.shape("out") = index;
  };
  op.results.reference = [](const Arguments& a, const Arrays& in) {
    const size_t axis = checked_axis(a);
    return Arrays{dense::generate(in[1].shape, [&](Shape at) {
      at[axis] = from_front(dense::at(in[1], at), in[0].shape[axis]);
      return dense::at(in[0], at);
    })};
  };
  op.domain.samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}};
  op.error_inputs = {wrong_dim(),
                     nothing_there({2, 3}, {2, 3}),
                     {.what = "that is larger",
                      .changes = {{"index", TensorSpec{.shape = {3, 3}, .dtype = ACL_INT64}},
                                  {"out", TensorSpec{{3, 3}}}},
                      .words = {"[3, 3]"}},
                     {.what = "of rank 9",
                      .changes = {{"self", TensorSpec{Shape(9, 1)}},
                                  {"index", TensorSpec{.shape = Shape(9, 1), .dtype = ACL_INT64}},
                                  {"out", TensorSpec{Shape(9, 1)}}},
                      .words = {"has 9"}}};
  all.push_back(op);
}

// ---- Embedding ----------------------------------------------------------------------------------

void arrange_embedding(Arguments& a) {
  const bool is_backward = a.has("grad");
  const Shape weight = a.shape(is_backward ? "out" : "weight");
  if (weight.size() != 2 || weight[0] == 0) {
    throw std::invalid_argument("embedding is checked on weights VxD");
  }
  limit(a.tensor("indices"), 0, weight[0] - 1);
  Shape rows = a.shape("indices");
  rows.push_back(weight[1]);
  a.shape(is_backward ? "grad" : "out") = rows;
  if (!is_backward) return;
  for (Parameter& each : a.parameters()) {
    if (each.name == "numWeights") each.spec = weight[0];
  }
}

// Inputs: grad, indices.
Array row_sums(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Shape& shape = a.shape("out");
  const auto columns = static_cast<size_t>(shape[1]);
  Array out{shape, std::vector<Number>(static_cast<size_t>(count_of(shape)), 0)};
  std::vector<Number> counts(static_cast<size_t>(shape[0]), 0);
  for (const Number index : in[1].values) ++counts[static_cast<size_t>(index)];
  for (size_t row = 0; row < in[1].values.size(); ++row) {
    const Number index = in[1].values[row];
    if (index == a.number("paddingIdx")) continue;
    const auto to = static_cast<size_t>(index);
    for (size_t i = 0; i < columns; ++i) {
      const Number term = in[0].values[row * columns + i];
      out.values[to * columns + i] += (magnitudes ? std::abs(term) : term) /
                                      (a.number("scaleGradByFreq") != 0 ? counts[to] : 1);
    }
  }
  return out;
}

void add_embedding(std::vector<Operator>& all) {
  Operator forward = selecting(
      contract_of<decltype(aclnnEmbeddingGetWorkspaceSize)>(
          "aclnnEmbedding",
          {in("weight"), indices("indices", {3}), as_const(shaped(out("out"), {3, 4}))}, kNumbers),
      "", {"rows by their numbers", "按下标取行"}, "embedding(weight, indices)");
  forward.domain.base_shape = {5, kN};
  forward.domain.arrange = arrange_embedding;
  forward.results.reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      const Number row = dense::at(in[1], Shape(at.begin(), at.end() - 1));
      return dense::at(in[0], {static_cast<int64_t>(row), at.back()});
    })};
  };
  forward.domain.samples = {{{{"indices", Shape{7}}}}, {{{"indices", Shape{2, 3}}}}};
  forward.domain.value_samples = {{{{"weight", Shape{300, 70}}, {"indices", Shape{500}}}}};
  forward.error_inputs = {};
  all.push_back(forward);

  Operator backward =
      selecting(contract_of<decltype(aclnnEmbeddingDenseBackwardGetWorkspaceSize)>(
                    "aclnnEmbeddingDenseBackward",
                    {any_dtype(shaped(in("grad"), {3, 4})), any_dtype(indices("indices", {3}, 0)),
                     no_option(declared(integer("numWeights", 1), "uint64_t")),
                     declared(integer("paddingIdx", -1), "uint64_t"), flag("scaleGradByFreq"),
                     as_const(any_dtype(shaped(out("out"), {1, 4})))},
                    kFloats),
                "embedding", {"sums of the rows of one number", "按下标累加各行梯度"},
                "embedding_dense_backward(g, indices, rows)");
  backward.results.complex = Complex::kUnknown;
  backward.domain.base = "out";
  backward.domain.base_shape = forward.domain.base_shape;
  backward.domain.arrange = arrange_embedding;
  backward.results.reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{row_sums(a, in, false)};
  };
  backward.results.magnitude = [](const Arguments& a, const Arrays& in) {
    return Arrays{row_sums(a, in, true)};
  };
  // A sum of DOUBLE rounds at every addition, of 8 rows at most here.
  backward.results.bound = {.of_float = 0.5005, .of_double = 8};
  backward.gradient = from_input(forward.name());
  backward.gradient->inputs = [](const Arguments&, const Arrays& in, const Arrays&,
                                 const Array& gradient) {
    return Arrays{gradient, in[1]};
  };
  backward.domain.samples = {{{{"indices", Shape{7}}}},
                             {{{"indices", Shape{2, 3}}}},
                             {{{"indices", Shape{7}}, {"paddingIdx", 2.0}}, false},
                             {{{"indices", Shape{7}}, {"scaleGradByFreq", 1.0}}, false}};
  backward.domain.value_samples = {{{{"out", Shape{300, 70}}, {"indices", Shape{500}}}}};
  backward.error_inputs = {refused("numWeights", "other than out's", int64_t{2}, "[2, 4]")};
  all.push_back(backward);
}

// ---- Arange -------------------------------------------------------------------------------------

void add_arange(std::vector<Operator>& all) {
  Operator op = selecting(
      contract_of<decltype(aclnnArangeGetWorkspaceSize)>(
          "aclnnArange",
          {number("start", 0), number("end", 1), number("step", 1), shaped(out("out"), {1})},
          {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT64, ACL_INT32}),
      "arange", {"numbers at equal distances", "等差数列"}, "arange(graph, start, end, step)");
  op.domain.base = "out";
  op.domain.base_shape = {kN};
  op.domain.max_rank = 1;
  op.domain.arrange = [](Arguments& a) {
    const Number count = (a.number("end") - a.number("start")) / a.number("step");
    a.shape("out") = {static_cast<int64_t>(std::ceil(count))};
  };
  op.results.reference = [](const Arguments& a, const Arrays&) {
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      return a.number("start") + static_cast<Number>(at[0]) * a.number("step");
    })};
  };
  const auto sample = [](double start, double end, double step) {
    return Sample{{{"start", start}, {"end", end}, {"step", step}}};
  };
  op.domain.samples = {sample(-3, 9, 1), sample(7, -8, -3), sample(-1.5, 2.125, 0.25)};
  // As integers these are others.
  op.domain.also_refuses = [](const Arguments& a, std::string_view, aclDataType dtype) {
    return is_whole(dtype) && a.number("step") != std::trunc(a.number("step"));
  };
  const auto scalars = [](double start, double end, double step) {
    return std::vector<std::pair<std::string, ParameterSpec>>{
        {"step", ScalarSpec{step, ACL_INT64}},
        {"start", ScalarSpec{start, ACL_INT64}},
        {"end", ScalarSpec{end, ACL_INT64}}};
  };
  op.error_inputs = {
      {.what = "= 0", .changes = scalars(0, 1, 0), .words = {"is 0"}},
      {.what = "that leads away", .changes = scalars(0, 1, -1), .words = {"is -1"}},
      {.what = "with more numbers than out has", .changes = scalars(0, 3, 1), .words = {"[3]"}}};
  all.push_back(op);
}

}  // namespace

FamilyContracts index_contracts() {
  FamilyContracts family{{"Indices", "索引"}, {}};
  add_selections(family.operators);
  add_gather(family.operators);
  add_embedding(family.operators);
  add_arange(family.operators);
  return family;
}

}  // namespace aclgrad::contract
