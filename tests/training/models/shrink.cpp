// SPDX-License-Identifier: Apache-2.0
#include "tests/training/models/shrink.h"

namespace aclgrad::training {
namespace {

using Pointer = Json::json_pointer;

void collect(const Json& of, const Pointer& at, std::vector<Pointer>& all) {
  if (of.is_object()) {
    for (const auto& [name, value] : of.items()) {
      all.push_back(at / name);
      collect(value, at / name, all);
    }
  } else if (of.is_array()) {
    for (std::size_t i = of.size(); i-- > 0;) {
      all.push_back(at / i);
      collect(of[i], at / i, all);
    }
  }
}

// Smaller things in the place of one.
std::vector<Spec> smaller(const Spec& spec, const Pointer& at) {
  std::vector<Spec> found;
  Spec without = spec;
  Json& parent = without[at.parent_pointer()];
  if (parent.is_array()) {
    parent.erase(static_cast<std::size_t>(std::stoul(at.back())));
  } else {
    parent.erase(at.back());
  }
  found.push_back(std::move(without));
  const Json& value = spec[at];
  // The layers within one in its place.
  if (value.is_object() && value.contains("layers")) {
    Spec unpacked = spec;
    Json& layers = unpacked[at.parent_pointer()];
    Json flat = Json::array();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (std::to_string(i) != at.back()) {
        flat.push_back(layers[i]);
      } else {
        for (const Json& inner : value["layers"]) flat.push_back(inner);
      }
    }
    layers = flat;
    found.push_back(std::move(unpacked));
  }
  if (value.is_number_integer() && value.get<std::int64_t>() > 1) {
    const std::int64_t number = value;
    for (const std::int64_t less : {std::int64_t{1}, number / 2, number - 1}) {
      Spec with = spec;
      with[at] = less;
      found.push_back(std::move(with));
    }
  }
  return found;
}

}  // namespace

Spec shrink(const Spec& spec, const std::function<bool(const Spec&)>& fails, int tries) {
  Spec best = spec;
  for (bool better = true; better && tries > 0;) {
    better = false;
    std::vector<Pointer> all;
    collect(best, Pointer(), all);
    for (const Pointer& at : all) {
      if (!best.contains(at) || at == Pointer("/seed")) continue;
      for (Spec& candidate : smaller(best, at)) {
        if (tries-- <= 0) return best;
        if (!fails(candidate)) continue;
        best = std::move(candidate);
        better = true;
        break;
      }
    }
  }
  return best;
}

}  // namespace aclgrad::training
