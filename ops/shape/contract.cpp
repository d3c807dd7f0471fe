// SPDX-License-Identifier: Apache-2.0
// Dimensions reordered, tensors joined, cut, padded and tiled.
#include <algorithm>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // beyond every end

// Values are copied.
Results moved(Reference reference) {
  return {
      .reference = std::move(reference), .complex = Complex::kParts, .bound = {.of_float = 0.5001}};
}

[[noreturn]] void does_not_fit(const std::string& what) {
  throw std::invalid_argument(what + " does not fit the tensor");
}

// Dimension `dim` of a tensor of a rank, counted from the front.
size_t axis_in(const Arguments& a, size_t rank) {
  const auto dim = static_cast<int64_t>(a.number("dim"));
  const auto n = static_cast<int64_t>(rank);
  if (dim < -n || dim >= n) does_not_fit("dim " + std::to_string(dim));
  return static_cast<size_t>(dim < 0 ? dim + n : dim);
}

ErrorInput wrong_dim(double dim, std::string word) {
  return refused("dim", "out of range", static_cast<int64_t>(dim), std::move(word));
}

// ---- Permute ------------------------------------------------------------------------------------

std::vector<size_t> order_of(const Arguments& a) {
  std::vector<size_t> order;
  const Shape& self = a.shape("self");
  for (const int64_t dim : a.array("dims")) {
    const auto n = static_cast<int64_t>(self.size());
    const auto front = static_cast<size_t>(dim < 0 ? dim + n : dim);
    if (front >= self.size() || std::ranges::count(order, front) > 0) does_not_fit("dims");
    order.push_back(front);
  }
  if (order.size() != self.size()) does_not_fit("dims");
  return order;
}

void add_permute(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    Shape out;
    for (const size_t dim : order_of(a)) out.push_back(a.shape("self")[dim]);
    a.shape("out") = out;
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& to) {
      Shape from(to.size());
      for (size_t i = 0; i < to.size(); ++i) from[order_of(a)[i]] = to[i];
      return dense::at(in[0], from);
    })};
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnPermute, in("self"), list("dims", {1, 0}), shaped(out("out"), {4, 2})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = arrange,
                 .samples = {{{{"dims", Shape{2, 0, 1}}}},
                             {{{"dims", Shape{1, 0, -1}}}},
                             {{{"dims", Shape{0, 2, 1}}}}}},
      .results = moved(reference),
      .error_inputs = {refused("dims", "with an entry out of range", Shape{0, 7}, "an entry 7"),
                       {.what = "of rank 9",
                        .changes = {{"self", TensorSpec{Shape(9, 1)}},
                                    {"dims", Shape{0, 1, 2, 3, 4, 5, 6, 7, 8}},
                                    {"out", TensorSpec{Shape(9, 1)}}},
                        .words = {"has 9"}}},
      .words = {"dimensions in another order", "重排维度", "", "permute"},
  });
}

// ---- Cat, Stack ---------------------------------------------------------------------------------

std::vector<Parameter> two_joined(Shape out_shape) {
  return {member(promotes(in("tensors[0]")), "tensors"),
          member(promotes(in("tensors[1]")), "tensors"), integer("dim", 0),
          any_dtype(promotes(shaped(out("out"), std::move(out_shape))))};
}

void add_joins(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape first = a.shape("tensors[0]");
    const size_t axis = axis_in(a, first.size());
    a.shape("tensors[1]") = a.shape("out") = first;
    a.shape("tensors[1]")[axis] += 1;
    a.shape("out")[axis] = 2 * first[axis] + 1;
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const size_t axis = axis_in(a, in[0].shape.size());
    return Arrays{dense::generate(a.shape("out"), [&](Shape at) {
      const size_t k = at[axis] < in[0].shape[axis] ? 0 : 1;
      if (k == 1) at[axis] -= in[0].shape[axis];
      return dense::at(in[k], at);
    })};
  };
  all.push_back({
      .call = signature_of<decltype(aclnnCatGetWorkspaceSize)>("aclnnCat", two_joined({4, 4})),
      .domain = {.everywhere = without(kNumbers, ACL_COMPLEX128),
                 .also_accepts =
                     [](const Arguments&, std::string_view product, aclDataType dtype) {
                       return product == "Ascend950" && std::ranges::count(kUnsigned, dtype) > 0;
                     },
                 .arrange = arrange,
                 .samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}}},
      .results = moved(reference),
      .error_inputs = {wrong_dim(2, "is 2"),
                       refused("tensors[1]", "of a dtype without a common one",
                               TensorSpec{.dtype = ACL_UINT16}, "DT_UINT16", "Ascend950")},
      .words = {"tensors one behind the other", "沿已有维度拼接", "cat({a, b}, dim)", "cat"},
  });

  std::vector<Parameter> stacked = two_joined({2, 2, 4});
  std::get<TensorSpec>(stacked[3].spec).if_null = 561103;
  const auto stack_arrange = [](Arguments& a) {
    Shape out = a.shape("tensors[0]");
    a.shape("tensors[1]") = out;
    out.insert(out.begin() + static_cast<ptrdiff_t>(axis_in(a, out.size() + 1)), 2);
    a.shape("out") = out;
  };
  const auto stack_reference = [](const Arguments& a, const Arrays& in) {
    const size_t axis = axis_in(a, in[0].shape.size() + 1);
    return Arrays{dense::generate(a.shape("out"), [&](Shape at) {
      const auto k = static_cast<size_t>(at[axis]);
      at.erase(at.begin() + static_cast<ptrdiff_t>(axis));
      return dense::at(in[k], at);
    })};
  };
  all.push_back({
      .call = signature_of<decltype(aclnnStackGetWorkspaceSize)>("aclnnStack", stacked),
      .domain =
          {.everywhere = kNumbers + kUnsigned,
           .max_rank = 7,
           // the number of tensors does not
           .grows = false,
           .arrange = stack_arrange,
           .samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}, {{{"dim", -4.0}}}}},
      .results = moved(stack_reference),
      .error_inputs = {wrong_dim(3, "is 3"),
                       refused("tensors[1]", "of a dtype without a common one",
                               TensorSpec{.dtype = ACL_UINT16}, "DT_UINT16")},
      .words = {"tensors along a new dimension", "沿新维度堆叠", "stack({a, b}, dim)", "stack"},
  });
}

// ---- Slice, SliceV2 -----------------------------------------------------------------------------

const DTypes kSliceable = {ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_INT8,
                           ACL_INT32, ACL_UINT8,   ACL_BOOL,  ACL_DOUBLE};

struct Range {
  int64_t start;
  int64_t step;
  int64_t count;
};

Range range_of(int64_t size, int64_t start, int64_t end, int64_t step) {
  const auto limited = [size](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  if (step < 1) does_not_fit("step");
  const int64_t length = std::max<int64_t>(limited(end) - limited(start), 0);
  return {limited(start), step, (length + step - 1) / step};
}

Shape sliced(Shape shape, size_t axis, const Range& range) {
  shape[axis] = range.count;
  return shape;
}

Array slice(const Array& a, size_t axis, const Range& range) {
  return dense::generate(sliced(a.shape, axis, range), [&](Shape at) {
    at[axis] = range.start + at[axis] * range.step;
    return dense::at(a, at);
  });
}

Range range_of(const Arguments& a) {
  const Shape& self = a.shape("self");
  const auto number = [&a](const char* name) { return static_cast<int64_t>(a.number(name)); };
  return range_of(self[axis_in(a, self.size())], number("start"), number("end"), number("step"));
}

void add_slices(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape& self = a.shape("self");
    a.shape("out") = sliced(self, axis_in(a, self.size()), range_of(a));
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    return Arrays{slice(in[0], axis_in(a, in[0].shape.size()), range_of(a))};
  };
  const auto sample = [](double dim, double start, double end, double step) {
    return Sample{{{"dim", dim}, {"start", start}, {"end", end}, {"step", step}}};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSlice, in("self"), integer("dim", -1), integer("start", 0),
                           integer("end", kFar), integer("step", 2), shaped(out("out"), {2, 2})),
      .domain = {.everywhere = kSliceable,
                 .arrange = arrange,
                 .samples = {sample(1, 1, 2, 1), sample(-1, -3, static_cast<double>(kFar), 2),
                             sample(0, 0, 1, 1), sample(2, 0, -1, 1)}},
      .results = moved(reference),
      .error_inputs = {wrong_dim(2, "is 2"), refused("step", "0", int64_t{0}, "is 0"),
                       refused("end", "= 1", int64_t{1}, "[2, 1]")},
      .words = {"a range of a dimension, with a step", "沿一维按步长切片",
                "slice(x, dim, start, end, step)", "slice"},
  });

  // Which of the arrays have an entry for each axis.
  static constexpr const char* kArrays[] = {"starts", "ends", "steps"};
  const auto several_arrange = [](Arguments& a) {
    Shape out = a.shape("self");
    for (const char* array : kArrays) {
      if (a.array(array).size() != a.array("axes").size()) does_not_fit(array);
    }
    for (size_t i = 0; i < a.array("axes").size(); ++i) {
      const auto n = static_cast<int64_t>(out.size());
      const int64_t axis = a.array("axes")[i];
      if (axis < -n || axis >= n) does_not_fit("axes");
      const auto front = static_cast<size_t>(axis < 0 ? axis + n : axis);
      out[front] =
          range_of(out[front], a.array("starts")[i], a.array("ends")[i], a.array("steps")[i]).count;
    }
    a.shape("out") = out;
  };
  const auto several_reference = [](const Arguments& a, const Arrays& in) {
    Array out = in[0];
    for (size_t i = 0; i < a.array("axes").size(); ++i) {
      const int64_t axis = a.array("axes")[i];
      const auto n = static_cast<int64_t>(out.shape.size());
      const auto front = static_cast<size_t>(axis < 0 ? axis + n : axis);
      out = slice(out, front,
                  range_of(out.shape[front], a.array("starts")[i], a.array("ends")[i],
                           a.array("steps")[i]));
    }
    return Arrays{out};
  };
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnSliceV2, in("self"), option({"starts", SizesSpec{{0}}}, "starts", Sets::kList),
          option({"ends", SizesSpec{{2}}}, "ends", Sets::kList), list("axes", {-1}),
          option({"steps", SizesSpec{{1}}}, "steps", Sets::kList), shaped(out("out"), {2, 2})),
      .domain = {.everywhere = kSliceable,
                 .arrange = several_arrange,
                 .samples = {{{{"starts", Shape{1, 0}},
                               {"ends", Shape{3, kFar}},
                               {"axes", Shape{1, -1}},
                               {"steps", Shape{1, 3}}}},
                             {{{"starts", Shape{-2}}, {"ends", Shape{kFar}}}}}},
      .results = moved(several_reference),
      .error_inputs = {refused("steps", "of two numbers", SizesSpec{{1, 1}}, "[1, 1]"),
                       refused("steps", "with 0", SizesSpec{{0}}, "is 0")},
      .words = {"ranges of several dimensions, with steps", "沿多维按步长切片", "", "slice_v2"},
  });
}

// ---- SplitTensor, SplitWithSize -----------------------------------------------------------------

const DTypes kSplittable = kNumbers + DTypes{ACL_BF16};

bool unsigned_on_950(const Arguments&, std::string_view product, aclDataType dtype) {
  return product == "Ascend950" && std::ranges::count(kUnsigned, dtype) > 0;
}

// The two chunks; one that there is not has no values, and the output stays as it was.
Arrays chunks(const Arguments& a, const Array& self, const Shape& sizes) {
  const size_t axis = axis_in(a, self.shape.size());
  Arrays out;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    const int64_t left = self.shape[axis] - start;
    if (left == 0) {
      out.push_back({self.shape, {}});
      continue;
    }
    out.push_back(slice(self, axis, {start, 1, std::min(size, left)}));
    start += out.back().shape[axis];
  }
  return out;
}

void add_splits(std::vector<Operator>& all) {
  const auto sizes = [](const Arguments& a) {
    const auto size = static_cast<int64_t>(a.number("splitSections"));
    return Shape{size, size};
  };
  const auto arrange = [sizes](Arguments& a) {
    const Shape self = a.shape("self");
    const int64_t extent = self[axis_in(a, self.size())];
    const int64_t size = sizes(a)[0];
    if (size < 1 || extent > 2 * size) does_not_fit("splitSections");
    const Arrays two =
        chunks(a, {self, std::vector<Number>(static_cast<size_t>(count_of(self)))}, sizes(a));
    a.shape("out[0]") = two[0].shape;
    a.shape("out[1]") = two[1].shape;
    a.tensor("out[1]").any_shape = extent <= size;  // more tensors than chunks
  };
  const auto reference = [sizes](const Arguments& a, const Arrays& in) {
    return chunks(a, in[0], sizes(a));
  };
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnSplitTensor, any_dtype(in("self")),
          option(declared(integer("splitSections", kFar), "uint64_t"), "splitSections"),
          integer("dim", 0), member(out("out[0]"), "out"), member(out("out[1]"), "out")),
      .domain = {.everywhere = kSplittable,
                 .from_a2_on = {},
                 .also_accepts = unsigned_on_950,
                 .arrange = arrange,
                 .samples = {{{{"splitSections", 2.0}, {"dim", 1.0}}},
                             {{{"splitSections", 3.0}, {"dim", -1.0}}},
                             {{{"splitSections", static_cast<double>(kFar)}, {"dim", 0.0}}}}},
      .results = moved(reference),
      .error_inputs = {wrong_dim(2, "is 2"),
                       refused("splitSections", "0", int64_t{0}, "is 0"),
                       {.what = "with too many chunks",
                        .changes = {{"splitSections", int64_t{1}}, {"dim", int64_t{1}}},
                        .words = {"at least 4"}}},
      .words = {"chunks of one size", "按固定大小切分", "split(x, size, dim)", "split_tensor"},
  });

  const auto arrange_sized = [](Arguments& a) {
    const Shape self = a.shape("self");
    const size_t axis = axis_in(a, self.size());
    const Shape& list = a.array("splitSize");
    if (list.size() != 2 || list[0] < 0 || list[1] < 0 || list[0] + list[1] != self[axis]) {
      does_not_fit("splitSize");
    }
    a.shape("out[0]") = sliced(self, axis, {0, 1, list[0]});
    a.shape("out[1]") = sliced(self, axis, {0, 1, list[1]});
  };
  const auto given_sizes = [](const Arguments& a, const Arrays& in) {
    return chunks(a, in[0], a.array("splitSize"));
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnSplitWithSize, any_dtype(in("self")),
                       option({"splitSize", SizesSpec{{2, 2}}}, "splitSize", Sets::kList),
                       integer("dim", 1), member(any_dtype(shaped(out("out[0]"), {2, 2})), "out"),
                       member(any_dtype(shaped(out("out[1]"), {2, 2})), "out")),
      .domain = {.everywhere = kSplittable,
                 .from_a2_on = {},
                 .also_accepts = unsigned_on_950,
                 .arrange = arrange_sized,
                 .samples = {{{{"splitSize", Shape{1, 2}}}},
                             {{{"splitSize", Shape{3, 1}}, {"dim", -1.0}}}}},
      .results = moved(given_sizes),
      .error_inputs = {wrong_dim(2, "is 2"),
                       refused("splitSize", "of three sizes", SizesSpec{{2, 1, 1}}, "[2, 1, 1]")},
      .words = {"chunks of given sizes", "按给定大小切分", "split(x, sizes, dim)",
                "split_with_size"},
  });
}

// ---- ConstantPadNd, Repeat ----------------------------------------------------------------------

void add_pad(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    Shape shape = a.shape("self");
    const Shape& pad = a.array("pad");
    if (pad.size() % 2 != 0 || pad.size() > 2 * shape.size()) does_not_fit("pad");
    for (size_t k = 0; k < pad.size() / 2; ++k) {
      int64_t& size = shape[shape.size() - 1 - k];
      if (std::min({pad[2 * k], pad[2 * k + 1], pad[2 * k] + pad[2 * k + 1]}) < 1 - size) {
        does_not_fit("pad");
      }
      size += pad[2 * k] + pad[2 * k + 1];
    }
    a.shape("out") = shape;
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const Shape& pad = a.array("pad");
    const Shape& self = in[0].shape;
    return Arrays{dense::generate(a.shape("out"), [&](Shape at) {
      for (size_t k = 0; k < pad.size() / 2; ++k) {
        const size_t axis = self.size() - 1 - k;
        at[axis] -= pad[2 * k];
        if (at[axis] < 0 || at[axis] >= self[axis]) return a.number("value");
      }
      return dense::at(in[0], at);
    })};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnConstantPadNd, in("self"),
                           option({"pad", SizesSpec{{2, 2}}}, "pad", Sets::kList),
                           number("value", 3), shaped(out("out"), {2, 8})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = arrange,
                 .samples = {{{{"pad", Shape{1, 2}}, {"value", 3.0}}},
                             {{{"pad", Shape{0, -1, 2, 0}}, {"value", 0.0}}},
                             {{{"pad", Shape{-1, 1, -1, -1, 1, 1}}, {"value", 1.0}}}}},
      .results = moved(reference),
      .error_inputs = {refused("pad", "that cuts too much", SizesSpec{{-5, 9}}, "[-5, 9]"),
                       refused("out", "of the first dimension", TensorSpec{{3, 8}}, "[3, 8]"),
                       {.what = "to nothing and more",
                        .changes = {{"pad", SizesSpec{{-4, 0, 2, 0}}}, {"out", TensorSpec{{4, 0}}}},
                        .words = {"[4, 0]"}},
                       {.what = "of rank 9",
                        .changes = {{"self", TensorSpec{Shape(9, 1)}},
                                    {"out", TensorSpec{Shape(9, 1)}}},
                        .words = {"has 9"}}},
      .words = {"a constant around, or less than all", "常数填充或裁剪", "pad(x, pads, value)",
                "constant_pad"},
  });
}

void add_repeat(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    Shape out = a.array("repeats");
    const Shape& self = a.shape("self");
    if (out.size() < self.size() || out.size() > 8) does_not_fit("repeats");
    for (size_t d = 0; d < out.size(); ++d) {
      if (out[d] < 1) does_not_fit("repeats");
      const size_t added = out.size() - self.size();
      if (d >= added) out[d] *= self[d - added];
    }
    a.shape("out") = out;
  };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const Shape& self = in[0].shape;
    return Arrays{dense::generate(a.shape("out"), [&](const Shape& at) {
      Shape from(at.end() - static_cast<ptrdiff_t>(self.size()), at.end());
      for (size_t d = 0; d < self.size(); ++d) from[d] %= self[d];
      return dense::at(in[0], from);
    })};
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnRepeat, in("self"),
                       option({"repeats", SizesSpec{{1, 1}}}, "repeats", Sets::kList), out("out")),
      .domain = {.everywhere = without(kNumbers + kUnsigned, ACL_UINT16) + DTypes{ACL_BF16},
                 .from_a2_on = {},
                 .also_accepts =
                     [](const Arguments&, std::string_view product, aclDataType dtype) {
                       return product != "Ascend910" && dtype == ACL_UINT16;
                     },
                 .arrange = arrange,
                 .samples = {{{{"repeats", Shape{2, 1, 3}}}}, {{{"repeats", Shape{2, 1, 1, 2}}}}}},
      .results = moved(reference),
      .error_inputs = {refused("repeats", "below 0", SizesSpec{{1, -1}}, "[1, -1]")},
      .words = {"a tensor as tiles", "平铺重复", "repeat(x, repeats)", "repeat"},
  });
}

}  // namespace

FamilyContracts shape_contracts() {
  std::vector<Operator> all;
  add_permute(all);
  add_joins(all);
  add_slices(all);
  add_splits(all);
  add_pad(all);
  add_repeat(all);
  add_movement(all);
  add_fills(all);
  return {{"Shapes, copies, conversions", "形状、复制与转换"}, std::move(all)};
}

}  // namespace aclgrad::contract
