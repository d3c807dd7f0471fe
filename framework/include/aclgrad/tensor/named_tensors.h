// SPDX-License-Identifier: Apache-2.0
// Tensors with names, in an order: of a file, of a model's state, the parts of examples.
//
//   const NamedTensors arrays = read_npz("data.npz");
//   const Tensor& x = arrays["x"];
//   for (const auto& [name, tensor] : arrays) ...
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/tensor.h"

namespace aclgrad {

class NamedTensors : public std::vector<std::pair<std::string, Tensor>> {
 public:
  using vector::vector;

  /// What a file has that is no tensor here, or none of a dtype that there is here: by name, each
  /// with a sentence that says why. Nothing but asking for one of them fails.
  std::map<std::string, std::string, std::less<>> refused = {};

  /// Whether there is such a tensor among those that are held.
  bool contains(std::string_view name) const noexcept;

  /// The first of this name. Throws IoError, which says why, for one that was refused, and
  /// ValueError, which lists the names, where there is none.
  using vector::operator[];
  const Tensor& operator[](std::string_view name) const;
  Tensor& operator[](std::string_view name);

  using vector::at;
  const Tensor& at(std::string_view name) const { return (*this)[name]; }
  Tensor& at(std::string_view name) { return (*this)[name]; }

  /// All of them, "a, b".
  std::string names() const;
};

}  // namespace aclgrad
