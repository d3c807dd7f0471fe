// SPDX-License-Identifier: Apache-2.0
// Functions over lists promise for every member what an operator of single tensors promises: their
// formulas, bounds and values are those of that operator's contract.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_foreach_copy.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "aclnnop/aclnn_foreach_round_off_number.h"
#include "aclnnop/aclnn_foreach_round_off_number_v2.h"
#include "aclnnop/aclnn_foreach_zero_inplace.h"
#include "ops/contract/dense.h"
#include "ops/lists/list_contract.h"

namespace aclgrad::contract {
namespace {

const Operator& find(std::span<const Operator> others, std::string_view name) {
  const auto found = std::ranges::find(others, name, &Operator::name);
  if (found == others.end()) throw std::invalid_argument("no contract is of " + std::string(name));
  return *found;
}

std::string at(const std::string& list, int member) {
  return list + "[" + std::to_string(member) + "]";
}

// The two members that lists have in the right call; they are not alike.
constexpr int kMembers = 2;

void arrange_lists(Arguments& a) {
  const std::string& base = a.op().domain.base;
  const Shape first = a.shape(base);
  for (Parameter& each : a.parameters()) {
    auto* tensor = std::get_if<TensorSpec>(&each.spec);
    if (tensor == nullptr || each.list.empty() || each.name == base) continue;
    tensor->shape = each.name.ends_with("[1]") ? Shape{count_of(first) + 1} : first;
  }
}

// ---- Members as a single operator has them ------------------------------------------------------

bool is_input_list(const std::string& type) { return type == "const aclTensorList*"; }

// What a tensor of the single operator is in a list, where all have one dtype and size.
TensorSpec in_list(TensorSpec spec) {
  spec.any_dtype = spec.promotes = spec.any_shape = false;
  return spec;
}

// The number of a function of lists, in its several forms.
struct NumberForm {
  std::string name;  // of the parameter; none: there is no number
  std::string type;  // in C
  size_t input = 0;  // among the call's inputs, where it is a tensor
  bool of_each = false;

  Number of(const Arguments& a, const Arrays& in, int member) const {
    if (type == "const aclTensor*")
      return in[input].values[of_each ? static_cast<size_t>(member) : 0];
    const Number number = a.number(type == "const aclScalarList*" ? at(name, member) : name);
    return is_whole(a.dtype()) ? std::trunc(number) : number;
  }
};

// What results or their magnitudes are, member by member.
Reference for_members(std::shared_ptr<const Operator> single, size_t lists, const NumberForm& form,
                      std::string attribute, Reference magnitude) {
  return [=](const Arguments& a, const Arrays& in) {
    Arrays out;
    for (int member = 0; member < kMembers; ++member) {
      Sample sample;
      if (!form.name.empty()) {
        sample.settings.emplace_back(attribute, static_cast<double>(form.of(a, in, member)));
      }
      const bool adds = single->name() == "aclnnAdds" || single->name() == "aclnnSubs";
      if (adds) sample.settings.emplace_back("alpha", 1.0);
      const Arguments of_single = Arguments(single, sample).in(a.dtype());
      Arrays given;
      for (size_t k = 0; k < lists; ++k)
        given.push_back(in[kMembers * k + static_cast<size_t>(member)]);
      out.push_back((magnitude ? magnitude(of_single, given) : results_of(of_single, given))[0]);
    }
    return out;
  };
}

// The parameters of a number with these values, the second of which is the second member's where
// each has its own.
std::vector<Parameter> number_parameters(const NumberForm& form, double first, double second) {
  const auto scalar = [](std::string name, double value) {
    return Parameter{std::move(name),
                     ScalarSpec{.value = value, .dtype = ACL_DOUBLE, .is_widest = true}};
  };
  const std::string chosen = form.name == "weight" ? "value" : form.name;
  if (form.type == "const aclScalar*") return {option(scalar(form.name, first), chosen)};
  if (form.type == "const aclScalarList*") {
    return {no_option(member(scalar(at(form.name, 0), first), form.name)),
            no_option(member(scalar(at(form.name, 1), second), form.name))};
  }
  Parameter tensor = filled(shaped(in(form.name, first, first), {form.of_each ? 2 : 1}), first);
  if (!form.of_each) return {option(std::move(tensor), chosen, Sets::kNumber)};
  std::get<TensorSpec>(tensor.spec).elements = {first, second};
  return {tensor};
}

// Scalars of another kind than the members.
std::vector<ErrorInput> wrong_scalars(const std::string& name, const DTypes& dtypes) {
  std::vector<ErrorInput> errors = {{.what = "of DT_INT8 beside FLOAT",
                                     .changes = {{name, ScalarSpec{2, ACL_INT8}}},
                                     .words = {"DT_INT8"}}};
  if (std::ranges::count(dtypes, ACL_INT32) > 0) {
    errors.push_back({.what = "of DT_FLOAT beside INT32",
                      .changes = {{name, ScalarSpec{2, ACL_FLOAT}}},
                      .words = {"DT_FLOAT"},
                      .dtype = ACL_INT32});
  }
  return errors;
}

}  // namespace

void Lists::add(Signature call, const std::vector<std::string>& names, const std::string& single,
                const ListMembers& members) {
  const auto of = std::make_shared<const Operator>(find(others_, single));
  std::vector<const TensorSpec*> tensors;
  std::string attribute;
  for (const Parameter& each : of->call.parameters) {
    if (each.tensor() != nullptr) tensors.push_back(each.tensor());
    if (each.tensor() == nullptr && attribute.empty()) attribute = each.name;
  }
  NumberForm form;
  size_t lists = 0;
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    if (is_input_list(call.types[i])) {
      ++lists;
    } else {
      form = {names[i], call.types[i], 0,
              call.types[i] == "const aclTensor*" && names[i] == "scalars"};
    }
  }
  form.input = kMembers * lists;
  const double first = members.numbers[0], second = members.numbers[1];
  size_t tensor = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == form.name) {
      for (Parameter& each : number_parameters(form, first, second)) {
        call.parameters.push_back(std::move(each));
      }
      continue;
    }
    for (int k = 0; k < kMembers; ++k) {
      Parameter each{at(names[i], k), in_list(*tensors[tensor])};
      call.parameters.push_back(member(std::move(each), names[i]));
    }
    ++tensor;
  }
  const bool takes_alpha = single == "aclnnAdds" || single == "aclnnSubs";  // which lists do not
  const bool has_one_number =
      !form.name.empty() && !form.of_each && form.type != "const aclScalarList*";
  Operator op{.call = std::move(call),
              .domain = {.everywhere = members.dtypes,
                         .wrong_shape = 561002,
                         .base = at(names[names[0] == form.name ? 1 : 0], 0),
                         .arrange = arrange_lists,
                         .samples = has_one_number ? samples_of(form.name, {first, second})
                                                   : std::vector<Sample>{{}}},
              .results = {.reference = for_members(of, lists, form, attribute, nullptr),
                          .bound = of->results.bound,
                          .nan_goes_through = of->results.nan_goes_through},
              .words = {"for each tensor of a list, as " + single +
                            (takes_alpha ? " with alpha 1: " : ": ") + of->words.computes.english,
                        "对列表中每个张量，同 " + single +
                            (takes_alpha ? "（alpha 为 1）：" : "：") + of->words.computes.chinese,
                        members.in_graph, members.check}};
  if (of->results.magnitude) {
    op.results.magnitude = for_members(of, lists, form, attribute, of->results.magnitude);
  }
  if (form.type == "const aclScalar*") {
    op.error_inputs = wrong_scalars(form.name, members.dtypes);
  } else if (form.type == "const aclScalarList*") {
    op.error_inputs = wrong_scalars(at(form.name, 1), members.dtypes);
  }
  // As many numbers as members, whatever the sizes of these are.
  op.domain.grows = std::ranges::find(names, "scalars") == names.end();
  all_.push_back(std::move(op));
}

// ---- Those of a kind of their own ---------------------------------------------------------------

namespace {

Parameter in_list_of(const char* list, int place, Parameter parameter) {
  parameter.name = at(list, place);
  return member(std::move(parameter), list);
}

void add_norm(std::vector<Operator>& all) {
  const auto of_x = [](int k) { return in_list_of("x", k, any_shape(in(""))); };
  const auto norm = [](int k) {
    return in_list_of("out", k, declared(shaped(out(""), {1}), "const aclTensorList*"));
  };
  const Reference norms = [](const Arguments& a, const Arrays& in) {
    Arrays results;
    for (const Array& each : in) {
      results.push_back({{1}, {norm_of(each.values, a.number("scalar"))}});
    }
    return results;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnForeachNorm, of_x(0), of_x(1), option(scalar("scalar", 2), "p"),
                           norm(0), norm(1)),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = 561002,
                 .arrange = [](Arguments& a) { a.shape("x[1]") = {count_of(a.shape("x[0]")) + 1}; },
                 .samples =
                     std::vector<Sample>{{}} +
                     samples_of("scalar", {1, 3, 0, std::numeric_limits<double>::infinity()})},
      // As aclnnNorm.
      .results = {.reference = norms,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 40}},
      .error_inputs = {{.what = "of DT_INT32",
                        .changes = {{"scalar", ScalarSpec{2, ACL_INT32}}},
                        .words = {"DT_INT32"}}},
      .words = {"(Σ abs(x)^p)^(1/p) of each tensor of a list",
                "对列表中每个张量求 (Σ abs(x)^p)^(1/p)", "foreach_norm({a, b}, p)", "foreach_norm"},
  });
}

// By the contracts of the operators that the modes stand for.
void add_rounding(std::vector<Operator>& all, std::span<const Operator> others) {
  const std::map<int, std::shared_ptr<const Operator>> modes = [&] {
    std::map<int, std::shared_ptr<const Operator>> made;
    for (const auto& [mode, name] : {std::pair{1, "aclnnRound"},
                                     {2, "aclnnFloor"},
                                     {3, "aclnnCeil"},
                                     {5, "aclnnTrunc"},
                                     {7, "aclnnFrac"}}) {
      made[mode] = std::make_shared<const Operator>(find(others, name));
    }
    return made;
  }();
  const Reference rounded_by_mode = [modes](const Arguments& a, const Arrays& in) {
    const bool is_tensor = in.size() > kMembers;
    const Number mode = is_tensor ? in[kMembers].values[0] : a.number("roundMode");
    const Arguments single = Arguments(modes.at(static_cast<int>(mode))).in(a.dtype());
    return Arrays{results_of(single, {in[0]})[0], results_of(single, {in[1]})[0]};
  };
  const auto of_x = [](int k) { return in_list_of("x", k, in("", -9, 9)); };
  const auto result = [](int k) { return in_list_of("out", k, out("")); };
  const Operator by_tensor{
      .call = ACLGRAD_CALL(aclnnForeachRoundOffNumber, of_x(0), of_x(1),
                           option(filled(typed(shaped(in("roundMode", 1, 1), {1}), ACL_INT8), 1),
                                  "roundMode", Sets::kNumber),
                           result(0), result(1)),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = 561002,
                 .base = "x[0]",
                 .arrange = arrange_lists,
                 .samples = samples_of("roundMode", {1, 2, 3, 5, 7})},
      .results = {.reference = rounded_by_mode, .bound = kExact},
      .words = {"each tensor of a list rounded by a mode that lies on the device",
                "按设备上给出的模式对列表中每个张量取整"}};
  Operator by_number = by_tensor;
  by_number.call = ACLGRAD_CALL(aclnnForeachRoundOffNumberV2, of_x(0), of_x(1),
                                number("roundMode", 1), result(0), result(1));
  by_number.error_inputs = {refused("roundMode", "= 4", ScalarSpec{4, ACL_INT64}, "is 4"),
                            refused("roundMode", "of FLOAT", ScalarSpec{1}, "DT_FLOAT")};
  by_number.words = {
      "each tensor of a list rounded: to the nearest, down, up, towards 0, or what is "
      "behind the point",
      "对列表中每个张量取整：就近、向下、向上、向零，或取小数部分"};
  all.insert(all.end(), {by_tensor, by_number});
}

void add_copy(std::vector<Operator>& all) {
  const auto of_x = [](int k) { return in_list_of("x", k, any_dtype(in("", -9, 9))); };
  const auto copied = [](int k) { return in_list_of("out", k, any_dtype(out(""))); };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnForeachCopy, of_x(0), of_x(1), copied(0), copied(1)),
      .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64,
                                                         ACL_UINT8, ACL_BOOL},
                 .wrong_shape = 561002,
                 .base = "x[0]",
                 .arrange = arrange_lists},
      .results = {.reference = [](const Arguments&, const Arrays& in) { return in; },
                  .bound = kExact},
      .words = {"a copy of each tensor of a list, in the dtype of the result",
                "复制列表中每个张量，并转换为结果的类型"},
  });
}

void add_zero(std::vector<Operator>& all) {
  const auto of_x = [](int k) { return in_list_of("x", k, any_shape(out(""))); };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnForeachZeroInplace, of_x(0), of_x(1)),
      .domain = {.everywhere = kNumbers + DTypes{ACL_UINT16, ACL_BF16},
                 .from_a2_on = {},
                 .wrong_shape = 561002,
                 .base = "x[0]",
                 .arrange = arrange_lists},
      .results = {.reference =
                      [](const Arguments& a, const Arrays&) {
                        return Arrays{dense::full(a.shape("x[0]")), dense::full(a.shape("x[1]"))};
                      },
                  .complex = Complex::kParts,
                  .bound = kExact},
      .words = {"zeros in each tensor of a list", "列表中每个张量填充 0"},
  });
}

void add_unscale(std::vector<Operator>& all) {
  const auto overwritten = [](Parameter parameter) {
    std::get<TensorSpec>(parameter.spec).role = Role::kInPlace;
    return parameter;
  };
  const auto grad = [&](int k) {
    return in_list_of("scaledGrads", k, any_shape(overwritten(in("", -9, 9))));
  };
  const Parameter found =
      overwritten(filled(typed(shaped(in("foundInf", 0, 0), {1}), ACL_FLOAT), 0));
  const Parameter scale =
      filled(typed(shaped(in("inverseScale", 0.375L, 0.375L), {1}), ACL_FLOAT), 0.375);
  const Reference unscaled = [](const Arguments&, const Arrays& in) {
    Arrays results(in.begin(), in.end() - 1);
    for (size_t k = 0; k < kMembers; ++k) {
      for (Number& each : results[k].values) {
        if (!std::isfinite(each)) results[kMembers].values[0] = 1;
        each *= in.back().values[0];
      }
    }
    return results;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnForeachNonFiniteCheckAndUnscale, grad(0), grad(1), found, scale),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = 561002,
                 .base = "scaledGrads[0]",
                 .arrange = arrange_lists},
      .results = {.reference = unscaled, .bound = {.of_float = 0.5001, .of_16_bits = 0.5001}},
      .words = {"each tensor of a list times inverseScale, and foundInf = 1 if an element is "
                "infinite or NaN",
                "列表中每个张量乘以 inverseScale；若有元素为无穷或 NaN，则 foundInf = 1"},
  });
}

}  // namespace

FamilyContracts list_contracts(std::span<const Operator> others) {
  FamilyContracts family{{"Lists of tensors", "张量列表"}, {}};
  add_norm(family.operators);
  Lists lists(family.operators, others);
  add_list_functions(lists);
  add_list_operands(lists);
  add_rounding(family.operators, others);
  add_copy(family.operators);
  add_zero(family.operators);
  add_unscale(family.operators);
  add_fused_sgd(family.operators);
  return family;
}

}  // namespace aclgrad::contract
