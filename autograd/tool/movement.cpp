// SPDX-License-Identifier: Apache-2.0
// Conversions, copies, fills with one value.
#include <fmt/format.h>

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_zero.h"
#include "tool/chain.h"
#include "tool/dense.h"

namespace aclgrad::gradcheck::detail {
namespace {

const DTypes kEvery = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                       DType::int8,    DType::int16,   DType::int32,    DType::int64,
                       DType::uint8,   kUint16,        kUint32,         kUint64,
                       DType::boolean, kComplex64,     kComplex128};

// A number of one type as another holds it: rounded, or cut off and stopped at the limits when it
// was floating; integers wrap.
Number converted(Number x, DType from, DType to) {
  if (to == DType::boolean) return x != 0 ? 1 : 0;
  if (is_float(to) || is_complex(to)) return x;
  const bool was_whole = !is_float(from) && !is_complex(from);
  return was_whole ? wrapped(x, to) : round_to(x, to);
}

void name_into(Subject& s, std::optional<DType> into) {
  if (!into) return;
  s.checked.attributes = fmt::format("dtype={}", short_name(*into));
  s.checked.reproduce = fmt::format("--into {}", short_name(*into));
}

// What a conversion has in common with a copy that converts.
void convert(Subject& s, const LibraryPointer& library, const Dims& from, const Dims& to,
             std::optional<DType> into) {
  s.forward_ulp = 0.5001;
  s.reference = [=](const Arrays& in, DType dtype) {
    const Array wide = dense::expand(in[0], to);
    return Arrays{
        dense::map(wide, [&](Number x) { return converted(x, dtype, into.value_or(dtype)); })};
  };
  s.checked.name = s.forward.api;
  s.checked.inputs = {Input{.name = "self", .shape = from, .low = -300, .high = 300}};
  s.checked.command_shape = to;
  name_into(s, into);
  if (into && !is_float(*into)) return;
  s.gradient_dtypes = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  if (from == to) {
    s.checked.scalar = [](std::span<const Number> x) { return x[0]; };
  } else {
    s.checked.forward = [=](const Arrays& in) { return Arrays{dense::expand(in[0], to)}; };
  }
  s.checked.model = {.final_ulp_16bit = 0.5, .final_ulp = 0.5, .inner = 0.05};
  s.checked.saved = [](const Arrays&, const Arrays&, const Array& cotangent) {
    return Arrays{cotangent};
  };
  s.checked.saved_dtypes = {into};
  s.calls = Chain::calls();
  s.checked.backward =
      from_chain(library, [](Chain& chain) { chain.sum_to(chain.input(0), chain.output(0)); });
}

Subject cast(const LibraryPointer& library, const Attributes& a,
             const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  const DType into = a.into.value_or(DType::float32);
  auto* plan = ACLGRAD_LOOKUP(aclnnCastGetWorkspaceSize);
  const auto with = [=](aclDataType dtype) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], dtype, t[1], size, executor);
    };
  };
  Subject s;
  const aclDataType other = into == DType::float16 ? ACL_FLOAT : ACL_FLOAT16;
  s.forward = {.api = "aclnnCast",
               .tensors = {{.name = "self", .shape = shape, .free_dtype = true},
                           {.name = "out", .shape = shape, .dtype = into, .free_dtype = true}},
               .inputs = 1,
               .plan = with(static_cast<aclDataType>(into)),
               .highest_rank = 8,
               .refusals = {{"a dtype that does not exist", 161002, with(ACL_DT_UNDEFINED)},
                            {"an out of another dtype", 561103, with(other)}},
               .dtypes = kEvery,
               .refuses = [into](const std::string& product, DType) {
                 return into == DType::bfloat16 && !has_bfloat16(product);
               }};
  convert(s, library, shape, shape, into);
  return s;
}

Subject copy(const LibraryPointer& library, const Attributes& a,
             const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  const Dims source = a.other.value_or(shape);
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceCopyGetWorkspaceSize);
  Subject s;
  s.forward = {
      .api = "aclnnInplaceCopy",
      .tensors = {{.name = "src", .shape = source, .free_dtype = true},
                  {.name = "selfRef", .shape = shape, .dtype = a.into, .free_dtype = true}},
      .inputs = 1,
      .plan = [=](auto t, auto* size, auto** executor) { return plan(t[1], t[0], size, executor); },
      .highest_rank = 8,
      .dtypes = kEvery,
      .bfloat16_everywhere = true};
  convert(s, library, source, shape, a.into);
  if (!a.other) return s;
  const std::string other = dims_text(source);
  s.checked.attributes += (s.checked.attributes.empty() ? "src=" : " src=") + other;
  s.checked.reproduce += (s.checked.reproduce.empty() ? "--other " : " --other ") + other;
  return s;
}

// An operator that takes nothing but the tensor that it fills.
Subject fill(const std::string& api, const std::optional<Dims>& wanted, PlanFunction plan,
             double value) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  Subject s;
  s.forward = {.api = api,
               .tensors = {{.name = "selfRef", .shape = shape, .free_shape = true}},
               .inputs = 0,
               .plan = std::move(plan),
               .dtypes = kEvery};
  s.forward_ulp = 0.5001;
  s.reference = [=](const Arrays&, DType dtype) {
    const Number held = converted(value, DType::float64, dtype);
    return Arrays{{shape, std::vector<Number>(static_cast<std::size_t>(count_of(shape)), held)}};
  };
  s.checked.name = api;
  s.checked.inputs.clear();
  return s;
}

Subject fill_scalar(const LibraryPointer& library, const Attributes& a,
                    const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceFillScalarGetWorkspaceSize);
  const auto with = [=](const aclScalar* value) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) { return plan(t[0], value, size, executor); };
  };
  Subject s = fill("aclnnInplaceFillScalar", shape,
                   with(library->scalar(static_cast<Number>(a.value), DType::float64)), a.value);
  // Unsigned integers of more than 8 bits promote with no floating number.
  for (const DType dtype : {kUint16, kUint32, kUint64}) std::erase(s.forward.dtypes, dtype);
  s.forward.highest_rank = 8;
  s.forward.refusals = {{"null value", 161001, with(nullptr)}};
  s.checked.attributes = fmt::format("value={}", a.value);
  s.checked.reproduce = fmt::format("--value {}", a.value);
  return s;
}

Subject zero(const LibraryPointer& library, const Attributes&, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceZeroGetWorkspaceSize);
  Subject s = fill(
      "aclnnInplaceZero", shape,
      [=](auto t, auto* size, auto** executor) { return plan(t[0], size, executor); }, 0);
  for (const DType dtype : {kUint32, kUint64}) std::erase(s.forward.dtypes, dtype);
  s.forward.bfloat16_everywhere = true;
  return s;
}

}  // namespace

std::vector<KnownOperator> movement_operators() {
  std::vector<Attributes> casts;
  for (const DType into : kEvery) casts.push_back({.into = into});
  return {{"cast", cast, casts, {"--into"}},
          {"copy",
           copy,
           {{},
            {.other = Dims{6}},
            {.other = Dims{4, 1}, .into = DType::float16},
            {.into = DType::int8},
            {.into = kComplex64}},
           {"--other", "--into"}},
          {"fill_scalar", fill_scalar, {{.value = 7}, {.value = -2.75}}, {"--value"}},
          {"zero", zero, {{}}}};
}

}  // namespace aclgrad::gradcheck::detail
