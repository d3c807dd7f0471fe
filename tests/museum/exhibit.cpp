// SPDX-License-Identifier: Apache-2.0
#include "tests/museum/exhibit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace aclgrad::museum {
namespace {

constexpr double kGuard = -1.2345e67;
constexpr std::size_t kGuards = 16;

// An array between numbers that must stay as they are.
class Block {
 public:
  explicit Block(const Numbers& values) : memory_(values.size() + 2 * kGuards, kGuard) {
    std::ranges::copy(values, memory_.begin() + kGuards);
  }
  double* data() { return memory_.data() + kGuards; }
  Numbers values() const { return {memory_.begin() + kGuards, memory_.end() - kGuards}; }
  bool is_intact() const {
    const auto is_guard = [](double x) { return x == kGuard; };
    return std::all_of(memory_.begin(), memory_.begin() + kGuards, is_guard) &&
           std::all_of(memory_.end() - kGuards, memory_.end(), is_guard);
  }

 private:
  Numbers memory_;
};

std::vector<double*> addresses(std::vector<Block>& blocks, const std::vector<bool>& is_there) {
  std::vector<double*> result;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    result.push_back(is_there[k] ? blocks[k].data() : nullptr);
  }
  return result;
}

}  // namespace

std::vector<wgAttribute> attributes_of(int number) {
  std::vector<wgAttribute> all(WG_MAX_ATTRIBUTES);
  all.resize(static_cast<std::size_t>(wgAttributes(number, all.data())));
  return all;
}

Numbers usual_attributes(int number) {
  Numbers values;
  for (const wgAttribute& each : attributes_of(number)) values.push_back(each.usual);
  return values;
}

Numbers showing_attributes(int number) {
  Numbers values;
  for (const wgAttribute& each : attributes_of(number)) values.push_back(each.shows);
  return values;
}

Numbers random_attributes(int number, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Numbers values;
  for (const wgAttribute& each : attributes_of(number)) {
    const double high = std::min(each.high, each.low + 20);
    const double at = each.low + std::uniform_real_distribution<>(0, 1)(random) *
                                     (high - each.low + (each.whole != 0 ? 1 : 0));
    values.push_back(each.whole != 0 ? std::min(std::floor(at), each.high) : at);
  }
  return values;
}

std::size_t count_of(const wgArray& array) {
  std::size_t count = 1;
  for (int d = 0; d < array.rank; ++d) count *= static_cast<std::size_t>(array.shape[d]);
  return count;
}

Exhibit::Exhibit(int which, Numbers values)
    : number(which), attributes(std::move(values)), inputs(WG_MAX_ARRAYS), outputs(WG_MAX_ARRAYS) {
  int input_count = 0;
  int output_count = 0;
  wgDescribe(number, attributes.data(), inputs.data(), &input_count, outputs.data(), &output_count);
  inputs.resize(static_cast<std::size_t>(input_count));
  outputs.resize(static_cast<std::size_t>(output_count));
  for (const wgArray& input : inputs) in.emplace_back(count_of(input));
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    up.emplace_back(has_upstream(k) ? count_of(outputs[k]) : 0);
  }
}

void Exhibit::draw(std::uint64_t seed) {
  for (std::size_t k = 0; k < in.size(); ++k) {
    wgDraw(number, attributes.data(), seed, static_cast<int>(k), in[k].data());
  }
  draw_upstream(seed);
}

void Exhibit::draw_upstream(std::uint64_t seed) {
  std::mt19937_64 random(seed + 99);
  for (Numbers& values : up) {
    for (double& value : values) value = std::normal_distribution<>()(random);
  }
}

void Exhibit::show(std::uint64_t seed) {
  for (std::size_t k = 0; k < in.size(); ++k) {
    wgShowInput(number, seed, static_cast<int>(k), in[k].data());
  }
  for (std::size_t k = 0; k < up.size(); ++k) {
    if (has_upstream(k)) wgShowUpstream(number, seed, static_cast<int>(k), up[k].data());
  }
}

std::vector<Numbers> Exhibit::forward(const std::vector<Numbers>& given) const {
  std::vector<const void*> from;
  for (const Numbers& values : given) from.push_back(values.data());
  std::vector<Numbers> results;
  for (const wgArray& output : outputs) results.emplace_back(count_of(output));
  std::vector<double*> to;
  for (Numbers& values : results) to.push_back(values.data());
  wgForward(number, attributes.data(), from.data(), to.data());
  return results;
}

std::vector<Numbers> Exhibit::backward(bool is_right, int how, const std::vector<Numbers>& before) {
  if ((how & WG_SHOW_SAME_INPUT) != 0) in[1] = in[0];
  if ((how & WG_SHOW_EXPANDED) != 0) std::ranges::fill(up[0], up[0][0]);
  std::vector<Block> given, results, upstream, gradients;
  std::vector<bool> wanted, arrives;
  for (const Numbers& values : in) given.emplace_back(values);
  for (const Numbers& values : forward()) results.emplace_back(values);
  std::vector<std::vector<std::int64_t>> strides(up.size());
  std::vector<const std::int64_t*> stride_pointers(up.size(), nullptr);
  for (std::size_t k = 0; k < up.size(); ++k) {
    Numbers stored = up[k];
    const std::int64_t* shape = outputs[k].shape;
    if ((how & WG_SHOW_EXPANDED) != 0) {
      stored.resize(1);
      strides[k].assign(static_cast<std::size_t>(outputs[k].rank), 0);
    }
    if ((how & WG_SHOW_TRANSPOSED) != 0) {
      for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) {
        stored[static_cast<std::size_t>(i % shape[1] * shape[0] + i / shape[1])] =
            up[k][static_cast<std::size_t>(i)];
      }
      strides[k] = {1, shape[0]};
    }
    if (!strides[k].empty()) stride_pointers[k] = strides[k].data();
    upstream.emplace_back(stored);
    arrives.push_back(has_upstream(k));
  }
  for (std::size_t k = 0; k < in.size(); ++k) {
    const double empty =
        (inputs[k].flags & WG_ADDS) != 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
    gradients.emplace_back(before.empty() ? Numbers(in[k].size(), empty) : before[k]);
    wanted.push_back(has_gradient(k) && !(k == 0 && (how & WG_SHOW_UNWANTED) != 0));
  }
  std::vector<double*> inputs_at = addresses(given, std::vector<bool>(given.size(), true));
  std::vector<double*> outputs_at = addresses(results, std::vector<bool>(results.size(), true));
  std::vector<double*> upstream_at = addresses(upstream, arrives);
  std::vector<double*> gradients_at = addresses(gradients, wanted);
  if ((how & WG_SHOW_SAME_INPUT) != 0) inputs_at[1] = inputs_at[0];
  if ((how & WG_SHOW_OVER_UPSTREAM) != 0) gradients_at[0] = upstream_at[0];
  if ((how & WG_SHOW_OVER_OUTPUT) != 0) gradients_at[0] = outputs_at[0];

  const std::vector<const void*> constant_inputs(inputs_at.begin(), inputs_at.end());
  wgBackward(number, is_right ? 1 : 0, attributes.data(), constant_inputs.data(), outputs_at.data(),
             upstream_at.data(), stride_pointers.data(), gradients_at.data());

  for (const std::vector<Block>* blocks : {&given, &results, &upstream, &gradients}) {
    for (const Block& block : *blocks) {
      if (!block.is_intact()) throw std::runtime_error("wrote outside an array");
    }
  }
  std::vector<Numbers> found;
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (k == 0 && (how & WG_SHOW_OVER_UPSTREAM) != 0) {
      found.push_back(upstream[0].values());
    } else if (k == 0 && (how & WG_SHOW_OVER_OUTPUT) != 0) {
      found.push_back(results[0].values());
    } else {
      found.push_back(wanted[k] ? gradients[k].values() : Numbers());
    }
  }
  if ((how & WG_SHOW_UPSTREAM) != 0) found.push_back(upstream[0].values());
  return found;
}

}  // namespace aclgrad::museum
