// SPDX-License-Identifier: Apache-2.0
// What the references of normalized channels are written with.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {

// Elements of an image [N, C, ...] by channel: visit(place, image, channel).
template <class Visit>
void for_each_element(const Shape& shape, const Visit& visit) {
  const auto channels = static_cast<size_t>(shape[1]);
  const auto places = static_cast<size_t>(count_of(shape) / shape[0] / shape[1]);
  for (size_t i = 0; i < static_cast<size_t>(count_of(shape)); ++i) {
    visit(i, i / places / channels, i / places % channels);
  }
}

// The inputs of a call by name; null for those that are not given.
class Given {
 public:
  Given(const Arguments& a, const Arrays& in) {
    size_t next = 0;
    for (const Parameter& each : a.parameters()) {
      const TensorSpec* tensor = each.tensor();
      if (tensor == nullptr || tensor->optional || tensor->role == Role::kOutput) continue;
      inputs_.emplace_back(each.name, &in.at(next++));
    }
  }
  const Array* operator[](std::string_view name) const {
    for (const auto& [own, array] : inputs_) {
      if (own == name) return array;
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string, const Array*>> inputs_;
};

inline std::vector<Number> values_of(const Array* array, size_t count, Number otherwise) {
  return array == nullptr ? std::vector<Number>(count, otherwise) : array->values;
}

// ---- Means and gradients of sets of elements ----------------------------------------------------

struct Moments {
  std::vector<Number> count, mean, size, variance;  // size: the average magnitude
};

// `set` tells to which of `sets` sets an element belongs.
template <class Set>
Moments moments_of(const Array& x, size_t sets, const Set& set) {
  const std::vector<Number> none(sets);
  Moments m{none, none, none, none};
  for (size_t i = 0; i < x.values.size(); ++i) m.count[set(i)] += 1;
  for (size_t i = 0; i < x.values.size(); ++i) {
    m.mean[set(i)] += x.values[i] / m.count[set(i)];
    m.size[set(i)] += std::abs(x.values[i]) / m.count[set(i)];
  }
  for (size_t i = 0; i < x.values.size(); ++i) {
    const Number distance = x.values[i] - m.mean[set(i)];
    m.variance[set(i)] += distance * distance / m.count[set(i)];
  }
  return m;
}

// (x - mean) scale[set] weight[channel] + bias[channel].
template <bool kMagnitude, class Set, class Channel>
Array normalized(const Array& x, const std::vector<Number>& mean, const std::vector<Number>& scale,
                 const Set& set, const Channel& channel, const Array* weight, const Array* bias) {
  Array out = x;
  for (size_t i = 0; i < x.values.size(); ++i) {
    const Number w = weight == nullptr ? 1 : weight->values[channel(i)];
    const Number b = bias == nullptr ? 0 : bias->values[channel(i)];
    const Number scaled = (x.values[i] - mean[set(i)]) * scale[set(i)] * w;
    out.values[i] = dense::term<kMagnitude>(scaled) + dense::term<kMagnitude>(b);
  }
  return out;
}

// The gradients of the input, weight and bias. Without `through` mean and scale are constants.
template <bool kMagnitude, class Set, class Channel>
Arrays gradients_of(const Array& g, const Array& x, const std::vector<Number>& mean,
                    const std::vector<Number>& scale, const Set& set, const Channel& channel,
                    const Array* weight, size_t channels, bool through) {
  const auto minus = [](Number v) { return kMagnitude ? std::abs(v) : -v; };
  Array input = x;
  Array by_weight = dense::full({static_cast<int64_t>(channels)}), by_bias = by_weight;
  std::vector<Number> count(mean.size()), plain(mean.size()), along(mean.size());
  const auto normal = [&](size_t i) { return (x.values[i] - mean[set(i)]) * scale[set(i)]; };
  const auto weighted = [&](size_t i) {
    return g.values[i] * (weight == nullptr ? 1 : weight->values[channel(i)]);
  };
  for (size_t i = 0; i < x.values.size(); ++i) {
    count[set(i)] += 1;
    plain[set(i)] += dense::term<kMagnitude>(weighted(i));
    along[set(i)] += dense::term<kMagnitude>(weighted(i) * normal(i));
    by_weight.values[channel(i)] += dense::term<kMagnitude>(g.values[i] * normal(i));
    by_bias.values[channel(i)] += dense::term<kMagnitude>(g.values[i]);
  }
  for (size_t i = 0; i < x.values.size(); ++i) {
    const size_t s = set(i);
    const Number rest = minus(plain[s] / count[s]) + minus(normal(i) * along[s] / count[s]);
    input.values[i] = scale[s] * (dense::term<kMagnitude>(weighted(i)) + (through ? rest : 0));
  }
  return {input, by_weight, by_bias};
}

inline std::vector<Number> scales_of(const std::vector<Number>& variance, Number eps) {
  std::vector<Number> scales;
  for (const Number v : variance) scales.push_back(1 / std::sqrt(v + eps));
  return scales;
}

// To which group of channels of an image, and to which channel, each element belongs.
struct Groups {
  std::vector<size_t> group, channel;  // of each element

  Groups(size_t groups, const Shape& shape) {
    const auto channels = static_cast<size_t>(shape[1]);
    for_each_element(shape, [&](size_t, size_t image, size_t c) {
      group.push_back(image * groups + c / (channels / groups));
      channel.push_back(c);
    });
  }
};

}  // namespace aclgrad::contract
