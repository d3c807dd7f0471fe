// SPDX-License-Identifier: Apache-2.0
// Elements and slices put in the places that numbers say.
#include <algorithm>
#include <stdexcept>

#include "aclnnop/aclnn_put.h"
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace putting {

Parameter overwritten(Parameter tensor) {
  std::get<TensorSpec>(tensor.spec).role = Role::kInPlace;
  return tensor;
}

// Inputs: selfRef, index, source.
Arrays put_flat(const Arguments& a, const Arrays& in, bool magnitudes) {
  const bool adds = a.number("accumulate") != 0;
  const auto counted = [&](Number x) { return adds || magnitudes ? part(a, x, magnitudes) : x; };
  Array out = dense::map(in[0], counted);
  const int64_t size = count_of(out.shape);
  for (size_t k = 0; k < in[1].values.size(); ++k) {
    Number& to = out.values.at(static_cast<size_t>(from_front(in[1].values[k], size)));
    to = (adds ? to : 0) + counted(in[2].values[k]);
  }
  return {out};
}

void add_put(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const int64_t size = count_of(a.shape("selfRef"));
    if (size == 0) throw std::invalid_argument("selfRef has no elements");
    limit(a.tensor("index"), -size, size - 1);
    a.shape("source") = a.shape("index");
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplacePut, any_shape(overwritten(in("selfRef"))),
                           indices("index", {3}), shaped(in("source"), {3}), flag("accumulate")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .also_refuses =
                     [](const Arguments& a, std::string_view, aclDataType dtype) {
                       return a.number("accumulate") != 0 &&
                              std::count(kUnsigned.begin(), kUnsigned.end(), dtype) > 0;
                     },
                 .arrange = arrange,
                 .samples = {{{{"accumulate", 0.0}}},
                             {{{"accumulate", 1.0}}},
                             {{{"accumulate", 1.0}, {"index", Shape{2, 2}}}},
                             {{{"accumulate", 0.0}, {"index", Shape{}}}}},
                 .value_samples = {{{{"selfRef", Shape{70, 90}}, {"index", Shape{900}}}}}},
      .results = summed(put_flat),
      .error_inputs = {refused("source", "of another size", of_shape({2, 2}), "must have 3"),
                       refused("selfRef", "without elements", of_shape({0, 4}), "[0, 4]"),
                       {.what = "of UINT16 that is added to",
                        .changes = {{"selfRef", of_shape({2, 4})}, {"accumulate", true}},
                        .words = {"UINT16"},
                        .dtype = ACL_UINT16}},
      .words = {"elements put, or added, by their numbers in the order of rows",
                "按行优先序号写入或累加", "", "put"},
  });
}

void add_update(std::vector<Operator>& all) {
  const auto axis = [](const Arguments& a) {
    const Shape& data = a.shape("data");
    const size_t found = axis_of(a, data, "axis");
    if (found == 0 || found >= data.size()) throw std::invalid_argument("no such dimension");
    return found;
  };
  const auto arrange = [axis](Arguments& a) {
    Shape shape = a.shape("data");
    const int64_t size = shape[axis(a)];
    const int64_t length = std::max<int64_t>(size - 2, std::min<int64_t>(size, 1));
    limit(a.tensor("indices"), 0, size - length);
    a.shape("indices") = {shape[0]};
    shape[axis(a)] = length;
    a.shape("updates") = shape;
  };
  const auto reference = [axis](const Arguments& a, const Arrays& in) {
    Array out = in[0];
    dense::generate(in[2].shape, [&](const Shape& at) {
      Shape to = at;
      to[axis(a)] += static_cast<int64_t>(in[1].values[static_cast<size_t>(at[0])]);
      out.values[place_of(out.shape, to)] = dense::at(in[2], at);
      return Number{0};
    });
    return Arrays{out};
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnInplaceScatterUpdate, overwritten(in("data")), indices("indices", {2}),
                       shaped(in("updates"), {2, 3}), integer("axis", -1)),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .base_shape = {kN, 3, 8, 2},
                 .arrange = arrange,
                 .samples = samples_of("axis", {-2, 1, -1}),
                 .value_samples = {{{{"data", Shape{5, 700, 40}}, {"axis", 1.0}}}}},
      .results = selected(reference),
      .error_inputs = {wrong_number("axis", 2, "is 2"), wrong_number("axis", 0, "batches"),
                       refused("updates", "that is larger", of_shape({2, 5}), "[2, 5]")},
      .words = {"a part of each batch, as of a cache", "更新各批次的一段（如键值缓存）", "",
                "scatter_update"},
  });
}

void add_scatter_nd(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const Shape &data = a.shape("data"), &indices = a.shape("indices");
    const auto named = static_cast<size_t>(indices.empty() ? 0 : indices.back());
    if (named == 0 || named > data.size()) throw std::invalid_argument("no such dimensions");
    const auto split = data.begin() + static_cast<ptrdiff_t>(named);
    limit(a.tensor("indices"), 0, *std::min_element(data.begin(), split) - 1);
    Shape updates(indices.begin(), indices.end() - 1);
    updates.insert(updates.end(), split, data.end());
    a.shape("updates") = updates;
    a.shape("out") = data;
  };
  const auto reference = [](const Arguments&, const Arrays& in) {
    Array out = in[0];
    const size_t positions = in[1].shape.size() - 1;
    dense::generate(in[2].shape, [&](const Shape& at) {
      const auto split = at.begin() + static_cast<ptrdiff_t>(positions);
      Shape number(at.begin(), split), to;
      number.push_back(0);
      for (; number.back() < in[1].shape.back(); ++number.back()) {
        to.push_back(static_cast<int64_t>(dense::at(in[1], number)));
      }
      to.insert(to.end(), split, at.end());
      out.values[place_of(out.shape, to)] = dense::at(in[2], at);
      return Number{0};
    });
    return Arrays{out};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnScatterNd, in("data"), indices("indices", {3, 1}),
                           shaped(in("updates"), {3, 4}), out("out")),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .grows = false,
                 .arrange = arrange,
                 .samples = {{{{"indices", Shape{5, 1}}}},
                             {{{"indices", Shape{2, 4, 2}}}},
                             {{{"indices", Shape{3}}}}},
                 .value_samples = {{{{"data", Shape{70, 90}}, {"indices", Shape{900, 2}}}}}},
      .results = selected(reference),
      .error_inputs = {refused("indices", "of too many dimensions",
                               TensorSpec{.shape = {3, 3}, .dtype = ACL_INT64}, "[3, 3]"),
                       refused("updates", "of another size", of_shape({3, 3}), "[3, 4]"),
                       {.what = "without elements",
                        .changes = {{"data", TensorSpec{{0, 4}}}, {"out", TensorSpec{{0, 4}}}},
                        .words = {"[0, 4]"}}},
      .words = {"slices put in the places of their coordinates", "按坐标写入切片", "",
                "scatter_nd"},
  });
}

}  // namespace putting
}  // namespace

void add_puts(std::vector<Operator>& all) {
  putting::add_put(all);
  putting::add_update(all);
  putting::add_scatter_nd(all);
}

}  // namespace aclgrad::contract
