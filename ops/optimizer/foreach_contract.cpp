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

// Two tensors of the list out.
std::vector<Parameter> results_like(const Parameter& out) {
  std::vector<Parameter> results;
  for (const auto& names : kListNames) {
    results.push_back(member(out, "out"));
    results.back().name = names[1];
  }
  return results;
}
Parameter input_of(const char* name) { return any_shape(member(in(name), "x")); }

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
  const Parameter first = input_of("x[0]"), second = input_of("x[1]");
  const auto norms = results_like(declared(shaped(out("out"), {1}), "const aclTensorList*"));
  all.push_back({
      .call = ACLGRAD_CALL(aclnnForeachNorm, first, second, option(scalar("scalar", 2), "p"),
                           norms[0], norms[1]),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = 561002,
                 .arrange = arrange_second,
                 .samples =
                     std::vector<Sample>{{}} +
                     samples_of("scalar", {1, 3, 0, std::numeric_limits<double>::infinity()})},
      // As aclnnNorm.
      .results = {.reference = list_norms,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 40}},
      .error_inputs = {scalar_of(ACL_INT32, "DT_INT32")},
      .words = {"(Σ abs(x)^p)^(1/p) of each tensor of a list",
                "对列表中每个张量求 (Σ abs(x)^p)^(1/p)", "foreach_norm({a, b}, p)", "foreach_norm"},
  });

  const auto arrange = [](Arguments& a) {
    arrange_second(a);
    for (const auto& [x, out] : kListNames) a.shape(out) = a.shape(x);
  };
  const auto products = results_like(out("out"));
  const Parameter factor{"scalar", ScalarSpec{.value = 3, .dtype = ACL_DOUBLE, .is_widest = true}};
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnForeachMulScalarV2, first, second, factor, products[0], products[1]),
      .domain = {.everywhere = kFloats + DTypes{ACL_INT32},
                 .wrong_shape = 561002,
                 .arrange = arrange,
                 .samples = samples_of("scalar", {3, -0.3})},
      .results = {.reference = list_products, .bound = {.of_float = 0.5001, .of_16_bits = 0.5001}},
      .error_inputs = {scalar_of(ACL_INT64, "DT_INT64"),
                       scalar_of(ACL_FLOAT, "DT_FLOAT", ACL_FLOAT16),
                       scalar_of(ACL_DOUBLE, "DT_DOUBLE", ACL_INT32)},
      .words = {"each tensor of a list times one number", "列表中每个张量乘以同一个数",
                "foreach_mul({a, b}, factor)", "foreach_mul"},
  });
}

}  // namespace aclgrad::contract
