// SPDX-License-Identifier: Apache-2.0
// Elements that are taken, or put one after the other, where a mask is true.
#include "aclnnop/aclnn_masked_scatter.h"
#include "aclnnop/aclnn_masked_select.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

Parameter mask_of(Number low) {
  Parameter mask = typed(in("mask", low, 1), ACL_BOOL);
  std::get<TensorSpec>(mask.spec).any_shape = true;
  return mask;
}

// Where a mask is not given another shape, it has that of self.
void arrange_mask(Arguments& a) {
  if (!a.is_set("mask")) a.shape("mask") = a.shape(self_of(a));
  a.reshape({"source"}, a.shape(self_of(a)));
  a.reshape({"out"}, {count_of(dense::broadcast_shape(a.shape(self_of(a)), a.shape("mask")))});
}

}  // namespace

void add_masks(std::vector<Operator>& all) {
  // All of it is true: what out holds behind the elements that are chosen is nobody's.
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMaskedSelect, any_shape(in("self")), mask_of(1),
                           shaped(out("out"), {8})),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = arrange_mask,
                 .samples = {{}, {{{"mask", Shape{3, 1}}}}, {{{"mask", Shape{2, 1, 1, 4}}}}}},
      .results = selected([](const Arguments& a, const Arrays& in) {
        const Shape shape = dense::broadcast_shape(in[0].shape, in[1].shape);
        return Arrays{{a.shape("out"), dense::expand(in[0], shape).values}};
      }),
      .error_inputs = {refused("out", "without room for all", of_shape({7}), "[8]"),
                       refused("mask", "that does not broadcast",
                               TensorSpec{.shape = {3}, .dtype = ACL_BOOL}, "[3]"),
                       refused("mask", "of FLOAT", TensorSpec{.shape = {2, 4}, .dtype = ACL_FLOAT},
                               "FLOAT")},
      .words = {"the elements where a mask is true", "取掩码为真处的元素", "", "masked_select"},
  });

  Parameter overwritten = any_shape(in("selfRef"));
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnInplaceMaskedScatter, overwritten, mask_of(0), any_shape(in("source"))),
      .domain = {.everywhere = kNumbers + kUnsigned,
                 .arrange = arrange_mask,
                 .samples = {{}, {{{"mask", Shape{3, 1}}}}, {{{"mask", Shape{4}}}}}},
      .results = selected([](const Arguments&, const Arrays& in) {
        const Array mask = dense::expand(in[1], in[0].shape);
        Array out = in[0];
        size_t next = 0;
        for (size_t i = 0; i < out.values.size(); ++i) {
          if (mask.values[i] != 0) out.values[i] = in[2].values[next++];
        }
        return Arrays{out};
      }),
      .error_inputs = {refused("mask", "that does not broadcast",
                               TensorSpec{.shape = {3}, .dtype = ACL_BOOL}, "[3]")},
      .words = {"elements put one after the other where a mask is true", "依次写入掩码为真处", "",
                "masked_scatter"},
  });
}

}  // namespace aclgrad::contract
