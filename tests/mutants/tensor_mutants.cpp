// SPDX-License-Identifier: Apache-2.0
// Wrong backwards of operators that mix elements: GEGLU and the losses. Each kernel is written
// once, with a switch for every mistake.
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::Attributes;

double gelu_slope(double x, bool tanh_form) {
  return static_cast<double>(contract::formulas::gelu_slope(x, tanh_form));
}

double gelu(double x, bool tanh_form) {
  return static_cast<double>(contract::formulas::gelu(static_cast<long double>(x), tanh_form));
}

// Of a [2, 4, 2, 6] tensor along axis 1: halves of 2 * 12 elements. Inputs g, x, gelu.
Kernel geglu(bool activate_left, bool tanh, const Edits& edits) {
  return [=](const Values& in) {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    const bool left = activate_left != is("the other half activated");
    const bool tanh_form = tanh != is("slope of the other form");
    const std::size_t half = is("split along the last dimension") ? 3 : 24;
    std::vector<double> out(in[1].size());
    for (std::size_t k = 0; k < in[0].size(); ++k) {
      const std::size_t at = k / half * 2 * half + k % half;
      const std::size_t gate = left ? at : at + half;
      const std::size_t factor = left ? at + half : at;
      const double g = in[0][k];
      double kept = in[2][k];
      if (is("gelu recomputed")) kept = gelu(in[1][gate], tanh_form);
      if (is("gelu recomputed in the other form")) kept = gelu(in[1][gate], !tanh_form);
      out[is("halves of the result swapped") ? gate : factor] =
          (is("gradient missing in the gelu half") ? 1 : g) * kept;
      const double slope =
          is("gelu instead of its slope") ? in[2][k] : gelu_slope(in[1][gate], tanh_form);
      out[is("halves of the result swapped") ? factor : gate] =
          g * (is("factor from the wrong half") ? in[1][gate] : in[1][factor]) * slope;
    }
    return out;
  };
}

Kernel mse(int reduction, const Edits& edits) {
  return [=](const Values& in) {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out;
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      double value = (is("factor 2 missing") ? 1 : 2) * (in[1][i] - in[2][i]);
      if (is("sign reversed")) value = -value;
      if (!is("gradient ignored"))
        value *= in[0][reduction == 0 && !is("one gradient for all") ? i : 0];
      if (reduction == 1 && !is("not divided by the count")) {
        value /= is("divided by the rows only") ? 3 : static_cast<double>(in[1].size());
      }
      out.push_back(value);
    }
    return out;
  };
}

// Along the last dimension, of 5.
Kernel log_softmax(const Edits& edits) {
  return [=](const Values& in) {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    constexpr std::size_t kWidth = 5;
    std::vector<double> out;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const std::size_t row = i / kWidth * kWidth;
      double sum = 0;
      for (std::size_t k = 0; k < kWidth - (is("last class left out") ? 1 : 0); ++k) {
        sum += in[0][row + k] * (is("sum weighted by the result") ? in[1][row + k] : 1);
      }
      if (is("mean instead of sum")) sum /= kWidth;
      if (is("sum of another row")) sum = in[0][0] + in[0][1] + in[0][2] + in[0][3] + in[0][4];
      const double p = is("result not exponentiated") ? in[1][i] : std::exp(in[1][i]);
      out.push_back(is("sum forgotten") ? in[0][i] * (1 - p) : in[0][i] - p * sum);
    }
    return out;
  };
}

// Rows of 5 classes, class 2 ignored. Inputs g, x, target, weight, total weight.
Kernel nll(int reduction, const Edits& edits) {
  return [=](const Values& in) {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    constexpr std::size_t kClasses = 5;
    std::vector<double> out(in[1].size(), 0);
    for (std::size_t n = 0; n < in[2].size(); ++n) {
      const auto target = static_cast<std::size_t>(in[2][n]);
      if (target == 2 && !is("ignored class counted")) continue;
      double value = -in[0][reduction == 0 && !is("one gradient for all") ? n : 0];
      if (!is("weight missing")) value *= in[3][target];
      if (is("sign reversed")) value = -value;
      if (reduction == 1) {
        double total = in[4][0];
        if (is("divided by the rows")) total = static_cast<double>(in[2].size());
        if (is("total weight recomputed")) {
          total = 0;
          for (const double each : in[2]) {
            if (each != 2) total += in[3][static_cast<std::size_t>(each)];
          }
        }
        value /= total;
      }
      out[n * kClasses + (is("target off by one") ? (target + 1) % kClasses : target)] = value;
    }
    return out;
  };
}

void add(std::vector<Mutant>& all, const char* family, const char* op, const Attributes& attributes,
         const std::function<Kernel(const Edits&)>& kernel, const std::vector<const char*>& edits,
         const std::optional<gradcheck::Dims>& shape = std::nullopt) {
  const auto kernels = [&](const Edits& edit) -> Kernels {
    return [one = kernel(edit)](const Values& in) -> Values { return {one(in)}; };
  };
  add_mutants(all, family, op, attributes, kernels, edits, shape);
}

// Rows enough for one of them to have the ignored class.
const gradcheck::Dims kRowsOfClasses = {6, 5};

}  // namespace

std::vector<Mutant> tensor_mutants() {
  std::vector<Mutant> all;
  for (const bool left : {false, true}) {
    const double number = left ? 1 : 0;
    const Attributes a = {{{"dim", 1.0}, {"approximate", number}, {"activateLeft", number}}};
    add(all, left ? "geglu left, tanh" : "geglu right, erf", "geglu_v3", a,
        [left](const Edits& edits) { return geglu(left, left, edits); },
        {"the other half activated", "halves of the result swapped", "slope of the other form",
         "gelu recomputed", "gelu recomputed in the other form", "gelu instead of its slope",
         "split along the last dimension", "gradient missing in the gelu half",
         "factor from the wrong half"});
  }
  add(all, "mse mean", "mse_loss", {{{"reduction", 1.0}}},
      [](const Edits& edits) { return mse(1, edits); },
      {"factor 2 missing", "sign reversed", "not divided by the count", "divided by the rows only",
       "gradient ignored"});
  add(all, "mse none", "mse_loss", {{{"reduction", 0.0}}},
      [](const Edits& edits) { return mse(0, edits); }, {"one gradient for all"});
  add(all, "log softmax", "log_softmax", {{{"dim", -1.0}}}, log_softmax,
      {"sum forgotten", "result not exponentiated", "sum weighted by the result",
       "mean instead of sum", "last class left out", "sum of another row"});
  add(
      all, "nll mean", "nll_loss", {{{"reduction", 1.0}}},
      [](const Edits& edits) { return nll(1, edits); },
      {"weight missing", "sign reversed", "ignored class counted", "divided by the rows",
       "target off by one", "total weight recomputed"},
      kRowsOfClasses);
  add(
      all, "nll none", "nll_loss", {{{"reduction", 0.0}}},
      [](const Edits& edits) { return nll(0, edits); }, {"one gradient for all"}, kRowsOfClasses);
  return all;
}

}  // namespace aclgrad::mutants
