// SPDX-License-Identifier: Apache-2.0
// Elements and rows by their numbers, and numbers at equal distances.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_nd.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_select.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// No elements that numbers could name.
ErrorInput nothing_there(Shape index, Shape out, std::optional<int64_t> dim = std::nullopt) {
  ErrorInput error_input{
      .what = "without elements",
      .changes = {{"self", TensorSpec{{2, 0}}},
                  {"index", TensorSpec{.shape = std::move(index), .dtype = ACL_INT64}},
                  {"out", TensorSpec{std::move(out)}}},
      .words = {"[2, 0]"}};
  if (dim) error_input.changes.emplace_back("dim", *dim);
  return error_input;
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
  all.push_back({
      .call = ACLGRAD_CALL(aclnnIndexSelect, in("self"), integer("dim", -1), indices("index", {3}),
                           shaped(out("out"), {2, 3})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = arrange_selection,
                 .samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}}},
      .results = selected(select),
      .error_inputs = {wrong_dim(), nothing_there({3}, {2, 3}), many_for_a_scalar({3})},
      .words = {"slices by their numbers", "按下标选取", "index_select(x, dim, index)",
                "index_select"},
  });

  Operator gather_v2{
      .call = ACLGRAD_CALL(aclnnGatherV2, in("self"), integer("dim", 0), indices("index", {2, 3}),
                           shaped(out("out"), {2, 3, 4})),
      .domain = {.everywhere = kNumbers,
                 .also_accepts =
                     [](const Arguments&, std::string_view product, aclDataType dtype) {
                       return product == "Ascend950" && dtype == ACL_UINT16;
                     },
                 .arrange = arrange_selection,
                 .samples = {{{{"dim", 1.0}}}, {{{"dim", -1.0}, {"index", Shape{4}}}}}},
      .results = selected(select),
      .error_inputs = {wrong_dim(), nothing_there({2}, {2, 2}, 1), many_for_a_scalar({3})},
      .words = {"slices by a tensor of their numbers", "按下标张量选取", "", "gather_v2"}};
  all.push_back(gather_v2);
}

// ---- A number for each element ------------------------------------------------------------------

void add_gather(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    Shape index = a.shape("self");
    const size_t axis = checked_axis(a);
    limit(a.tensor("index"), -index[axis], index[axis] - 1);
    index[axis] = 3;
    a.shape("index") = a.shape("out") = index;
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const size_t axis = checked_axis(a);
    return Arrays{dense::generate(in[1].shape, [&](Shape at) {
      at[axis] = from_front(dense::at(in[1], at), in[0].shape[axis]);
      return dense::at(in[0], at);
    })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnGather, any_shape(in("self")), integer("dim", -1),
                           indices("index", {2, 3}), shaped(out("out"), {2, 3})),
      .domain = {.everywhere =
                     without(without(kNumbers, ACL_COMPLEX64), ACL_COMPLEX128) + kUnsigned,
                 .arrange = arrange,
                 .samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}}},
      .results = selected(reference),
      .error_inputs = {wrong_dim(),
                       nothing_there({2, 3}, {2, 3}),
                       {.what = "that is larger",
                        .changes = {{"index", TensorSpec{.shape = {3, 3}, .dtype = ACL_INT64}},
                                    {"out", TensorSpec{{3, 3}}}},
                        .words = {"[3, 3]"}},
                       {.what = "of rank 9",
                        .changes = {{"self", TensorSpec{Shape(9, 1)}},
                                    {"index", TensorSpec{.shape = Shape(9, 1), .dtype = ACL_INT64}},
                                    {"out", TensorSpec{Shape(9, 1)}}},
                        .words = {"has 9"}}},
      .words = {"an element of a dimension for each position", "逐元素按下标选取",
                "gather(x, dim, index)", "gather"},
  });
}

// ---- A row of coordinates for each slice --------------------------------------------------------

void add_gather_nd(std::vector<Operator>& all) {
  // The numbers are within all of the dimensions that a row has numbers of.
  const auto arrange = [](Arguments& a) {
    const Shape self = a.shape("self");
    Shape out = a.shape("indices");
    const auto numbered = static_cast<ptrdiff_t>(out.back());
    if (numbered > static_cast<ptrdiff_t>(self.size()))
      throw std::invalid_argument("too few dimensions");
    int64_t size = std::numeric_limits<int64_t>::max();
    for (auto d = self.begin(); d < self.begin() + numbered; ++d) size = std::min(size, *d);
    limit(a.tensor("indices"), a.number("negativeIndexSupport") != 0 ? -size : 0, size - 1);
    out.pop_back();
    out.insert(out.end(), self.begin() + numbered, self.end());
    a.shape("out") = out;
  };
  // Inputs: self, indices.
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const size_t positions = in[1].shape.size() - 1;
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      Shape row(at.begin(), at.begin() + static_cast<ptrdiff_t>(positions)), from;
      row.push_back(0);
      for (int64_t& d = row.back(); d < in[1].shape.back(); ++d) {
        from.push_back(from_front(dense::at(in[1], row), in[0].shape[static_cast<size_t>(d)]));
      }
      from.insert(from.end(), at.begin() + static_cast<ptrdiff_t>(positions), at.end());
      return dense::at(in[0], from);
    })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnGatherNd, in("self"), indices("indices", {4, 2}),
                           flag("negativeIndexSupport"), shaped(out("out"), {4})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .grows = false,
                 .arrange = arrange,
                 .samples = {{{{"negativeIndexSupport", 1.0}}},
                             {{{"indices", Shape{5, 1}}}},
                             {{{"indices", Shape{2, 3, 2}}, {"negativeIndexSupport", 1.0}}}}},
      .results = selected(reference),
      .error_inputs = {refused("indices", "of too many numbers",
                               TensorSpec{.shape = {4, 3}, .dtype = ACL_INT64}, "at most 2"),
                       refused("indices", "without dimensions",
                               TensorSpec{.shape = {}, .dtype = ACL_INT64}, "at least one"),
                       refused("out", "of another size", of_shape({3}), "[4]"),
                       refused("self", "without elements", of_shape({2, 0}), "[2, 0]")},
      .words = {"slices by rows of their coordinates", "按坐标行选取", "", "gather_nd"},
  });
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
  const auto reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      const Number row = dense::at(in[1], Shape(at.begin(), at.end() - 1));
      return dense::at(in[0], {static_cast<int64_t>(row), at.back()});
    })};
  };
  Operator forward{
      .call = ACLGRAD_CALL(aclnnEmbedding, in("weight"), indices("indices", {3}),
                           as_const(shaped(out("out"), {3, 4}))),
      .domain = {.everywhere = kNumbers,
                 .base_shape = {5, kN},
                 .arrange = arrange_embedding,
                 .samples = {{{{"indices", Shape{7}}}}, {{{"indices", Shape{2, 3}}}}},
                 .value_samples = {{{{"weight", Shape{300, 70}}, {"indices", Shape{500}}}}}},
      .results = selected(reference),
      .error_inputs = {},
      .words = {"rows by their numbers", "按下标取行", "embedding(weight, indices)"}};
  all.push_back(forward);

  const auto backward_reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{row_sums(a, in, false)};
  };
  const auto given = [](const Arguments&, const Arrays& in, const Arrays&, const Array& gradient) {
    return Arrays{gradient, in[1]};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnEmbeddingDenseBackward, any_dtype(shaped(in("grad"), {3, 4})),
                           any_dtype(indices("indices", {3}, 0)),
                           no_option(declared(integer("numWeights", 1), "uint64_t")),
                           declared(integer("paddingIdx", -1), "uint64_t"), flag("scaleGradByFreq"),
                           as_const(any_dtype(shaped(out("out"), {1, 4})))),
      .domain = {.everywhere = kFloats,
                 .base = "out",
                 .base_shape = forward.domain.base_shape,
                 .arrange = arrange_embedding,
                 .samples = {{{{"indices", Shape{7}}}},
                             {{{"indices", Shape{2, 3}}}},
                             {{{"indices", Shape{7}}, {"paddingIdx", 2.0}}, false},
                             {{{"indices", Shape{7}}, {"scaleGradByFreq", 1.0}}, false}},
                 .value_samples = {{{{"out", Shape{300, 70}}, {"indices", Shape{500}}}}}},
      .results = {.reference = backward_reference,
                  .complex = Complex::kUnknown,
                  // A sum of DOUBLE rounds at every addition, of 8 rows at most here.
                  .bound = {.of_float = 0.5005, .of_double = 8},
                  .magnitude = [](const Arguments& a,
                                  const Arrays& in) { return Arrays{row_sums(a, in, true)}; },
                  .nan_goes_through = false},
      .gradient = Gradient{.of = "aclnnEmbedding", .inputs = given},
      .error_inputs = {refused("numWeights", "other than out's", int64_t{2}, "[2, 4]")},
      .words = {"sums of the rows of one number", "按下标累加各行梯度",
                "embedding_dense_backward(g, indices, rows)", "embedding"},
  });
}

}  // namespace

FamilyContracts index_contracts() {
  FamilyContracts family{{"Indices", "索引"}, {}};
  add_selections(family.operators);
  add_gather(family.operators);
  add_gather_nd(family.operators);
  add_embedding(family.operators);
  add_numbers(family.operators);
  add_index_updates(family.operators);
  add_embedding_bags(family.operators);
  return family;
}

}  // namespace aclgrad::contract
