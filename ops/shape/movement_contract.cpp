// SPDX-License-Identifier: Apache-2.0
// Conversions, copies, fills with one value.
#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_zero.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

const DTypes kEvery = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE,    ACL_INT8,
                       ACL_INT16,  ACL_INT32,   ACL_INT64, ACL_UINT8,     ACL_UINT16,
                       ACL_UINT32, ACL_UINT64,  ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};

// Values leave the smallest integers on both sides.
Parameter source(std::string name) { return any_dtype(filled(in(std::move(name), -300, 300), 5)); }

Operator moving(Operator op) {
  op.results.formula = of_one([](const auto& x) { return x; });
  op.results.bound = {.of_float = 0.5001};
  op.results.complex = Complex::kParts;
  return op;
}

ErrorInput wrong_target(const char* what, aclDataType dtype, std::string word,
                        aclnnStatus status = 161002) {
  return {.what = what,
          .changes = {{"dtype", DtypeSpec{dtype}}},
          .status = status,
          .words = {std::move(word)}};
}

void add_cast(std::vector<Operator>& all) {
  Operator cast = moving(contract_of<decltype(aclnnCastGetWorkspaceSize)>(
      "aclnnCast",
      {source("self"), option(dtype_named("dtype", ACL_FLOAT), "into"),
       any_dtype(typed(out("out"), ACL_FLOAT))},
      kNumbers + kUnsigned));
  cast.domain.arrange = [](Arguments& a) {
    a.shape("out") = a.shape("self");
    a.tensor("out").dtype = a.dtype_of("dtype");
  };
  cast.domain.samples.clear();
  for (const aclDataType dtype : kEvery) cast.domain.samples.push_back({{{"dtype", dtype}}});
  cast.domain.also_refuses = [](const Arguments& a, std::string_view product, aclDataType) {
    return a.dtype_of("dtype") == ACL_BF16 && (product == "Ascend910" || product == "Ascend310P");
  };
  cast.error_inputs = {wrong_target("that does not exist", ACL_DT_UNDEFINED, "DT_UNDEFINED"),
                       refused("dtype", "without a name", int64_t{77}, "DT_UNKNOWN(77)"),
                       wrong_target("that is not out's", ACL_FLOAT16, "DT_FLOAT16", 561103)};
  cast.words.check = "cast";
  cast.words.computes = {"conversion to a dtype", "转换数据类型"};
  cast.words.in_graph = "cast(x, dtype)";
  all.push_back(cast);
}

void add_copy(std::vector<Operator>& all) {
  Operator copy = moving(contract_of<decltype(aclnnInplaceCopyGetWorkspaceSize)>(
      "aclnnInplaceCopy",
      {option(any_dtype(out("selfRef")), "into", Sets::kDtype),
       option(source("src"), "other", Sets::kShape)},
      kNumbers + kUnsigned + DTypes{ACL_BF16}, {}));
  copy.domain.arrange = [](Arguments& a) {
    if (!a.is_set("src")) a.shape("src") = a.shape("selfRef");
  };
  copy.results.reference = [](const Arguments& a, const Arrays& in) {
    const aclDataType to = a.dtype_of("selfRef").value_or(a.dtype());
    return Arrays{dense::map(dense::expand(in[0], a.shape("selfRef")),
                             [&](Number x) { return converted(x, a.dtype(), to); })};
  };
  copy.domain.samples = {
      {}, {{{"src", Shape{4}}}}, {{{"src", Shape{3, 1}}, {"selfRef", ACL_FLOAT16}}}};
  for (const aclDataType dtype : kEvery) copy.domain.samples.push_back({{{"selfRef", dtype}}});
  copy.words.check = "copy";
  copy.words.computes = {"broadcast copy with conversion", "广播拷贝，必要时转换类型"};
  copy.words.in_graph = "copy(x), contiguous(x), assign(variable, x)";
  all.push_back(copy);
}

// An operator that takes nothing but the tensor that it fills.
Operator filling(Operator op, std::function<Number(const Arguments&)> value) {
  std::get<TensorSpec>(op.call.parameters[0].spec).any_shape = true;
  op.results.reference = [value = std::move(value)](const Arguments& a, const Arrays&) {
    const Shape& shape = a.shape("selfRef");
    const Number held = converted(value(a), ACL_DOUBLE, a.dtype());
    return Arrays{{shape, std::vector<Number>(static_cast<size_t>(count_of(shape)), held)}};
  };
  op.results.bound = {.of_float = 0.5001};
  op.results.complex = Complex::kParts;
  return op;
}

void add_fills(std::vector<Operator>& all) {
  Operator zero = filling(
      contract_of<decltype(aclnnInplaceZeroGetWorkspaceSize)>(
          "aclnnInplaceZero", {out("selfRef")}, kNumbers + DTypes{ACL_UINT16, ACL_BF16}, {}),
      [](const Arguments&) { return Number{0}; });
  zero.domain.max_rank = 25;
  zero.words.check = "zero";
  zero.words.computes = {"zeros", "填充 0"};
  zero.words.in_graph = "zeros(graph, shape)";

  Operator fill = filling(
      contract_of<decltype(aclnnInplaceFillScalarGetWorkspaceSize)>(
          "aclnnInplaceFillScalar", {out("selfRef"), {"value", ScalarSpec{7, std::nullopt}}},
          kNumbers, kUnsigned + DTypes{ACL_BF16}),
      [](const Arguments& a) { return a.number("value"); });
  fill.domain.samples = {{{{"value", 7.0}}}, {{{"value", -2.75}}}};
  // They promote with no number of another dtype.
  fill.domain.also_refuses = [](const Arguments&, std::string_view, aclDataType dtype) {
    return dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
  };
  fill.words.check = "fill_scalar";
  fill.words.computes = {"a constant", "填充常数"};
  fill.words.in_graph = "full(graph, shape, value)";
  all.insert(all.end(), {zero, fill});
}

}  // namespace

void add_movement(std::vector<Operator>& all) {
  add_cast(all);
  add_copy(all);
  add_fills(all);
}

}  // namespace aclgrad::contract
