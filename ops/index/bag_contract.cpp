// SPDX-License-Identifier: Apache-2.0
// Bags of embeddings, and slices and rows that are held to a norm.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_embedding_bag.h"
#include "aclnnop/aclnn_embedding_renorm.h"
#include "aclnnop/aclnn_renorm.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Norms
// --------------------------------------------------------------------------------------

constexpr Bound kOfNorms{.of_float = 0.5005, .of_double = 64};

Number factor_of(const std::vector<Number>& slice, Number p, Number most) {
  const Number norm = norm_of(slice, p);
  return norm > most ? most / (norm + 1e-7L) : 1;
}

Arrays renorm(const Arguments& a, const Arrays& in) {
  const size_t axis = axis_of(a, in[0].shape);
  std::vector<std::vector<Number>> slices(static_cast<size_t>(in[0].shape[axis]));
  dense::generate(in[0].shape, [&](const Shape& at) {
    slices[static_cast<size_t>(at[axis])].push_back(dense::at(in[0], at));
    return Number{0};
  });
  return {dense::generate(in[0].shape, [&](const Shape& at) {
    return dense::at(in[0], at) *
           factor_of(slices[static_cast<size_t>(at[axis])], a.number("p"), a.number("maxNorm"));
  })};
}

// Inputs: selfRef, indices.
Arrays renorm_rows(const Arguments& a, const Arrays& in) {
  Array out = in[0];
  const auto columns = static_cast<size_t>(out.shape[1]);
  for (int64_t row = 0; row < out.shape[0]; ++row) {
    const bool is_named = std::any_of(in[1].values.begin(), in[1].values.end(), [&](Number each) {
      return from_front(each, out.shape[0]) == row;
    });
    if (!is_named) continue;
    Number* const x = &out.values[static_cast<size_t>(row) * columns];
    const Number factor = factor_of({x, x + columns}, a.number("normType"), a.number("maxNorm"));
    std::for_each(x, x + columns, [factor](Number& each) { each *= factor; });
  }
  return {out};
}

void add_norms(std::vector<Operator>& all) {
  const auto sample = [](double p, double dim, double most) {
    return Sample{{{"p", p}, {"dim", dim}, {"maxNorm", most}}};
  };
  const std::vector<ErrorInput> error_inputs = {
      refused("p", "= 0", ScalarSpec{0}, "is 0"),
      refused("p", "that is no number", ScalarSpec{std::nan("")}, "above 0"),
      refused("maxNorm", "that is negative", ScalarSpec{-1, ACL_INT64}, "is -1"),
      refused("dim", "out of range", int64_t{2}, "is 2")};
  const Parameter p = scalar("p", 2), dim = integer("dim", 0), most = number("maxNorm", 1);
  all.push_back({
      .call = ACLGRAD_CALL(aclnnRenorm, in("self"), p, dim, most, out("out")),
      .domain = {.everywhere = kFloatsAndDouble,
                 .arrange =
                     [](Arguments& a) {
                       const Shape shape = a.shape(a.has("self") ? "self" : "selfRef");
                       if (shape.size() < 2 || axis_of(a, shape) >= shape.size()) {
                         throw std::invalid_argument("there are no slices along dim");
                       }
                       a.reshape({"out"}, shape);
                     },
                 .samples = {sample(2, 0, 3), sample(1, 1, 20), sample(3, -1, 0.5),
                             sample(HUGE_VAL, 0, 3.5)},
                 .value_samples = {{{{"self", Shape{3, 1100}}}},
                                   {{{"self", Shape{600, 3}}, {"dim", 1.0}}}}},
      .results = {.reference = renorm, .bound = kOfNorms, .nan_goes_through = false},
      .error_inputs = error_inputs,
      .words = {"slices, those of a norm above maxNorm scaled down to it",
                "沿一维的切片，范数超过 maxNorm 的缩放到该值", "renorm(x, p, dim, max_norm)",
                "renorm"},
  });
  Parameter overwritten = in("selfRef");
  all.push_back(in_place_of(all.back(), ACLGRAD_CALL(aclnnInplaceRenorm, overwritten, p, dim, most),
                            error_inputs));
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  all.push_back({
      .call = ACLGRAD_CALL(aclnnEmbeddingRenorm, any_shape(overwritten),
                           any_shape(indices("indices", {3})), Parameter{"maxNorm", 1.0},
                           Parameter{"normType", 2.0}),
      .domain = {.everywhere = kFloatsAndDouble,
                 .grows = false,
                 .base_shape = {5, kN},
                 .arrange =
                     [](Arguments& a) {
                       const Shape& rows = a.shape("selfRef");
                       if (rows.size() != 2 || rows[0] == 0) {
                         throw std::invalid_argument("embeddings are rows VxD");
                       }
                       limit(a.tensor("indices"), -rows[0], rows[0] - 1);
                     },
                 .samples = {{{{"maxNorm", 3.0}}},
                             {{{"maxNorm", 5.0}, {"normType", 1.0}, {"indices", Shape{2, 3}}}}},
                 .value_samples = {{{{"selfRef", Shape{300, 70}}, {"indices", Shape{500}}}}}},
      .results = {.reference = renorm_rows, .bound = kOfNorms, .nan_goes_through = false},
      .error_inputs = {refused("normType", "= 0", 0.0, "is 0"),
                       refused("normType", "that is no number", std::nan(""), "above 0"),
                       refused("maxNorm", "that is negative", -1.0, "is -1"),
                       refused("selfRef", "without rows", of_shape({4}), "at least 2")},
      .words = {"rows that are named, those of a norm above maxNorm scaled "
                "down to it",
                "按下标的各行，范数超过 maxNorm 的缩放到该值", "", "embedding_renorm"},
  });
}

// ---- Bags ---------------------------------------------------------------------------------------

// All offsets are 0 here: the last bag has all indices, or with a last offset no bag has any.
void arrange_bags(Arguments& a) {
  const Shape& weight = a.shape("weight");
  if (weight.size() != 2 || weight[0] == 0) {
    throw std::invalid_argument("embeddings are rows VxD");
  }
  limit(a.tensor("indices"), -weight[0], weight[0] - 1);
  limit(a.tensor("offsets"), 0, 0);
  const bool has_last = a.number("includeLastOffset") != 0;
  const int64_t bags = a.shape("offsets")[0] - (has_last ? 1 : 0);
  a.shape("output") = {bags, weight[1]};
  if (!a.is_set("offset2bag")) a.shape("offset2bag") = a.shape("indices");
  a.shape("bagSize") = {bags};
  a.shape("maxIndices") = a.number("mode") == 2 ? a.shape("output") : Shape{bags};
}

// Inputs: weight, indices, offsets, and perSampleWeights if given.
template <bool kMagnitudes>
Arrays bags(const Arguments& a, const Arrays& in) {
  const Shape shape = a.shape("output");
  const auto count = static_cast<size_t>(shape[0]), columns = static_cast<size_t>(shape[1]);
  Array out = dense::full(shape), best = dense::full(shape), size = dense::full({shape[0]});
  const bool has_last = a.number("includeLastOffset") != 0;
  Array bag_of = dense::full(a.shape("offset2bag"), has_last ? shape[0] : shape[0] - 1);
  for (size_t i = 0; !has_last && count > 0 && i < in[1].values.size(); ++i) {
    const int64_t row = from_front(in[1].values[i], in[0].shape[0]);
    if (static_cast<Number>(row) == a.number("paddingIdx")) continue;
    const Number share = in.size() > 3 ? in[3].values[i] : 1;
    for (size_t c = 0; c < columns; ++c) {
      const Number x = in[0].values[static_cast<size_t>(row) * columns + c];
      Number& to = out.values[(count - 1) * columns + c];
      if (a.number("mode") != 2) {
        to += dense::term<kMagnitudes>(share * x);
      } else if (size.values.back() == 0 || x > to) {
        to = x;
        best.values[(count - 1) * columns + c] = static_cast<Number>(row);
      }
    }
    size.values.back() += 1;
  }
  if (a.number("mode") == 1 && count > 0 && size.values.back() > 0) {
    for (size_t c = 0; c < columns; ++c) {
      out.values[(count - 1) * columns + c] /= size.values.back();
    }
  }
  if (a.number("mode") != 2) best = Array{a.shape("maxIndices"), {}};
  return {out, bag_of, size, best};
}

void add_bags(std::vector<Operator>& all) {
  const auto integers = [](const char* name, Shape shape) {
    return typed(shaped(out(name), std::move(shape)), ACL_INT64);
  };
  const auto sample = [](double mode, std::vector<std::pair<std::string, Setting>> more) {
    Sample made{{{"mode", mode}, {"indices", Shape{7}}, {"offsets", Shape{2}}}};
    made.settings.insert(made.settings.end(), more.begin(), more.end());
    return made;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnEmbeddingBag, in("weight"), indices("indices", {3}),
                           indices("offsets", {1}, 0), flag("scaleGradByFreq"), integer("mode", 0),
                           flag("sparse"), optional(shaped(in("perSampleWeights"), {3})),
                           flag("includeLastOffset"), integer("paddingIdx", -1),
                           shaped(out("output"), {1, 4}), integers("offset2bag", {3}),
                           integers("bagSize", {1}), integers("maxIndices", {1})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .grows = false,
                 .base_shape = {5, kN},
                 .arrange = arrange_bags,
                 .samples = {sample(0, {}), sample(0, {{"perSampleWeights", Shape{7}}}),
                             sample(1, {{"paddingIdx", 2.0}}), sample(2, {{"paddingIdx", 1.0}})},
                 .value_samples = {sample(0, {{"weight", Shape{5, 1100}}}),
                                   sample(2, {{"weight", Shape{5, 1100}}}),
                                   sample(1, {{"includeLastOffset", 1.0}}),
                                   sample(0, {{"offset2bag", Shape{0}}})}},
      .results = {.reference = bags<false>,
                  .bound = {.of_float = 0.5005, .of_double = 16},
                  .magnitude = bags<true>,
                  .nan_goes_through = false},
      .error_inputs =
          {wrong_number("mode", 3, "is 3"),
           wrong_number("mode", -1, "is -1"),
           {.what = "of means",
            .changes = {{"perSampleWeights", of_shape({3})}, {"mode", int64_t{1}}},
            .words = {"mode is 1"}},
           refused("perSampleWeights", "of another size", of_shape({2}), "[2]"),
           refused("weight", "without rows", of_shape({4}), "at least 2"),
           refused("indices", "of rank 2", TensorSpec{.shape = {1, 3}, .dtype = ACL_INT64},
                   "has 2"),
           refused("offsets", "of rank 2", TensorSpec{.shape = {1, 1}, .dtype = ACL_INT64},
                   "has 2"),
           {.what = "without the last",
            .changes = {{"offsets", TensorSpec{.shape = {0}, .dtype = ACL_INT64}},
                        {"includeLastOffset", true}},
            .words = {"last offset"}},
           refused("offset2bag", "of another size",
                   TensorSpec{.shape = {2}, .dtype = ACL_INT64, .role = Role::kOutput}, "[2]"),
           refused("maxIndices", "of another size",
                   TensorSpec{.shape = {2}, .dtype = ACL_INT64, .role = Role::kOutput}, "[2]"),
           {.what = "of another size for the largest",
            .changes = {{"maxIndices",
                         TensorSpec{.shape = {1}, .dtype = ACL_INT64, .role = Role::kOutput}},
                        {"mode", int64_t{2}}},
            .words = {"[1, 4]"}}},
      .words = {"sums, means or largest elements of bags of rows", "按袋对各行求和、平均或取最大",
                "embedding_bag(weight, indices, offsets)", "embedding_bag"},
  });
}

}  // namespace

void add_embedding_bags(std::vector<Operator>& all) {
  add_bags(all);
  add_norms(all);
}

}  // namespace aclgrad::contract
