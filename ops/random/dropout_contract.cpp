// SPDX-License-Identifier: Apache-2.0
// Dropout: masks, whose values are not portable but whose share of kept elements is, and their use.
#include <bit>
#include <cmath>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_dropout.h"
#include "aclnnop/aclnn_dropout_backward.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "ops/contract/describe.h"
#include "ops/contract/text.h"

namespace aclgrad::contract {
namespace {

int64_t mask_bytes(const Shape& shape) { return (count_of(shape) + 127) / 128 * 16; }

bool is_kept(const Array& mask, size_t i) {
  return (static_cast<uint64_t>(mask.values[i / 8]) >> (i % 8) & 1) != 0;
}

// ---- Masks --------------------------------------------------------------------------------------

// The share of ones, within six standard errors.
std::string has_right_share(const Arguments& a, const Array& mask) {
  Number ones = 0;
  for (const Number byte : mask.values) ones += std::popcount(static_cast<uint64_t>(byte));
  const auto count = static_cast<Number>(8 * mask.values.size());
  const Number kept = 1 - a.number("prob");
  const Number error = 6 * std::sqrt(kept * (1 - kept) / count);
  if (std::abs(ones / count - kept) <= error) return "";
  std::ostringstream text = plain_stream();
  text << ones << " of " << count << " elements are kept, expected a share of " << kept << " +- "
       << error;
  return text.str();
}

Parameter mask(Parameter tensor, int64_t bytes = 16) {
  return typed(shaped(std::move(tensor), {bytes}), ACL_UINT8);
}

template <class PhaseOne>
Operator drawn(std::string name, std::vector<Parameter> parameters) {
  Operator op{
      .call = signature_of<PhaseOne>(std::move(name), std::move(parameters)),
      .domain = {.everywhere = {ACL_FLOAT},
                 .from_a2_on = {},
                 .max_rank = kAnyRank,
                 .base = "out",
                 .base_shape = {112},
                 .arrange = [](Arguments& a) { a.shape("out") = {mask_bytes(a.array("shape"))}; },
                 .samples = {{{{"shape", Shape{60, 40}}, {"prob", 0.25}}},
                             {{{"shape", Shape{1000}}, {"prob", 0.0}}},
                             {{{"shape", Shape{4, 33}}, {"prob", 1.0}}},
                             {{{"shape", Shape{7, 8, 9}}, {"prob", 0.9}}}}},
      .results = {.property = has_right_share, .value = 255},
      .error_inputs = {refused("prob", "above 1", 1.5, "1.5"),
                       refused("prob", "below 0", -0.5, "-0.5"),
                       refused("shape", "with a negative size", SizesSpec{{-1, 3}}, "[-1, 3]")}};
  return op;
}

void add_masks(std::vector<Operator>& all) {
  const Parameter shape{"shape", SizesSpec{{896}}};
  const Parameter probability{"prob", 0.0};
  const Parameter seed = no_option(integer("seed", 2026));
  const Parameter offset = no_option(integer("offset", 8));
  const Parameter dtype = no_option(dtype_named("probDataType", ACL_FLOAT));
  Operator mask_op = drawn<decltype(aclnnDropoutGenMaskGetWorkspaceSize)>(
      "aclnnDropoutGenMask", {shape, probability, seed, offset, mask(out("out"), 112)});
  mask_op.words.check = "dropout_gen_mask";
  mask_op.words.computes = {"Philox 4x32-10: bit i is 1 with probability 1 − prob",
                            "Philox 4x32-10：第 i 位以概率 1 − prob 为 1"};
  Operator second = drawn<decltype(aclnnDropoutGenMaskV2GetWorkspaceSize)>(
      "aclnnDropoutGenMaskV2", {shape, probability, seed, offset, dtype, mask(out("out"), 112)});
  second.call.form_of = mask_op.name();
  const auto index = [](const char* name, Number value) {
    return typed(shaped(in(name, value, value), {1}), ACL_INT64);
  };
  Operator tensor = drawn<decltype(aclnnDropoutGenMaskV2TensorGetWorkspaceSize)>(
      "aclnnDropoutGenMaskV2Tensor",
      {shape, probability, index("seedTensor", 2026), index("offsetTensor", 8), offset, dtype,
       mask(out("out"), 112)});
  tensor.words.check = "dropout_gen_mask_tensor";
  tensor.words.computes = {
      "the bits of `aclnnDropoutGenMaskV2`, with seed and offset in INT64 tensors",
      "`aclnnDropoutGenMaskV2` 的位，seed 与 offset 放在 INT64 张量里"};
  all.insert(all.end(), {mask_op, second, tensor});
}

// ---- Their use ----------------------------------------------------------------------------------

// The reciprocal of the factor of kept elements, as self's dtype holds it.
Number kept_share(const Arguments& a) {
  Number dropped = 0;
  if (a.has("scale")) {
    const Number scale = a.number("scale");
    dropped = scale == 0 ? 1 : 1 - 1 / scale;
  } else {
    dropped = a.number("prob");
  }
  const auto kept = static_cast<double>(1 - dropped);
  return is_float(a.dtype()) ? rounded(kept, a.dtype()) : kept;
}

Arrays used(const Arguments& a, const Arrays& in) {
  const Number kept = kept_share(a);
  Array out = in[0];
  for (size_t i = 0; i < out.values.size(); ++i) {
    const bool stays = kept == 1 || (kept > 0 && is_kept(in[1], i));
    out.values[i] = stays ? out.values[i] / kept : 0;
  }
  return {out};
}

Operator used_by(Operator op) {
  const std::string first = op.call.parameters[0].name;
  op.domain.base_shape = {kN, 3, 4};
  op.domain.arrange = [first](Arguments& a) {
    a.shape("out") = a.shape(first);
    a.shape("mask") = {mask_bytes(a.shape(first))};
  };
  op.domain.samples = {{{{"prob", 0.25}, {"scale", 1 / 0.75}}}, {{{"prob", 0.5}, {"scale", 2.0}}}};
  op.results.reference = used;
  op.results.bound = {.of_float = 0.5005};
  op.results.nan_goes_through = false;  // not where it is dropped
  return op;
}

}  // namespace

void add_dropout(std::vector<Operator>& all) {
  add_masks(all);
  const Parameter bits = mask(in("mask", 0, 255));
  Parameter at_least = filled(bits, 255);
  std::get<TensorSpec>(at_least.spec).any_shape = true;
  Operator use = used_by(contract_of<decltype(aclnnDropoutDoMaskGetWorkspaceSize)>(
      "aclnnDropoutDoMask",
      {any_dtype(shaped(in("self"), {128, 1})),
       at_least,
       {"prob", 0.5},
       shaped(any_dtype(out("out")), {128, 1})},
      kFloats));
  use.error_inputs = {refused("prob", "above 1", 1.5, "1.5")};
  use.words.computes = {"self/(1 − prob) where the mask has a 1, 0 elsewhere",
                        "掩码为 1 处为 self/(1 − prob)，否则为 0"};
  use.words.in_graph = "dropout(x, p)";
  // Its own gradient.
  use.gradient =
      Gradient{use.name(), [](const Arguments&, const Arrays& x, const Arrays&, const Array& g) {
                 return Arrays{g, x[1]};
               }};
  use.words.check = "dropout";
  Operator slope = used_by(contract_of<decltype(aclnnDropoutBackwardGetWorkspaceSize)>(
      "aclnnDropoutBackward",
      {any_dtype(shaped(in("gradOutput"), {128, 1})),
       filled(bits, 255),
       {"scale", 2.0},
       shaped(any_dtype(out("out")), {128, 1})},
      kFloats));
  slope.error_inputs = {refused("scale", "below 1", 0.5, "0.5")};
  slope.words.check = "dropout_backward";
  slope.words.computes = {"g·scale where the mask has a 1, 0 elsewhere",
                          "掩码为 1 处为 g·scale，否则为 0"};

  // What is kept is not known before.
  const auto arrange = [](Arguments& a) {
    a.shape("out") = a.shape("input");
    a.shape("maskOut") = {mask_bytes(a.shape("input"))};
  };
  const auto property = [](const Arguments& a, const Array& result) -> std::string {
    if (result.shape != a.shape("out")) return "";  // the mask, which out is made of
    Number sum = 0;
    for (const Number value : result.values) sum += value;
    const auto count = static_cast<Number>(result.values.size());
    const Number kept = 1 - a.number("p");
    const Number error = 6 * std::sqrt((1 - kept) / kept / count) + unit_at(1, a.dtype());
    if (std::abs(sum / count - 1) <= error) return "";
    std::ostringstream text = plain_stream();
    text << "the mean of what was 1 is " << sum / count;
    return text.str();
  };
  const Operator both{
      .call = ACLGRAD_CALL(aclnnDropout, any_dtype(shaped(in("input", 1, 1), {128, 1})), {"p", 0.0},
                           flag("train", true), no_option(integer("seed", 2026)),
                           no_option(integer("offset", 8)), shaped(any_dtype(out("out")), {128, 1}),
                           mask(out("maskOut"))),
      .domain = {.everywhere = kFloats,
                 .base_shape = {kN, 16, 48},
                 .arrange = arrange,
                 .samples = {{{{"p", 0.25}}}, {{{"p", 0.5}}}}},
      .results = {.property = property, .value = 1},
      .error_inputs = {refused("p", "above 1", 1.5, "1.5")},
      .words = {"draws a mask and applies it", "抽取掩码并应用", "", "dropout_with_mask"}};
  all.insert(all.end(), {use, slope, both});
}

}  // namespace aclgrad::contract
