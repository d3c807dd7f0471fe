// SPDX-License-Identifier: Apache-2.0
#include "tests/museum/checkers.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "aclgrad/gradcheck/c.h"

namespace aclgrad::museum {
namespace {

// What a plain check allocates: gradients of 0.
std::vector<Numbers> gradients_of(Exhibit& exhibit, bool is_right) {
  std::vector<Numbers> zeros;
  for (const Numbers& values : exhibit.in) zeros.emplace_back(values.size(), 0);
  return exhibit.backward(is_right, 0, zeros);
}

bool is_small(const Exhibit& exhibit) {
  std::size_t elements = 0;
  for (const Numbers& values : exhibit.in) elements += values.size();
  return elements <= kMostElements;
}

bool is_close(double actual, double expected, double tolerance) {
  return std::abs(actual - expected) <= tolerance + tolerance * std::abs(expected);
}

double weighted_sum(const Exhibit& exhibit, const std::vector<Numbers>& inputs) {
  double sum = 0;
  const std::vector<Numbers> results = exhibit.forward(inputs);
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (std::size_t i = 0; i < exhibit.up[k].size(); ++i) sum += exhibit.up[k][i] * results[k][i];
  }
  return sum;
}

// Element by element, of the sum of the results.
bool blamed_by_differences(int number, bool is_right, const Numbers& attributes) {
  constexpr double kStep = 1e-6;
  Exhibit exhibit(number, attributes);
  if (!is_small(exhibit)) return false;
  exhibit.draw(1);
  for (Numbers& values : exhibit.up) std::ranges::fill(values, 1);
  const std::vector<Numbers> gradients = gradients_of(exhibit, is_right);
  std::vector<Numbers> moved = exhibit.in;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    for (std::size_t i = 0; exhibit.has_gradient(k) && i < moved[k].size(); ++i) {
      const double x = moved[k][i];
      moved[k][i] = x + kStep;
      const double above = weighted_sum(exhibit, moved);
      moved[k][i] = x - kStep;
      const double below = weighted_sum(exhibit, moved);
      moved[k][i] = x;
      if (!is_close(gradients[k][i], (above - below) / (2 * kStep), 1e-6)) return true;
    }
  }
  return false;
}

// As jax.test_util.check_grads in reverse mode: one normal direction, one normal upstream gradient.
bool blamed_by_projection(int number, bool is_right, const Numbers& attributes) {
  constexpr double kStep = 1e-4;
  Exhibit exhibit(number, attributes);
  exhibit.draw(1);
  const std::vector<Numbers> gradients = gradients_of(exhibit, is_right);
  std::mt19937_64 random(0);
  std::vector<Numbers> above = exhibit.in;
  std::vector<Numbers> below = exhibit.in;
  double analytic = 0;
  for (std::size_t k = 0; k < above.size(); ++k) {
    for (std::size_t i = 0; exhibit.has_gradient(k) && i < above[k].size(); ++i) {
      const double along = std::normal_distribution<>()(random);
      above[k][i] += kStep * along;
      below[k][i] -= kStep * along;
      analytic += along * gradients[k][i];
    }
  }
  const double numeric =
      (weighted_sum(exhibit, above) - weighted_sum(exhibit, below)) / (2 * kStep);
  return !is_close(analytic, numeric, 1e-5);
}

// The exhibit as the functions of this project's C interface.
struct Called {
  int number;
  bool is_right;
  std::vector<wgArray> inputs;
  std::vector<wgArray> outputs;
};

void call_forward(const aclgradGradcheckCall* call, void* context) {
  const Called& called = *static_cast<const Called*>(context);
  std::vector<double*> to;
  for (std::size_t k = 0; k < called.outputs.size(); ++k) {
    to.push_back(static_cast<double*>(call->outputs[k]));
  }
  wgForward(called.number, call->attributes, call->inputs, to.data());
}

void call_backward(const aclgradGradcheckCall* call, void* context) {
  const Called& called = *static_cast<const Called*>(context);
  std::vector<double*> results;
  std::vector<const double*> arriving;
  std::vector<double*> to;
  for (std::size_t k = 0; k < called.outputs.size(); ++k) {
    results.push_back(static_cast<double*>(call->outputs[k]));
    arriving.push_back(static_cast<const double*>(call->output_gradients[k]));
  }
  for (std::size_t k = 0; k < called.inputs.size(); ++k) {
    to.push_back(static_cast<double*>(call->input_gradients[k]));
  }
  wgBackward(called.number, called.is_right ? 1 : 0, call->attributes, call->inputs, results.data(),
             arriving.data(), call->strides, to.data());
}

aclgradGradcheckArray translated(const wgArray& array) {
  const bool is_whole = (array.flags & WG_INTEGER) != 0;
  int flags = ACLGRAD_GRADCHECK_RANGE;
  const auto translate = [&](int from, int to) { flags |= (array.flags & from) != 0 ? to : 0; };
  translate(WG_NO_GRADIENT, ACLGRAD_GRADCHECK_NO_GRADIENT);
  translate(WG_ADDS, ACLGRAD_GRADCHECK_ADDS);
  translate(WG_CONSUMED, ACLGRAD_GRADCHECK_CONSUMED);
  translate(WG_SYMMETRIC, ACLGRAD_GRADCHECK_SYMMETRIC);
  translate(WG_AT_ZERO, ACLGRAD_GRADCHECK_AT_ZERO);
  translate(WG_OPTIONAL, ACLGRAD_GRADCHECK_OPTIONAL);
  translate(WG_STRIDED, ACLGRAD_GRADCHECK_STRIDED);
  translate(WG_OVER, ACLGRAD_GRADCHECK_OVER);
  translate(WG_OVER_UPSTREAM, ACLGRAD_GRADCHECK_OVER_GRADIENT);
  return {.name = array.name,
          .shape = array.shape,
          .rank = array.rank,
          .dtype = is_whole ? "int64" : "float64",
          .low = array.low,
          .high = array.high,
          .flags = flags};
}

void describe(const double* attributes, aclgradGradcheckArray* inputs,
              aclgradGradcheckArray* outputs, void* context) {
  Called& called = *static_cast<Called*>(context);
  int input_count = 0;
  int output_count = 0;
  wgDescribe(called.number, attributes, called.inputs.data(), &input_count, called.outputs.data(),
             &output_count);
  std::ranges::transform(called.inputs, inputs, translated);
  std::ranges::transform(called.outputs, outputs, translated);
}

struct Verdict {
  int status;
  std::string report;
};

// With fixed attributes, or with those that the exhibit may have.
Verdict check(int number, bool is_right, const Numbers& values, bool is_free, int seed = 1) {
  const Exhibit exhibit(number, values);
  aclgradGradcheck* check = nullptr;
  if (aclgradGradcheckOpen(nullptr, &check) != ACLGRAD_GRADCHECK_RIGHT) return {-1, ""};
  const std::unique_ptr<aclgradGradcheck, void (*)(aclgradGradcheck*)> closed(
      check, aclgradGradcheckClose);
  aclgradGradcheckSet(check, "seed", std::to_string(seed).c_str());
  Called called{number, is_right, exhibit.inputs, exhibit.outputs};
  std::vector<aclgradGradcheckAttribute> attributes;
  for (const wgAttribute& each : attributes_of(number)) {
    const double value = values[attributes.size()];
    attributes.push_back(
        {each.name, value, is_free ? each.low : value, is_free ? each.high : value, each.whole});
  }
  const std::string id = fact(number, "id");
  const aclgradGradcheckFamily family{.name = id.c_str(),
                                      .attributes = attributes.data(),
                                      .attribute_count = static_cast<int>(attributes.size()),
                                      .input_count = static_cast<int>(called.inputs.size()),
                                      .output_count = static_cast<int>(called.outputs.size()),
                                      .describe = describe,
                                      .forward = call_forward,
                                      .backward = call_backward,
                                      .context = &called,
                                      .allow = nullptr,
                                      .reference = nullptr,
                                      .roundings = 0,
                                      .accumulation = nullptr};
  const int status = aclgradGradcheckRunFamily(check, &family);
  const char* const report = aclgradGradcheckReport(check, "text");
  return {status, report == nullptr ? aclgradGradcheckMessage() : report};
}

}  // namespace

std::string report_of(int number, bool is_right, int seed) {
  return check(number, is_right, usual_attributes(number), true, seed).report;
}

bool is_blamed_under(int seed, int number) {
  return check(number, true, usual_attributes(number), true, seed).status ==
         ACLGRAD_GRADCHECK_WRONG;
}

const std::vector<Checker>& checkers() {
  static const std::vector<Checker> all = {
      {"gradcheck", "this project's, aclgradGradcheckRunFamily of its C interface, its defaults",
       [](int number, bool is_right, const Numbers& attributes) {
         const bool is_free = attributes == usual_attributes(number);
         return check(number, is_right, attributes, is_free).status == ACLGRAD_GRADCHECK_WRONG;
       }},
      {"differences", "central, of the sum; step 1e-6, tolerances 1e-6", blamed_by_differences},
      {"projection", "as JAX's check_grads, reverse mode; step 1e-4, tolerances 1e-5",
       blamed_by_projection}};
  return all;
}

}  // namespace aclgrad::museum
