// SPDX-License-Identifier: Apache-2.0
// Operators of the C interface as data. A struct of attributes is what one call is given; it names
// those that phase one takes, in the order of its parameters. A constant says what the operator is
// called, what it calls and where its outputs lie. DeclaredOp makes an Op of the two.
//
//   struct LeakyReluAttributes {
//     double negative_slope;
//     auto arguments() const { return named({"negative_slope"}, negative_slope); }
//   };
//   constexpr Declaration<LeakyReluAttributes> kLeakyRelu = {
//       "leaky_relu", ACLGRAD_C(aclnnLeakyRelu), elementwise};
//   using LeakyReluOp = DeclaredOp<kLeakyRelu>;
//
// An Op that needs more than this derives from AclnnOp, or ElementwiseOp, itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "aclgrad/graph/op.h"
#include "aclgrad/tensor/to_float.h"
#include "aclgrad_common/phase_one.h"

namespace aclgrad {

/// Attributes with their names. Op::attributes is "alpha=1, dim=-1" of them, without those that
/// have no name, which are constants of the call; a struct of attributes with a function
/// std::string text() has that instead.
template <class... Values>
struct NamedArguments {
  std::array<std::string_view, sizeof...(Values)> names;
  std::tuple<Values...> values;
};

/// Attributes with their names, as listings show them.
template <class... Values>
NamedArguments<Values...> named(const std::string_view (&names)[sizeof...(Values)],
                                const Values&... values) {
  return {std::to_array(names), {values...}};
}

inline NamedArguments<> named() { return {}; }

/// For an operator without attributes.
struct NoAttributes {
  auto arguments() const { return named(); }
};

/// For an operator along one dimension.
struct DimAttributes {
  std::int64_t dim;
  auto arguments() const { return named({"dim"}, dim); }
};

/// Whether an output has the memory of an input: never; when a session chooses so
/// (CallOp::may_overwrite); always, as the input's new contents (CallOp::updated_input), where the
/// old ones are read or are not.
enum class OutputMemory : std::uint8_t { separate, may_be_shared, updated, replaced };

/// An operator's pair of C functions: ACLGRAD_C(aclnnElu) is aclnnElu and
/// aclnnEluGetWorkspaceSize.
template <auto kPhaseOne>
struct CFunctions {
  std::string_view name;
  PhaseTwo phase_two;
};
#define ACLGRAD_C(function) \
  ::aclgrad::CFunctions<function##GetWorkspaceSize> { #function, function }

/// Marks a Declaration as an activation between layers, whose outputs Trainer::observe() looks at.
struct IsActivation {};
inline constexpr IsActivation is_activation;

/// For Declaration::memory: outputs have memory of their own.
template <class Attributes>
OutputMemory separate(const Attributes&, std::size_t, std::size_t) {
  return OutputMemory::separate;
}

/// Every output element depends on no input element but those at its place.
template <class Attributes>
OutputMemory elementwise(const Attributes&, std::size_t, std::size_t) {
  return OutputMemory::may_be_shared;
}

/// Every output is the new contents of the input of the same number, a variable.
template <class Attributes>
OutputMemory updating(const Attributes&, std::size_t output, std::size_t input) {
  return output == input ? OutputMemory::updated : OutputMemory::separate;
}

/// The output is the new contents of input 0, a variable, whose old ones do not matter.
template <class Attributes>
OutputMemory replacing(const Attributes&, std::size_t output, std::size_t input) {
  return output == 0 && input == 0 ? OutputMemory::replaced : OutputMemory::separate;
}

namespace detail {

// Whether a parameter of phase one is given an attribute.
template <class Parameter>
constexpr bool is_attribute =
    !std::is_same_v<Parameter, const aclTensor*> && !std::is_same_v<Parameter, aclTensor*> &&
    !std::is_same_v<Parameter, const aclTensorList*> &&
    !std::is_same_v<Parameter, aclTensorList*> && !std::is_same_v<Parameter, aclDataType>;

template <class PhaseOne, std::size_t... kIndex>
constexpr std::size_t count_attributes(std::index_sequence<kIndex...>) {
  return (std::size_t{0} + ... + is_attribute<typename PhaseOne::template Type<kIndex>>);
}

template <class Parameter, class Attribute>
Parameter argument(AclnnCall& call, const Attribute& attribute) {
  if constexpr (std::is_same_v<Attribute, std::optional<double>>) {
    return attribute ? call.scalar(*attribute) : nullptr;
  } else if constexpr (std::is_same_v<Parameter, const aclScalar*>) {
    return call.scalar(attribute);
  } else if constexpr (std::is_same_v<Parameter, const aclIntArray*>) {
    return call.int_array(attribute);
  } else if constexpr (std::is_same_v<Parameter, float>) {
    return to_float(attribute);
  } else {
    return static_cast<Parameter>(attribute);
  }
}

std::string text(double value);
std::string text(std::int64_t value);
std::string text(bool value);
std::string text(std::span<const std::int64_t> values);
std::string text(std::span<const bool> values);
template <class Enumeration>
requires std::is_enum_v<Enumeration> std::string text(Enumeration value) {
  return to_string(value);
}

std::string join(std::span<const std::string_view> names, std::span<const std::string> values);

template <class... Values>
std::string text(const NamedArguments<Values...>& named) {
  return std::apply(
      [&](const Values&... value) {
        const std::array<std::string, sizeof...(Values)> texts{text(value)...};
        return join(named.names, texts);
      },
      named.values);
}

template <class Attributes, class Function>
aclnnStatus call_in_order(Function* phase_one, const Attributes& attributes, AclnnCall& call,
                          std::uint64_t* size, aclOpExecutor** executor) {
  using PhaseOne = common::PhaseOne<Function>;
  const auto values = attributes.arguments().values;
  static_assert(count_attributes<PhaseOne>(std::make_index_sequence<PhaseOne::kCount>()) ==
                std::tuple_size_v<decltype(values)>);
  std::size_t input = 0;
  std::size_t output = 0;
  const auto next = [&]<std::size_t kIndex>() {
    using Type = typename PhaseOne::template Type<kIndex>;
    if constexpr (is_attribute<Type>) {
      constexpr auto kBefore = std::make_index_sequence<kIndex>{};
      return argument<Type>(call, std::get<count_attributes<PhaseOne>(kBefore)>(values));
    } else if constexpr (std::is_same_v<Type, aclDataType>) {
      return call.output_dtype();
    } else if constexpr (std::is_same_v<Type, const aclTensorList*>) {
      const bool is_input = std::exchange(input, call.input_count()) < call.input_count();
      return is_input ? call.input_list() : call.output_list();
    } else if constexpr (std::is_same_v<Type, aclTensorList*>) {
      return call.output_list();
    } else {
      // A variable that was given as the output of its number is not given as an input again.
      while (input < std::min(output, call.input_count()) &&
             call.input(input) == call.output(input)) {
        ++input;
      }
      // Some functions declare their output const.
      const bool is_input = std::is_same_v<Type, const aclTensor*> && input < call.input_count();
      return is_input ? call.input(input++) : call.output(output++);
    }
  };
  return PhaseOne::call(phase_one, next, size, executor);
}

}  // namespace detail

/// For Declaration::phase_one: gives the C function the inputs, the attributes and the outputs,
/// each in their order, and the output's dtype where it asks for one. A list of tensors is all
/// inputs, or all outputs.
template <auto kPhaseOne, class Attributes>
aclnnStatus in_order(const Attributes& attributes, AclnnCall& call, std::uint64_t* size,
                     aclOpExecutor** executor) {
  return detail::call_in_order(kPhaseOne, attributes, call, size, executor);
}

template <class AttributesType = NoAttributes>
struct Declaration {
  using Attributes = AttributesType;

  /// Whether an output has the memory of an input: one of the functions above, or another.
  using Memory = OutputMemory (*)(const Attributes& attributes, std::size_t output,
                                  std::size_t input);
  /// Calls phase one and returns its status: in_order<...>, or a function of its own.
  using PhaseOne = aclnnStatus (*)(const Attributes& attributes, AclnnCall& call,
                                   std::uint64_t* workspace_size, aclOpExecutor** executor);
  /// CallOp::without_updates, where there is such a form.
  using WithoutUpdates = std::shared_ptr<const CallOp> (*)(const Attributes& attributes);

  template <auto kPhaseOne>
  constexpr Declaration(std::string_view op, CFunctions<kPhaseOne> functions, Memory where,
                        PhaseOne calls = in_order<kPhaseOne, Attributes>,
                        WithoutUpdates unchanged = nullptr)
      : name(op),
        call_name(functions.name),
        phase_two(functions.phase_two),
        memory(where),
        phase_one(calls),
        without_updates(unchanged) {}

  template <auto kPhaseOne>
  constexpr Declaration(std::string_view op, CFunctions<kPhaseOne> functions, Memory where,
                        IsActivation)
      : Declaration(op, functions, where) {
    is_activation = true;
  }

  std::string_view name;       ///< Op::name: "elu"
  std::string_view call_name;  ///< CallOp::call_name: "aclnnElu"
  PhaseTwo phase_two;
  Memory memory;
  PhaseOne phase_one;
  WithoutUpdates without_updates;
  bool is_activation = false;
};

namespace detail {

/// All of a DeclaredOp that its attributes' type settles, so that it is compiled once for each type
/// and not for each operator.
template <class AttributesType>
class DeclaredCall : public AclnnOp, public AttributesType {
 public:
  using Attributes = AttributesType;

  std::string_view name() const override { return declaration_.name; }
  std::string_view call_name() const override { return declaration_.call_name; }
  std::string attributes() const override {
    if constexpr (requires(const Attributes& values) { values.text(); }) {
      return Attributes::text();
    } else {
      return detail::text(Attributes::arguments());
    }
  }
  aclnnStatus phase_one(AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) const override {
    return declaration_.phase_one(*this, call, size, executor);
  }
  PhaseTwo phase_two() const override { return declaration_.phase_two; }
  bool may_overwrite(std::size_t output, std::size_t input) const override {
    return declaration_.memory(*this, output, input) == OutputMemory::may_be_shared;
  }
  std::optional<std::size_t> updated_input(std::size_t output) const override {
    const OutputMemory memory = declaration_.memory(*this, output, output);
    const bool updates = memory == OutputMemory::updated || memory == OutputMemory::replaced;
    return updates ? std::optional(output) : std::nullopt;
  }
  bool is_activation() const override { return declaration_.is_activation; }
  std::shared_ptr<const CallOp> without_updates() const override {
    return declaration_.without_updates ? declaration_.without_updates(*this) : nullptr;
  }
  bool reads_input(std::size_t input) const override {
    return declaration_.memory(*this, input, input) != OutputMemory::replaced;
  }

 protected:
  DeclaredCall(const Declaration<Attributes>& declaration, Attributes values)
      : Attributes(std::move(values)), declaration_(declaration) {}

 private:
  const Declaration<Attributes>& declaration_;
};

/// Of a Declaration, or of an array of them: Clang before 18 takes no element as a template's
/// argument.
template <const auto& kDeclaration>
using AttributesOf = typename std::remove_cvref_t<
    std::remove_all_extents_t<std::remove_reference_t<decltype(kDeclaration)>>>::Attributes;

}  // namespace detail

/// The Op of a Declaration; its attributes are members.
template <const auto& kDeclaration>
class DeclaredOp final : public detail::DeclaredCall<detail::AttributesOf<kDeclaration>> {
 public:
  using Attributes = detail::AttributesOf<kDeclaration>;

  explicit DeclaredOp(Attributes values = {})
      : detail::DeclaredCall<Attributes>(kDeclaration, std::move(values)) {}

  static constexpr const auto& declaration() { return kDeclaration; }
};

/// The Op of one of several Declarations, an array: the attributes' member which() is its index.
template <const auto& kDeclarations>
class SelectedOp final : public detail::DeclaredCall<detail::AttributesOf<kDeclarations>> {
 public:
  using Attributes = detail::AttributesOf<kDeclarations>;

  explicit SelectedOp(Attributes values)
      : detail::DeclaredCall<Attributes>(kDeclarations[values.which()], values) {}

  static std::string_view name_of(const Attributes& values) {
    return kDeclarations[values.which()].name;
  }
};

}  // namespace aclgrad
