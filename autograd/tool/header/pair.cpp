// SPDX-License-Identifier: Apache-2.0
#include "tool/header/pair.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "gradcheck/core/watch.h"

namespace aclgrad::gradcheck {
namespace {

DType dtype_of(const CType& type) {
  if (type.kind == CType::Kind::kFloating) return type.bytes == 4 ? DType::float32 : DType::float64;
  return type.bytes == 4 ? DType::int32 : DType::int64;
}

DType dtype_of_pair(const Reading& reading) {
  for (const ReadParameter& each : reading.forward) {
    if (each.type.is_pointer && each.type.kind == CType::Kind::kFloating)
      return dtype_of(each.type);
  }
  return DType::float32;
}

// Where the arrays of a pair are: by parameters of the forward.
class Pair {
 public:
  Pair(const ForeignFunction& forward, const ForeignFunction& backward, const Reading& reading)
      : forward_(forward), backward_(backward), reading_(reading) {
    for (std::size_t k = 0; k < reading.forward.size(); ++k) {
      const Role role = reading.forward[k].role;
      if (role == Role::kInput || role == Role::kBoth) input_.emplace(k, input_.size());
      if (role == Role::kOutput || role == Role::kBoth) output_.emplace(k, output_.size());
    }
    if (forward.prototype().result.kind != CType::Kind::kNothing) {
      output_.emplace(Reading::kResult, output_.size());
    }
  }

  const std::map<std::size_t, std::size_t>& inputs() const { return input_; }
  const std::map<std::size_t, std::size_t>& outputs() const { return output_; }

  bool has(Role role, std::size_t of) const {
    return std::ranges::any_of(reading_.backward, [&](const ReadParameter& each) {
      if (each.role == Role::kInPlace)
        return role == Role::kUpstream ? each.of == of : input_over(each) == of;
      return each.role == role && each.of == of;
    });
  }

  const ReadParameter* gradient(std::size_t of) const {
    const auto it = std::ranges::find_if(reading_.backward, [&](const ReadParameter& each) {
      return each.role == Role::kGradient && each.of == of;
    });
    return it == reading_.backward.end() ? nullptr : &*it;
  }

  void call_forward(std::span<const void* const> in, std::span<void* const> out) const {
    std::vector<CArgument> arguments;
    for (std::size_t k = 0; k < reading_.forward.size(); ++k) {
      const ReadParameter& each = reading_.forward[k];
      if (each.role == Role::kNumber) {
        arguments.push_back(number(each));
      } else if (each.role == Role::kInput) {
        arguments.emplace_back(const_cast<void*>(in[input_.at(k)]));
      } else {
        void* const to = out[output_.at(k)];
        if (each.role == Role::kBoth) std::memcpy(to, in[input_.at(k)], bytes(each));
        arguments.emplace_back(to);
      }
    }
    const detail::WatchedCall watched(forward_.prototype().name);
    const double returned = forward_(arguments);
    for (const auto& [k, place] : output_) {
      if (k == Reading::kResult) {
        store(out[place], forward_.prototype().result, returned);
      } else {
        clear(out[place], reading_.forward[k], reading_.forward[k].gaps);
      }
    }
  }

  void call_backward(std::span<const void* const> in, std::span<const void* const> out,
                     std::span<const void* const> d_out, std::span<void* const> d_in) const {
    std::vector<CArgument> arguments;
    std::vector<std::vector<std::byte>> scratch;
    for (const ReadParameter& each : reading_.backward) {
      switch (each.role) {
        case Role::kNumber:
          arguments.push_back(number(each));
          break;
        case Role::kUpstream: {
          const void* const from = d_out[output_.at(each.of)];
          if (each.spent) {
            const auto* const bytes_from = static_cast<const std::byte*>(from);
            scratch.emplace_back(bytes_from, bytes_from + bytes(each));
            arguments.emplace_back(static_cast<void*>(scratch.back().data()));
          } else if (each.type.is_pointer) {
            arguments.emplace_back(const_cast<void*>(from));
          } else {
            arguments.emplace_back(load(from, each.type));
          }
          break;
        }
        case Role::kInput:
          arguments.emplace_back(const_cast<void*>(in[input_.at(each.of)]));
          break;
        case Role::kOutput:
        case Role::kBoth:
          arguments.emplace_back(const_cast<void*>(out[output_.at(each.of)]));
          break;
        case Role::kGradient:
          arguments.emplace_back(d_in[input_.at(each.of)]);
          break;
        case Role::kInPlace: {
          void* const to = d_in[input_.at(input_over(each))];
          std::memcpy(to, d_out[output_.at(each.of)], bytes(each));
          arguments.emplace_back(to);
          break;
        }
        case Role::kScratch:
          scratch.emplace_back(bytes(each));
          arguments.emplace_back(static_cast<void*>(scratch.back().data()));
          break;
      }
    }
    {
      const detail::WatchedCall watched(backward_.prototype().name);
      backward_(arguments);
    }
    for (const ReadParameter& each : reading_.backward) {
      if (each.role == Role::kGradient) clear(d_in[input_.at(each.of)], each, each.gaps);
    }
  }

 private:
  static CArgument number(const ReadParameter& each) {
    if (each.type.kind == CType::Kind::kFloating) return each.value;
    return static_cast<std::int64_t>(each.value);
  }
  static std::size_t bytes(const ReadParameter& each) {
    return each.reached * static_cast<std::size_t>(each.type.bytes);
  }
  static void store(void* to, const CType& type, double value) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(to, type.bytes == 4 ? static_cast<const void*>(&narrow) : &value,
                static_cast<std::size_t>(type.bytes));
  }
  static double load(const void* from, const CType& type) {
    if (type.bytes == 4) {
      float value = 0;
      std::memcpy(&value, from, sizeof(value));
      return static_cast<double>(value);
    }
    double value = 0;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static void clear(void* array, const ReadParameter& each, const std::vector<std::size_t>& gaps) {
    const auto size = static_cast<std::size_t>(each.type.bytes);
    for (const std::size_t i : gaps)
      std::memset(static_cast<std::byte*>(array) + i * size, 0, size);
  }

  // The input whose gradient is written over what arrives at an output: of one that the output is
  // written over that one, else the first of as many elements.
  std::size_t input_over(const ReadParameter& gradient) const {
    if (input_.contains(gradient.of)) return gradient.of;
    for (const auto& [k, place] : input_) {
      const ReadParameter& each = reading_.forward[k];
      if (each.type.kind == CType::Kind::kFloating && each.reached >= gradient.reached) return k;
    }
    return input_.begin()->first;
  }

  const ForeignFunction& forward_;
  const ForeignFunction& backward_;
  const Reading& reading_;
  std::map<std::size_t, std::size_t> input_;   // places among the pair's inputs
  std::map<std::size_t, std::size_t> output_;  // and outputs
};

}  // namespace

FunctionPair pair_of(const ForeignFunction& forward, const ForeignFunction& backward,
                     const Reading& reading, const Corrections& corrections) {
  const auto functions = std::make_shared<const Pair>(forward, backward, reading);
  FunctionPair pair{
      .name = forward.prototype().name, .inputs = {}, .outputs = {}, .forward = {}, .backward = {}};
  for (const auto& [k, place] : functions->inputs()) {
    const ReadParameter& each = reading.forward[k];
    const auto [low, high] = range_of(each, corrections);
    const ReadParameter* const gradient = functions->gradient(k);
    pair.inputs.push_back({.name = each.name,
                           .shape = {static_cast<std::int64_t>(each.reached)},
                           .dtype = dtype_of(each.type),
                           .low = low,
                           .high = high,
                           .has_gradient = functions->has(Role::kGradient, k),
                           .adds_gradient = gradient != nullptr && gradient->adds});
  }
  for (const auto& [k, place] : functions->outputs()) {
    const bool is_result = k == Reading::kResult;
    pair.outputs.push_back(
        {.name = is_result ? "result" : reading.forward[k].name,
         .shape = {is_result ? 1 : static_cast<std::int64_t>(reading.forward[k].reached)},
         .dtype = is_result ? dtype_of_pair(reading) : dtype_of(reading.forward[k].type),
         .has_gradient = functions->has(Role::kUpstream, k)});
  }
  pair.forward = [functions](auto in, auto out) { functions->call_forward(in, out); };
  pair.backward = [functions](auto in, auto out, auto d_out, auto d_in) {
    functions->call_backward(in, out, d_out, d_in);
  };
  return pair;
}

}  // namespace aclgrad::gradcheck
