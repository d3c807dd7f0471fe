// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor/named_tensors.h"

#include <algorithm>

#include "aclgrad/error.h"

namespace aclgrad {

bool NamedTensors::contains(std::string_view name) const noexcept {
  return std::ranges::any_of(*this, [&](const auto& item) { return item.first == name; });
}

const Tensor& NamedTensors::operator[](std::string_view name) const {
  for (const auto& [known, tensor] : *this) {
    if (known == name) return tensor;
  }
  if (const auto found = refused.find(name); found != refused.end()) throw IoError(found->second);
  throw ValueError("there is no tensor '" + std::string(name) + "', only: " + names());
}

Tensor& NamedTensors::operator[](std::string_view name) {
  return const_cast<Tensor&>(std::as_const(*this)[name]);
}

std::string NamedTensors::names() const {
  std::string all;
  for (const auto& [name, tensor] : *this) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace aclgrad
