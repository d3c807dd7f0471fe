// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "aclgrad/error.h"
#include "gradcheck/core/watch.h"

namespace aclgrad::gradcheck {
namespace {

DType dtype_of(const CType& type) {
  if (type.kind == CType::Kind::kFloating) return type.bytes == 4 ? DType::float32 : DType::float64;
  return type.bytes == 4 ? DType::int32 : DType::int64;
}

double load(const void* from, DType dtype) {
  if (dtype == DType::float64) return *static_cast<const double*>(from);
  return static_cast<double>(*static_cast<const float*>(from));
}

void store(void* to, DType dtype, double value) {
  if (dtype == DType::float64) {
    *static_cast<double*>(to) = value;
  } else {
    *static_cast<float*>(to) = static_cast<float>(value);
  }
}

// Where the arrays of a pair are: by parameters of the forward.
class Pair {
 public:
  Pair(const ForeignFunction& forward, const ForeignFunction& backward, Roles roles,
       const Reach& reach)
      : forward_(forward),
        backward_(backward),
        roles_(std::move(roles)),
        numbers_(reach.numbers),
        elements_(reach.elements) {
    for (std::size_t k = 0; k < roles_.forward.size(); ++k) {
      const Role role = roles_.forward[k].role;
      if (role == Role::kInput || role == Role::kBoth) {
        input_.emplace(k, input_.size());
        const DType dtype = dtype_of(roles_.forward[k].type);
        if (is_float(dtype)) dtype_ = dtype;
      }
      if (role == Role::kOutput || role == Role::kBoth) output_.emplace(k, output_.size());
    }
    if (forward.prototype().result.kind != CType::Kind::kNothing) {
      output_.emplace(Roles::kResult, output_.size());
    }
    require_digits();
  }

  FunctionPair functions(const std::string& name, const Description& description,
                         const std::shared_ptr<const Pair>& self) const {
    FunctionPair pair{.name = name, .inputs = {}, .outputs = {}, .forward = {}, .backward = {}};
    for (const auto& [k, place] : input_) {
      const Parameter& read = roles_.forward[k];
      const Parameter* const gradient = gradient_of(k);
      const Range range = description.range({read.name, read.type});
      pair.inputs.push_back({.name = read.name,
                             .shape = {static_cast<std::int64_t>(elements_[k])},
                             .dtype = dtype_of(read.type),
                             .low = range.low,
                             .high = range.high,
                             .has_gradient = gradient != nullptr,
                             .adds_gradient = gradient != nullptr && gradient->promise == "added",
                             .optional = gradient != nullptr && gradient->is_optional,
                             .unbounded_below = range.unbounded_below,
                             .unbounded_above = range.unbounded_above});
    }
    for (const auto& [k, place] : output_) {
      const bool is_result = k == Roles::kResult;
      const Parameter* const upstream = upstream_of(k);
      pair.outputs.push_back({.name = roles_.name_of(k),
                              .shape = {is_result ? 1 : static_cast<std::int64_t>(elements_[k])},
                              .dtype = dtype_at(k),
                              .has_gradient = upstream != nullptr || roles_.unasked == k,
                              .consumed = upstream != nullptr && upstream->promise == "consumed"});
    }
    pair.forward = [self](auto in, auto out) { self->call_forward(in, out); };
    pair.backward = [self](auto in, auto out, auto d_out, auto d_in) {
      self->call_backward(in, out, d_out, d_in);
    };
    return pair;
  }

 private:
  // What is rounded to float on its way would be taken for a wrong gradient of double arrays.
  void require_digits() const {
    const auto require = [&](const CType& type, const Prototype& function, const char* what) {
      if (dtype_ == DType::float32 || type.bytes == 8) return;
      throw ValueError(fmt::format(
          "{}: {} is a float, and the arrays are double: give it their type", function.name, what));
    };
    const bool is_asked =
        upstream_of(Roles::kResult) != nullptr || roles_.unasked == Roles::kResult;
    if (is_asked) require(forward_.prototype().result, forward_.prototype(), "what it returns");
    for (const Parameter& read : roles_.backward) {
      if (read.role != Role::kUpstream || read.type.is_pointer) continue;
      require(read.type, backward_.prototype(), "the gradient that arrives");
    }
  }

  // What is returned is kept as the arrays are, whatever C type it has.
  DType dtype_at(std::size_t k) const {
    return k == Roles::kResult ? dtype_ : dtype_of(roles_.forward[k].type);
  }

  const Parameter* gradient_of(std::size_t input) const {
    const auto it = std::ranges::find_if(roles_.backward, [&](const Parameter& read) {
      return (read.role == Role::kGradient || read.role == Role::kInPlace) && read.of == input;
    });
    return it == roles_.backward.end() ? nullptr : &*it;
  }

  const Parameter* upstream_of(std::size_t output) const {
    const auto it = std::ranges::find_if(roles_.backward, [&](const Parameter& read) {
      return (read.role == Role::kUpstream && read.of == output) ||
             (read.role == Role::kInPlace && read.over == output);
    });
    return it == roles_.backward.end() ? nullptr : &*it;
  }

  void call_forward(std::span<const void* const> in, std::span<void* const> out) const {
    std::vector<CArgument> arguments;
    for (std::size_t k = 0; k < roles_.forward.size(); ++k) {
      const Parameter& read = roles_.forward[k];
      if (read.role == Role::kNumber) {
        arguments.push_back(number(read));
      } else if (read.role == Role::kInput) {
        arguments.emplace_back(const_cast<void*>(in[input_.at(k)]));
      } else {
        void* const to = out[output_.at(k)];
        if (read.role == Role::kBoth) std::memcpy(to, in[input_.at(k)], bytes(k));
        // Elements that it never writes to, as between rows, are 0.
        if (read.role == Role::kOutput) std::memset(to, 0, bytes(k));
        arguments.emplace_back(to);
      }
    }
    const detail::WatchedCall watched(forward_.prototype().name);
    const double returned = forward_(arguments);
    if (const auto result = output_.find(Roles::kResult); result != output_.end()) {
      store(out[result->second], dtype_, returned);
    }
  }

  void call_backward(std::span<const void* const> in, std::span<const void* const> out,
                     std::span<const void* const> d_out, std::span<void* const> d_in) const {
    std::vector<CArgument> arguments;
    std::vector<std::vector<std::byte>> scratch;
    for (const Parameter& read : roles_.backward) {
      switch (read.role) {
        case Role::kUnknown:
        case Role::kNumber:
          arguments.push_back(number(read));
          break;
        case Role::kUpstream: {
          const void* const from = d_out[output_.at(read.of)];
          if (read.type.is_pointer) {
            arguments.emplace_back(const_cast<void*>(from));
          } else {
            arguments.emplace_back(load(from, dtype_at(read.of)));
          }
          break;
        }
        case Role::kInput:
          arguments.emplace_back(const_cast<void*>(in[input_.at(read.of)]));
          break;
        case Role::kOutput:
        case Role::kBoth:
          arguments.emplace_back(const_cast<void*>(out[output_.at(read.of)]));
          break;
        case Role::kGradient: {
          void* const to = d_in[input_.at(read.of)];
          if (to != nullptr && read.promise == "zeroed") std::memset(to, 0, bytes(read.of));
          arguments.emplace_back(to);
          break;
        }
        case Role::kInPlace: {
          void* const to = d_in[input_.at(read.of)];
          std::memcpy(to, d_out[output_.at(read.over)], bytes(read.of));
          arguments.emplace_back(to);
          break;
        }
        case Role::kScratch:
          scratch.emplace_back(elements_of_scratch(read.name) *
                               static_cast<std::size_t>(read.type.bytes));
          arguments.emplace_back(static_cast<void*>(scratch.back().data()));
          break;
      }
    }
    const std::vector<std::vector<double>> before = gradients(d_in);
    {
      const detail::WatchedCall watched(backward_.prototype().name);
      backward_(arguments);
    }
    if (const auto k = roles_.unasked) {
      scale(d_in, before, load(d_out[output_.at(*k)], dtype_at(*k)));
    }
  }

  // What the gradients' memory holds.
  std::vector<std::vector<double>> gradients(std::span<void* const> d_in) const {
    std::vector<std::vector<double>> all;
    for (const auto& [k, place] : input_) {
      std::vector<double>& values = all.emplace_back();
      for (std::size_t i = 0; d_in[place] != nullptr && i < elements_[k]; ++i) {
        values.push_back(load(element(d_in[place], k, i), dtype_at(k)));
      }
    }
    return all;
  }

  // A backward at which nothing arrives gives the gradient for 1.
  void scale(std::span<void* const> d_in, const std::vector<std::vector<double>>& before,
             double arriving) const {
    for (const auto& [k, place] : input_) {
      const Parameter* const gradient = gradient_of(k);
      for (std::size_t i = 0; i < before[place].size(); ++i) {
        void* const at = element(d_in[place], k, i);
        const double start = gradient->promise == "added" ? before[place][i] : 0;
        store(at, dtype_at(k), start + (load(at, dtype_at(k)) - start) * arriving);
      }
    }
  }

  void* element(void* array, std::size_t k, std::size_t i) const {
    return static_cast<std::byte*>(array) +
           i * static_cast<std::size_t>(roles_.forward[k].type.bytes);
  }

  // As many as are said, or enough.
  std::size_t elements_of_scratch(const std::string& name) const {
    const auto said = numbers_.find(name);
    return said == numbers_.end() ? 1 << 14 : static_cast<std::size_t>(said->second);
  }

  CArgument number(const Parameter& read) const {
    const double value = numbers_.at(read.name);
    if (read.type.kind == CType::Kind::kFloating) return value;
    return static_cast<std::int64_t>(value);
  }

  std::size_t bytes(std::size_t k) const {
    return elements_[k] * static_cast<std::size_t>(roles_.forward[k].type.bytes);
  }

  const ForeignFunction& forward_;
  const ForeignFunction& backward_;
  Roles roles_;
  DType dtype_ = DType::float32;  // of floating arrays
  Numbers numbers_;
  std::vector<std::size_t> elements_;          // of the forward's arrays
  std::map<std::size_t, std::size_t> input_;   // places among the pair's inputs
  std::map<std::size_t, std::size_t> output_;  // and outputs
};

}  // namespace

FunctionPair pair_of(const std::string& name, const ForeignFunction& forward,
                     const ForeignFunction& backward, const Roles& roles, const Reach& reach,
                     const Description& description) {
  const auto pair = std::make_shared<const Pair>(forward, backward, roles, reach);
  return pair->functions(name, description, pair);
}

}  // namespace aclgrad::gradcheck
