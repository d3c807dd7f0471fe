// SPDX-License-Identifier: Apache-2.0
// One computation for each tensor of a list.
#include <cmath>
#include <limits>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

constexpr const char* kListNames[][2] = {{"x[0]", "out[0]"}, {"x[1]", "out[1]"}};

// x, scalar and out, with two tensors in each list.
template <class PhaseOne>
Operator for_each(std::string name, Parameter scalar, const Parameter& out, DTypes dtypes) {
  std::vector<Parameter> parameters;
  for (const auto& names : kListNames) {
    parameters.push_back(any_shape(member(in(names[0]), "x")));
  }
  parameters.push_back(std::move(scalar));
  for (const auto& names : kListNames) {
    parameters.push_back(member(out, "out"));
    parameters.back().name = names[1];
  }
  Operator op{.call = signature_of<PhaseOne>(std::move(name), std::move(parameters)),
              .domain = {.everywhere = std::move(dtypes), .wrong_shape = 561002}};
  return op;
}

// Tensors of a list need not be alike.
void arrange_second(Arguments& a) { a.shape("x[1]") = {count_of(a.shape("x[0]")) + 1}; }

Arrays list_norms(const Arguments& a, const Arrays& in) {
  Arrays out;
  for (const Array& each : in) out.push_back({{1}, {norm_of(each.values, a.number("scalar"))}});
  return out;
}

Arrays list_products(const Arguments& a, const Arrays& in) {
  const Number factor = a.number("scalar");
  Arrays out;
  for (const Array& each : in) {
    out.push_back(dense::map(each, [&](Number x) {
      return is_whole(a.dtype()) ? wrapped(x * std::trunc(factor), a.dtype()) : x * factor;
    }));
  }
  return out;
}

ErrorInput scalar_of(aclDataType dtype, const char* name, aclDataType beside = ACL_FLOAT) {
  return {.what = std::string("of ") + name,
          .changes = {{"scalar", ScalarSpec{2, dtype}}},
          .words = {name},
          .dtype = beside};
}

}  // namespace

void add_foreach(std::vector<Operator>& all) {
  Operator norm = for_each<decltype(aclnnForeachNormGetWorkspaceSize)>(
      "aclnnForeachNorm", option(scalar("scalar", 2), "p"),
      declared(shaped(out("out"), {1}), "const aclTensorList*"), kFloats);
  norm.domain.arrange = arrange_second;
  for (const double p : {1.0, 3.0, 0.0, std::numeric_limits<double>::infinity()}) {
    norm.domain.samples.push_back({{{"scalar", p}}});
  }
  norm.results.reference = list_norms;
  norm.results.bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 40};  // as aclnnNorm
  norm.error_inputs = {scalar_of(ACL_INT32, "DT_INT32")};
  norm.words.check = "foreach_norm";
  norm.words.computes = {"(Σ abs(x)^p)^(1/p) of each tensor of a list",
                         "对列表中每个张量求 (Σ abs(x)^p)^(1/p)"};
  norm.words.in_graph = "foreach_norm({a, b}, p)";

  Operator mul = for_each<decltype(aclnnForeachMulScalarV2GetWorkspaceSize)>(
      "aclnnForeachMulScalarV2",
      {"scalar", ScalarSpec{.value = 3, .dtype = ACL_DOUBLE, .is_widest = true}}, out("out"),
      kFloats + DTypes{ACL_INT32});
  mul.domain.arrange = [](Arguments& a) {
    arrange_second(a);
    for (const auto& [x, out] : kListNames) a.shape(out) = a.shape(x);
  };
  mul.domain.samples = {{{{"scalar", 3.0}}}, {{{"scalar", -0.3}}}};
  mul.results.reference = list_products;
  mul.results.bound = {.of_float = 0.5001, .of_16_bits = 0.5001};
  mul.error_inputs = {scalar_of(ACL_INT64, "DT_INT64"),
                      scalar_of(ACL_FLOAT, "DT_FLOAT", ACL_FLOAT16),
                      scalar_of(ACL_DOUBLE, "DT_DOUBLE", ACL_INT32)};
  mul.words.check = "foreach_mul";
  mul.words.computes = {"each tensor of a list times one number", "列表中每个张量乘以同一个数"};
  mul.words.in_graph = "foreach_mul({a, b}, factor)";
  all.insert(all.end(), {norm, mul});
}

}  // namespace aclgrad::contract
