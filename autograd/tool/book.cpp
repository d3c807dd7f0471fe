// SPDX-License-Identifier: Apache-2.0
// Subjects made of entries of the operator book.
#include "aclgrad_contract/contracts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "aclgrad/error.h"
#include "aclgrad_contract/numbers.h"
#include "tool/book_options.h"
#include "tool/chains.h"

namespace aclgrad::gradcheck::detail {
namespace {

using contract::Arguments;
using Entry = contract::Operator;  // gradcheck has an Operator of its own
using contract::Parameter;
using contract::Role;
using contract::TensorSpec;

DType dtype_of(aclDataType dtype) { return static_cast<DType>(dtype); }

DTypes dtypes_of(const contract::DTypes& dtypes) {
  DTypes converted;
  for (const aclDataType dtype : dtypes) converted.push_back(dtype_of(dtype));
  return converted;
}

Array to_array(const contract::Array& array) { return {array.shape, array.values}; }
Arrays to_arrays(const contract::Arrays& arrays) {
  Arrays converted;
  for (const contract::Array& each : arrays) converted.push_back(to_array(each));
  return converted;
}
contract::Arrays from_arrays(const Arrays& arrays) {
  contract::Arrays converted;
  for (const Array& each : arrays) converted.push_back({each.shape, each.values});
  return converted;
}

// With null pointers in the places of some parameters.
PlanFunction plan_of(const LibraryPointer& library, const Arguments& arguments,
                     const std::vector<std::string>& nulls = {}) {
  const contract::Maker maker{
      .scalar =
          [&library](double value, aclDataType dtype) {
            return const_cast<aclScalar*>(
                dtype == ACL_FLOAT ? library->scalar(static_cast<float>(value))
                                   : library->scalar(static_cast<Number>(value), dtype_of(dtype)));
          },
      .int_array =
          [&library](const contract::Shape& values) {
            return const_cast<aclIntArray*>(library->int_array(values));
          },
      .bool_array =
          [&library](const std::vector<char>& values) {
            return const_cast<aclBoolArray*>(library->bool_array(values));
          }};
  contract::BoundPhaseOne bound(
      arguments, maker, library->ask(arguments.op().name + "GetWorkspaceSize"),
      [library](const char* name) { return library->find(name); }, nulls);
  if (bound.needs_dtype()) library->ask("aclGetDataType");
  return bound;
}

std::vector<TensorArgument> tensors_of(const Arguments& arguments) {
  std::vector<TensorArgument> tensors;
  for (const std::size_t i : contract::places_of_tensors(arguments)) {
    const Parameter& parameter = arguments.parameters()[i];
    const TensorSpec* spec = parameter.tensor();
    tensors.push_back({.name = parameter.name,
                       .shape = spec->shape,
                       .free_dtype = spec->any_dtype,
                       .promotes = spec->promotes,
                       .free_shape = spec->any_shape,
                       .optional = arguments.op().parameter(parameter.name).tensor()->optional,
                       .if_null = spec->if_null});
    if (spec->dtype) tensors.back().dtype = dtype_of(*spec->dtype);
  }
  return tensors;
}

// The right call with a refusal's changes.
Arguments changed(const Entry& op, const contract::ErrorInput& refusal) {
  Arguments arguments(op);
  for (Parameter& parameter : arguments.parameters()) {
    for (const auto& [name, spec] : refusal.changes) {
      if (parameter.name != name) continue;
      const TensorSpec* before = parameter.tensor();
      const Role role = before != nullptr ? before->role : Role::kInput;
      parameter.spec = spec;
      if (auto* tensor = std::get_if<TensorSpec>(&parameter.spec)) tensor->role = role;
    }
  }
  return arguments;
}

// With the tensors that gradcheck makes: of the device's own product, in FLOAT, in the format of
// their rank.
bool can_be_asked(const contract::ErrorInput& refusal) {
  return std::string_view(refusal.product) == "Ascend910B" && refusal.dtype == ACL_FLOAT &&
         std::ranges::none_of(refusal.changes, [](const auto& change) {
           const auto* tensor = std::get_if<TensorSpec>(&change.second);
           return tensor != nullptr && tensor->format;
         });
}

// Lists of dimensions that every operator refuses.
void add_list_refusals(const LibraryPointer& library, const Arguments& arguments, EntryPoint& entry,
                       const std::string& list) {
  const Entry& op = arguments.op();
  const auto rank = static_cast<std::int64_t>(
      std::max<std::size_t>(arguments.shape(op.parameters.front().name).size(), 1));
  for (const Dims& wrong : {Dims{rank}, Dims{-rank - 1}, Dims{0, -rank}}) {
    Arguments changed = arguments;
    changed.array(list) = wrong;
    entry.refusals.push_back({fmt::format("{} = [{}]", list, fmt::join(wrong, ", ")), 161002,
                              plan_of(library, changed)});
  }
}

// What null gives in the place of an array or a scalar; nothing where it is accepted.
std::optional<aclnnStatus> status_of_null(const contract::ParameterSpec& spec) {
  if (const auto* flags = std::get_if<contract::BoolsSpec>(&spec)) return flags->if_null;
  const auto* scalar = std::get_if<contract::ScalarSpec>(&spec);
  const auto* values = std::get_if<contract::ValuesSpec>(&spec);
  const bool is_refused = std::holds_alternative<contract::Shape>(spec) ||
                          (scalar != nullptr && !scalar->optional) ||
                          (values != nullptr && !values->optional);
  return is_refused ? std::optional<aclnnStatus>(161001) : std::nullopt;
}

void add_refusals(const LibraryPointer& library, const Arguments& arguments, EntryPoint& entry) {
  const Entry& op = arguments.op();
  for (std::size_t i = 0; i < op.parameters.size(); ++i) {
    const contract::ParameterSpec& spec = arguments.parameters()[i].spec;
    const bool is_list = std::holds_alternative<contract::Shape>(spec);
    if (const auto* flags = std::get_if<contract::BoolsSpec>(&spec)) {
      Arguments more = arguments;
      std::get<contract::BoolsSpec>(more.parameters()[i].spec).values.push_back(1);
      entry.refusals.push_back(
          {"one value more in " + op.parameters[i].name, flags->if_longer, plan_of(library, more)});
    }
    const std::optional<aclnnStatus> status = status_of_null(spec);
    if (status && !op.parameters[i].nullable) {
      entry.refusals.push_back({"null " + op.parameters[i].name, *status,
                                plan_of(library, arguments, {op.parameters[i].name})});
    }
    if (is_list) add_list_refusals(library, arguments, entry, op.parameters[i].name);
  }
  for (const contract::ErrorInput& refusal : op.error_inputs) {
    if (!can_be_asked(refusal)) continue;
    const Arguments wrong = changed(op, refusal);
    const std::string& name =
        refusal.changes.empty() ? refusal.nulls.front() : refusal.changes.front().first;
    entry.refusals.push_back({name + " " + refusal.what, refusal.status,
                              plan_of(library, wrong, refusal.nulls), tensors_of(wrong)});
  }
}

EntryPoint entry_point(const LibraryPointer& library, const Arguments& arguments) {
  const Entry& op = arguments.op();
  EntryPoint entry{.api = op.name, .tensors = tensors_of(arguments), .inputs = 0, .plan = {}};
  for (const Parameter& parameter : arguments.parameters()) {
    const TensorSpec* spec = parameter.tensor();
    if (spec == nullptr || spec->optional) continue;
    if (spec->role == Role::kInPlace) entry.written.push_back(entry.inputs);
    if (spec->role != Role::kOutput) ++entry.inputs;
  }
  entry.plan = plan_of(library, arguments);
  entry.highest_rank = op.max_rank;
  entry.wrong_shape = op.wrong_shape;
  entry.nan_goes_through = op.nan_goes_through;
  entry.dtypes = dtypes_of(op.everywhere);
  for (const aclDataType dtype : op.from_a2_on) entry.dtypes.push_back(dtype_of(dtype));
  entry.bfloat16_everywhere = std::ranges::count(op.everywhere, ACL_BF16) > 0;
  entry.mixed = dtypes_of(op.mixed);
  if (op.also_accepts) {
    entry.also_accepts = [arguments](const std::string& product, DType dtype) {
      return arguments.op().also_accepts(arguments, product, static_cast<aclDataType>(dtype));
    };
  }
  if (op.also_refuses) {
    entry.refuses = [arguments](const std::string& product, DType dtype) {
      return arguments.op().also_refuses(arguments, product, static_cast<aclDataType>(dtype));
    };
  }
  entry.values = dtypes_of(value_dtypes_of(arguments));
  add_refusals(library, arguments, entry);
  return entry;
}

Convention convention_of(contract::Side side) {
  switch (side) {
    case contract::Side::kLeft:
      return Convention::left;
    case contract::Side::kRight:
      return Convention::right;
    case contract::Side::kInside:
      return Convention::inside;
    case contract::Side::kOutside:
      return Convention::outside;
    default:
      return Convention::any;
  }
}

// The results beside tensors of a dtype.
void describe_results(const Arguments& arguments, const Entry& op, Subject& s) {
  if (op.property) {
    s.property = [arguments](const Array& result, DType dtype) {
      return arguments.op().property(arguments.in(static_cast<aclDataType>(dtype)),
                                     {result.shape, result.values});
    };
  } else {
    s.reference = [arguments](const Arrays& inputs, DType dtype) {
      return to_arrays(
          contract::results_of(arguments.in(static_cast<aclDataType>(dtype)), from_arrays(inputs)));
    };
  }
  s.bilinear = op.complex == contract::Complex::kBilinear;
  if (op.magnitude) {
    s.magnitude = [arguments](const Arrays& inputs) {
      return to_arrays(arguments.op().magnitude(arguments, from_arrays(inputs)));
    };
  }
  const contract::Bound bound = bound_of(arguments);
  s.forward_ulp = bound.of_float;
  s.forward_ulp_double = bound.of_double.value_or(bound.of_float);
  s.forward_ulp_16bit = std::max(0.5001, bound.of_16_bits);
}

// The forward's inputs and formula.
void describe_forward(const Arguments& arguments, const Entry& op, std::size_t differentiable,
                      gradcheck::Operator& checked) {
  checked.inputs.clear();
  const std::string& base = op.base.empty() ? op.parameters.front().name : op.base;
  for (const Parameter& parameter : arguments.parameters()) {
    const TensorSpec* spec = parameter.tensor();
    if (spec == nullptr || spec->optional || spec->role == Role::kOutput) continue;
    Input input{.name = parameter.name, .shape = spec->shape, .low = spec->low, .high = spec->high};
    input.differentiable = checked.inputs.size() < differentiable;
    if (spec->dtype) input.dtype = dtype_of(*spec->dtype);
    checked.inputs.push_back(std::move(input));
  }
  if (!checked.inputs.empty() && checked.inputs.front().name != base) {
    checked.command_shape = arguments.shape(base);
  }
  if (!op.is_elementwise() || !has_one_shape(arguments)) {
    checked.forward = [arguments,
                       first = contract::differentiated_result(arguments)](const Arrays& inputs) {
      Arrays results = to_arrays(contract::results_of(arguments, from_arrays(inputs)));
      std::swap(results[0], results[first]);
      return results;
    };
    return;
  }
  checked.scalar = [formula = op.formula.number, numbers = arguments.numbers()](
                       std::span<const Number> x) { return formula(x, numbers); };
  if (op.formula.dual) {
    checked.dual = [formula = op.formula.dual, numbers = arguments.numbers()](
                       std::span<const Dual> x) { return formula(x, numbers); };
  }
}

void describe_backward(const LibraryPointer& library, const Arguments& arguments, std::size_t first,
                       Subject& s) {
  const Entry& op = arguments.op();
  s.backward = entry_point(library, arguments);
  s.checked.saved = [arguments, first](const Arrays& inputs, const Arrays& outputs,
                                       const Array& cotangent) {
    contract::Arrays results = from_arrays(outputs);
    std::swap(results[0], results[first]);
    return to_arrays(contract::backward_inputs(arguments, from_arrays(inputs), results,
                                               {cotangent.shape, cotangent.values}));
  };
  for (std::size_t i = 0; i < s.backward->inputs; ++i) {
    s.checked.saved_dtypes.push_back(s.backward->tensors[i].dtype);
    s.checked.saved_names.push_back(s.backward->tensors[i].name);
  }
  for (std::size_t i = s.backward->inputs; i < s.backward->tensors.size(); ++i) {
    s.checked.gradient_dtypes.push_back(s.backward->tensors[i].dtype);
  }
  s.checked.exact_backward = [arguments](const Arrays& given) {
    return to_arrays(contract::results_of(arguments, from_arrays(given)));
  };
  if (op.magnitude) {
    s.checked.backward_magnitude = [arguments](const Arrays& given) {
      return to_arrays(arguments.op().magnitude(arguments, from_arrays(given)));
    };
  }
  s.checked.nan_goes_through = op.nan_goes_through;
  s.checked.convention = convention_of(op.gradient->side);
  s.checked.model = {.final_ulp_16bit = op.bound.of_16_bits,
                     .final_ulp = op.bound.of_float,
                     .inner = op.bound.inner,
                     .final_ulp_double = op.bound.of_double};
  if (op.is_elementwise()) s.checked.in_place = {0, 1};
  if (std::ranges::count(op.everywhere, ACL_DOUBLE) > 0) {
    s.gradient_dtypes.push_back(DType::float64);
  }
  s.checked.backward = from_executors(library, op.name, s.backward->plan);
}

// Whether the backward has a result for each of the forward's inputs that have a gradient.
bool is_whole(const Entry& op, const contract::Sample& sample) {
  if (!op.gradient) return true;
  const auto count = [&sample](const Entry& of, bool results) {
    const Arguments arguments(of, sample, contract::base_shape_of(of, 2));
    return static_cast<std::size_t>(
        std::ranges::count_if(arguments.parameters(), [results](const Parameter& each) {
          const TensorSpec* spec = each.tensor();
          return spec != nullptr && !spec->optional && (spec->role == Role::kOutput) == results;
        }));
  };
  return count(op, true) <= count(contract::find_contract(op.gradient->of), false);
}

Subject subject_of(const LibraryPointer& library, const Entry& op, const Attributes& attributes,
                   const std::optional<Dims>& shape) {
  contract::Sample sample = sample_of(op, attributes);
  const Entry& forward = op.gradient ? contract::find_contract(op.gradient->of) : op;
  if (shape) {
    // Instead of the sample's.
    const std::string& base = forward.base.empty() ? forward.parameters[0].name : forward.base;
    std::erase_if(sample.settings, [&](const auto& setting) { return setting.first == base; });
  }
  const Dims base = shape.value_or(contract::base_shape_of(forward, 2));
  const Arguments call(forward, sample, base);
  Subject s;
  s.forward = entry_point(library, call);
  for (const contract::Family& family : contract::families()) {
    for (const Entry& form : family.operators) {
      if (form.form_of != forward.name) continue;
      const Arguments taken(form, sample, base);
      if (is_form_of(taken, call)) s.other_forms.push_back(entry_point(library, taken));
    }
  }
  describe_forward(call, forward, op.gradient ? op.gradient->count : 1, s.checked);
  describe_results(call, forward, s);
  const Arguments head(op, sample, base);
  s.checked.name = op.name;
  s.checked.attributes = head.label();
  s.checked.reproduce = options_text(head);
  if (op.gradient) {
    const std::string more = options_text(call, &op);
    if (!more.empty()) s.checked.reproduce += (s.checked.reproduce.empty() ? "" : " ") + more;
  }
  if (op.gradient) describe_backward(library, head, contract::differentiated_result(call), s);
  add_chain(library, head, s);
  return s;
}

}  // namespace

std::vector<KnownOperator> book_operators() {
  std::vector<KnownOperator> all;
  for (const contract::Family& family : contract::families()) {
    for (const Entry& op : family.operators) {
      if (op.check.empty()) continue;
      KnownOperator known{op.check,
                          [&op](const LibraryPointer& library, const Attributes& attributes,
                                const std::optional<Dims>& shape) {
                            try {
                              return subject_of(library, op, attributes, shape);
                            } catch (const std::invalid_argument& error) {
                              throw ValueError(error.what());
                            }
                          },
                          {},
                          {}};
      for (const contract::Sample& sample : op.samples) {
        if (!sample.is_gradient || !is_whole(op, sample)) continue;
        known.variants.push_back({.sample = &sample});
      }
      known.options = options_of(op);
      all.push_back(std::move(known));
    }
  }
  return all;
}

}  // namespace aclgrad::gradcheck::detail
