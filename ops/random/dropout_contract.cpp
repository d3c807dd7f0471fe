// SPDX-License-Identifier: Apache-2.0
// Dropout: masks, whose values are not portable but whose share of kept elements is, and their use.
#include <bit>
#include <cmath>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_dropout.h"
#include "aclnnop/aclnn_dropout_backward.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "ops/contract/text.h"
#include "ops/random/random_contract.h"

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

Operator drawn(Signature call, Words words) {
  return {
      .call = std::move(call),
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
                       refused("shape", "with a negative size", SizesSpec{{-1, 3}}, "[-1, 3]")},
      .words = std::move(words)};
}

void add_masks(std::vector<Operator>& all) {
  const Parameter shape{"shape", SizesSpec{{896}}};
  const Parameter probability{"prob", 0.0};
  const Parameter seed = no_option(integer("seed", 2026));
  const Parameter offset = no_option(integer("offset", 8));
  const Parameter dtype = no_option(dtype_named("probDataType", ACL_FLOAT));
  const Parameter bits = mask(out("out"), 112);
  all.push_back(drawn(ACLGRAD_CALL(aclnnDropoutGenMask, shape, probability, seed, offset, bits),
                      {"Philox 4x32-10: bit i is 1 with probability 1 − prob",
                       "Philox 4x32-10：第 i 位以概率 1 − prob 为 1", "", "dropout_gen_mask"}));
  all.push_back(drawn(
      ACLGRAD_CALL(aclnnDropoutGenMaskV2, shape, probability, seed, offset, dtype, bits), {}));
  all.back().call.form_of = "aclnnDropoutGenMask";
  all.push_back(drawn(ACLGRAD_CALL(aclnnDropoutGenMaskV2Tensor, shape, probability,
                                   index_tensor("seedTensor", 2026),
                                   index_tensor("offsetTensor", 8), offset, dtype, bits),
                      {"the bits of `aclnnDropoutGenMaskV2`, with seed and offset in INT64 tensors",
                       "`aclnnDropoutGenMaskV2` 的位，seed 与 offset 放在 INT64 张量里", "",
                       "dropout_gen_mask_tensor"}));
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

// Of a mask and a tensor of this name.
Domain masks(const char* tensor) {
  const auto arrange = [tensor](Arguments& a) {
    a.shape("out") = a.shape(tensor);
    a.shape("mask") = {mask_bytes(a.shape(tensor))};
  };
  return {.everywhere = kFloats,
          .base_shape = {kN, 3, 4},
          .arrange = arrange,
          .samples = {{{{"prob", 0.25}, {"scale", 1 / 0.75}}}, {{{"prob", 0.5}, {"scale", 2.0}}}}};
}

// NaN stays, but not where it is dropped.
const Results kUsed{.reference = used, .bound = {.of_float = 0.5005}, .nan_goes_through = false};

Parameter whole(Parameter tensor) { return any_dtype(shaped(std::move(tensor), {128, 1})); }

}  // namespace

void add_dropout(std::vector<Operator>& all) {
  add_masks(all);
  const Parameter bits = filled(mask(in("mask", 0, 255)), 255);
  // Its own gradient.
  const auto inputs = [](const Arguments&, const Arrays& x, const Arrays&, const Array& g) {
    return Arrays{g, x[1]};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnDropoutDoMask, whole(in("self")), any_shape(bits), {"prob", 0.5},
                           whole(out("out"))),
      .domain = masks("self"),
      .results = kUsed,
      .gradient = Gradient{"aclnnDropoutDoMask", inputs},
      .error_inputs = {refused("prob", "above 1", 1.5, "1.5")},
      .words = {"self/(1 − prob) where the mask has a 1, 0 elsewhere",
                "掩码为 1 处为 self/(1 − prob)，否则为 0", "dropout(x, p)", "dropout"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnDropoutBackward, whole(in("gradOutput")), bits, {"scale", 2.0},
                           whole(out("out"))),
      .domain = masks("gradOutput"),
      .results = kUsed,
      .error_inputs = {refused("scale", "below 1", 0.5, "0.5")},
      .words = {"g·scale where the mask has a 1, 0 elsewhere", "掩码为 1 处为 g·scale，否则为 0",
                "", "dropout_backward"},
  });

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
  all.push_back({
      .call = ACLGRAD_CALL(aclnnDropout, whole(in("input", 1, 1)), {"p", 0.0}, flag("train", true),
                           no_option(integer("seed", 2026)), no_option(integer("offset", 8)),
                           whole(out("out")), mask(out("maskOut"))),
      .domain = {.everywhere = kFloats,
                 .base_shape = {kN, 16, 48},
                 .arrange = arrange,
                 .samples = {{{{"p", 0.25}}}, {{{"p", 0.5}}}}},
      .results = {.property = property, .value = 1},
      .error_inputs = {refused("p", "above 1", 1.5, "1.5")},
      .words = {"draws a mask and applies it", "抽取掩码并应用", "", "dropout_with_mask"},
  });
}

}  // namespace aclgrad::contract
