// SPDX-License-Identifier: Apache-2.0
// Triangles, elements in another order or shape, conversions, copies.
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_flatten.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

const DTypes kEvery = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE,    ACL_INT8,
                       ACL_INT16,  ACL_INT32,   ACL_INT64, ACL_UINT8,     ACL_UINT16,
                       ACL_UINT32, ACL_UINT64,  ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};

// Values leave the smallest integers on both sides.
Parameter source(std::string name) { return any_dtype(filled(in(std::move(name), -300, 300), 5)); }

// A sample for each dtype that a parameter can have.
std::vector<Sample> every_dtype(const char* parameter) {
  std::vector<Sample> samples;
  for (const aclDataType dtype : kEvery) samples.push_back({{{parameter, dtype}}});
  return samples;
}

ErrorInput wrong_target(const char* what, aclDataType dtype, std::string word,
                        aclnnStatus status = 161002) {
  return {.what = what,
          .changes = {{"dtype", DtypeSpec{dtype}}},
          .status = status,
          .words = {std::move(word)}};
}

void add_cast(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    a.shape("out") = a.shape("self");
    a.tensor("out").dtype = a.dtype_of("dtype");
  };
  const auto also_refuses = [](const Arguments& a, std::string_view product, aclDataType) {
    return a.dtype_of("dtype") == ACL_BF16 && (product == "Ascend910" || product == "Ascend310P");
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnCast, source("self"), option(dtype_named("dtype", ACL_FLOAT), "into"),
                       any_dtype(typed(out("out"), ACL_FLOAT))),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .also_refuses = also_refuses,
                 .arrange = arrange,
                 .samples = every_dtype("dtype")},
      .results = {.formula = of_one([](const auto& x) { return x; }),
                  .complex = Complex::kParts,
                  .bound = {.of_float = 0.5001}},
      .error_inputs = {wrong_target("that does not exist", ACL_DT_UNDEFINED, "DT_UNDEFINED"),
                       refused("dtype", "without a name", int64_t{77}, "DT_UNKNOWN(77)"),
                       wrong_target("that is not out's", ACL_FLOAT16, "DT_FLOAT16", 561103)},
      .words = {"conversion to a dtype", "转换数据类型", "cast(x, dtype)", "cast"},
  });
}

void add_copy(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    if (!a.is_set("src")) a.shape("src") = a.shape("selfRef");
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const aclDataType to = a.dtype_of("selfRef").value_or(a.dtype());
    return Arrays{dense::map(dense::expand(in[0], a.shape("selfRef")),
                             [&](Number x) { return converted(x, a.dtype(), to); })};
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnInplaceCopy, option(any_dtype(out("selfRef")), "into", Sets::kDtype),
                       option(source("src"), "other", Sets::kShape)),
      .domain = {.everywhere = kNumbers + kUnsigned + DTypes{ACL_BF16},
                 .from_a2_on = {},
                 .arrange = arrange,
                 .samples =
                     std::vector<Sample>{{},
                                         {{{"src", Shape{4}}}},
                                         {{{"src", Shape{3, 1}}, {"selfRef", ACL_FLOAT16}}}} +
                     every_dtype("selfRef")},
      .results = {.formula = of_one([](const auto& x) { return x; }),
                  .reference = reference,
                  .complex = Complex::kParts,
                  .bound = {.of_float = 0.5001}},
      .words = {"broadcast copy with conversion", "广播拷贝，必要时转换类型",
                "copy(x), contiguous(x), assign(variable, x)", "copy"},
  });
}

// ---- Tril, Triu ---------------------------------------------------------------------------------

Operator triangle(Signature call, bool is_lower, Words words) {
  const auto also_accepts = [](const Arguments&, std::string_view product, aclDataType dtype) {
    return product == "Ascend950" && dtype == ACL_COMPLEX64;
  };
  const auto reference = [is_lower](const Arguments& a, const Arrays& in) {
    return Arrays{dense::generate(in[0].shape, [&](const Shape& at) {
      if (at.size() < 2) throw std::invalid_argument("a triangle does not fit the tensor");
      const auto distance = static_cast<Number>(at[at.size() - 1] - at[at.size() - 2]);
      const Number diagonal = a.number("diagonal");
      const bool is_kept = is_lower ? distance <= diagonal : distance >= diagonal;
      return is_kept ? dense::at(in[0], at) : Number{0};
    })};
  };
  return {.call = std::move(call),
          .domain = {.everywhere =
                         without(without(kNumbers, ACL_COMPLEX64), ACL_COMPLEX128) + kUnsigned,
                     .also_accepts = also_accepts,
                     .equal_formats = true,
                     .samples = samples_of("diagonal", {0, 1, -2})},
          .results = {.reference = reference,
                      .complex = Complex::kParts,
                      .bound = {.of_float = 0.5001},
                      .nan_goes_through = false},
          .error_inputs = {{.what = "of rank 1",
                            .changes = {{"self", TensorSpec{{4}}}, {"out", TensorSpec{{4}}}},
                            .words = {"[4]"}}},
          .words = std::move(words)};
}

void add_triangles(std::vector<Operator>& all) {
  const Parameter self = in("self"), diagonal = integer("diagonal", 0), result = out("out");
  const Operator lower = triangle(ACLGRAD_CALL(aclnnTril, self, diagonal, result), true,
                                  {"the lower triangle", "下三角", "tril(x, diagonal)", "tril"});
  const Operator upper = triangle(ACLGRAD_CALL(aclnnTriu, self, diagonal, result), false,
                                  {"the upper triangle", "上三角", "triu(x, diagonal)", "triu"});
  all.insert(all.end(), {lower, as_const(in_place_of(lower, ACLGRAD_CALL(aclnnInplaceTril))), upper,
                         in_place_of(upper, ACLGRAD_CALL(aclnnInplaceTriu))});
}

// ---- Flip, Roll ---------------------------------------------------------------------------------

// Of a dimension of a tensor, counted from the front.
size_t named_dim(int64_t dim, const Shape& shape) {
  const auto n = static_cast<int64_t>(shape.size());
  if (dim < -n || dim >= n) throw std::invalid_argument("the dims do not fit the tensor");
  return static_cast<size_t>(dim < 0 ? dim + n : dim);
}

int64_t modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

Number flipped(const Arguments& a, const Array& self, Shape at) {
  for (const int64_t dim : a.array("dims")) {
    int64_t& place = at[named_dim(dim, at)];
    place = self.shape[named_dim(dim, at)] - 1 - place;
  }
  return dense::at(self, at);
}

Number rolled(const Arguments& a, const Array& x, Shape at) {
  const Shape& shifts = a.array("shifts");
  const Shape& dims = a.array("dims");
  if (shifts.size() != std::max<size_t>(dims.size(), 1)) {
    throw std::invalid_argument("there is not one shift for each of the dims");
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t d = named_dim(dims[i], at);
    at[d] = modulo(at[d] - shifts[i], x.shape[d]);
  }
  if (!dims.empty()) return dense::at(x, at);
  int64_t place = 0;
  for (size_t d = 0; d < at.size(); ++d) place = place * x.shape[d] + at[d];
  return x.values[static_cast<size_t>(modulo(place - shifts[0], count_of(x.shape)))];
}

Operator reordered(Signature call, Number (*element)(const Arguments&, const Array&, Shape),
                   std::vector<Sample> samples, Words words) {
  const auto reference = [element](const Arguments& a, const Arrays& in) {
    return Arrays{
        dense::generate(in[0].shape, [&](const Shape& at) { return element(a, in[0], at); })};
  };
  return {.call = std::move(call),
          .domain = {.everywhere = kNumbers + kUnsigned, .samples = std::move(samples)},
          .results = {.reference = reference,
                      .complex = Complex::kParts,
                      .bound = {.of_float = 0.5001}},
          .error_inputs = {refused("dims", "with an entry out of range", Shape{2}, "an entry 2")},
          .words = std::move(words)};
}

void add_reorderings(std::vector<Operator>& all) {
  all.push_back(
      reordered(ACLGRAD_CALL(aclnnFlip, in("self"), list("dims", {-1}), out("out")), flipped,
                {{{{"dims", Shape{-1}}}}, {{{"dims", Shape{0, 2}}}}, {{{"dims", Shape{1, 0, -1}}}}},
                {"elements in the opposite order along dimensions", "沿若干维翻转", "flip(x, dims)",
                 "flip"}));
  all.back().error_inputs.push_back(refused("dims", "that name one twice", Shape{1, -1}, "twice"));
  all.push_back(reordered(
      ACLGRAD_CALL(aclnnRoll, in("x"), values("shifts", {1}), list("dims", {-1}), out("out")),
      rolled,
      {{{{"shifts", Shape{1}}, {"dims", Shape{-1}}}},
       {{{"shifts", Shape{-4, 7}}, {"dims", Shape{0, 1}}}},
       {{{"shifts", Shape{1, 1, 5}}, {"dims", Shape{2, -1, 1}}}},
       {{{"shifts", Shape{5}}, {"dims", Shape{}}}},
       {{{"shifts", Shape{-1}}, {"dims", Shape{}}}}},
      {"elements shifted along dimensions, round the end; without dims: as one line",
       "沿若干维循环移位；dims 为空时按一维", "roll(x, shifts, dims)", "roll"}));
  all.back().error_inputs.push_back(
      wrong_values("shifts", "of two numbers for one of the dims", {1, 1}, "[1, 1]"));
}

// ---- Expand, Flatten ----------------------------------------------------------------------------

void add_shapes(std::vector<Operator>& all) {
  const auto expand_to_size = [](Arguments& a) {
    Shape out = a.array("size");
    const Shape& self = a.shape("self");
    if (out.size() < self.size()) throw std::invalid_argument("size has too few entries");
    for (size_t d = 0; d < self.size(); ++d) {
      int64_t& size = out[out.size() - self.size() + d];
      if (size == -1) size = self[d];
      if (self[d] != 1 && self[d] != size) throw std::invalid_argument("self does not broadcast");
    }
    a.shape("out") = out;
  };
  const auto moved_values = [](Reference reference) {
    return Results{.reference = std::move(reference),
                   .complex = Complex::kParts,
                   .bound = {.of_float = 0.5001}};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnExpand, in("self"),
                           option({"size", SizesSpec{{2, 4}}}, "size", Sets::kList), out("out")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = expand_to_size,
                 .samples = {{{{"size", Shape{-1, -1, -1}}}},
                             {{{"size", Shape{2, 1, -1, 3, 4}}}},
                             {{{"self", Shape{3, 1}}, {"size", Shape{2, -1, 5}}}}}},
      .results = moved_values([](const Arguments& a, const Arrays& in) {
        return Arrays{dense::expand(in[0], a.shape("out"))};
      }),
      .error_inputs = {refused("size", "of another size than self", SizesSpec{{2, 3}}, "[2, 3]"),
                       refused("size", "below -1", SizesSpec{{-2, 2, 4}}, "[-2, 2, 4]"),
                       refused("size", "that keeps what is not there", SizesSpec{{-1, 2, 4}},
                               "[-1, 2, 4]"),
                       refused("size", "of too few entries", SizesSpec{{4}}, "[4]"),
                       refused("out", "of another size", of_shape({1, 2, 4}), "[1, 2, 4]")},
      .words = {"a tensor broadcast to a size, as a copy", "广播到给定形状的拷贝", "", "expand"},
  });

  const auto flatten = [](Arguments& a) {
    const Shape& self = a.shape("self");
    const auto rank = static_cast<int64_t>(self.size());
    auto axis = static_cast<int64_t>(a.number("axis"));
    if (axis < -rank || axis > rank) throw std::invalid_argument("self has no such axis");
    const auto middle = self.begin() + (axis < 0 ? axis + rank : axis);
    a.shape("out") = {count_of(Shape(self.begin(), middle)), count_of(Shape(middle, self.end()))};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnFlatten, in("self"), integer("axis", 1), out("out")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = flatten,
                 .samples = samples_of("axis", {1, 0, 2, -1, -3, 3})},
      .results = moved_values([](const Arguments& a, const Arrays& in) {
        return Arrays{{a.shape("out"), in[0].values}};
      }),
      .error_inputs = {wrong_number("axis", 3, "[-2, 2]"), wrong_number("axis", -3, "[-2, 2]"),
                       refused("out", "of another size", of_shape({8}), "[2, 4]")},
      .words = {"a tensor as a matrix, as a copy", "展平为矩阵的拷贝", "", "flatten"},
  });
}

}  // namespace

void add_movement(std::vector<Operator>& all) {
  add_triangles(all);
  add_reorderings(all);
  add_shapes(all);
  add_cast(all);
  add_copy(all);
}

}  // namespace aclgrad::contract
