// SPDX-License-Identifier: Apache-2.0
// Whether the same numbers give the same bits wherever they lie and however they are computed: an
// element's place and the length of its tensor (elementwise operators), the distance to an aligned
// address, strides, the number of threads, another run, a recorded run. NaN is NaN, whatever its
// bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gradcheck/core/problem.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr std::int64_t kPeriod = 96;
constexpr std::int64_t kLarge = 20011;
constexpr std::int64_t kLongest = 70;
constexpr std::int64_t kShifts = 16;

bool same(Number a, Number b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Elements [from, from + count) of every array, which repeats itself.
Arrays part(const Arrays& arrays, std::int64_t from, std::int64_t count) {
  Arrays result;
  for (const Array& array : arrays) {
    Array& piece = result.emplace_back(Array{{count}, {}});
    const auto size = static_cast<std::int64_t>(array.values.size());
    for (std::int64_t i = 0; i < count; ++i) {
      piece.values.push_back(array.values[static_cast<std::size_t>((from + i) % size)]);
    }
  }
  return result;
}

Arrays with_shape(Arrays arrays, const Dims& shape) {
  for (Array& array : arrays) array.shape = shape;
  return arrays;
}

class Bits {
 public:
  Bits(Library& library, const Target& target, const BoundCall& bound, DType dtype, Report& report)
      : library_(library), target_(target), bound_(bound), dtype_(dtype), report_(report) {}

  void elementwise(const Arrays& inputs) {
    if (!remember(inputs)) return;
    for (std::int64_t count = 1; count <= kLongest; ++count) {
      piece("length", fmt::format("in a tensor of {} elements", count), 0, count, {});
    }
    for (std::int64_t from = 1; from <= kShifts; ++from) {
      piece("position", fmt::format("{} elements further in front", from), from, kPeriod, {});
    }
    for (const int threads : {1, 2, 3}) {
      piece(threads == 1 ? "length" : "threads",
            fmt::format("in a tensor of {} elements, on {} threads", kLarge, threads), 0, kLarge,
            {.threads = threads});
    }
    all_ways(with_shape(inputs, {4, 3, kPeriod / 12}));
  }

  void general(const Arrays& inputs) {
    if (remember(inputs)) all_ways(inputs);
  }

 private:
  // The results to compare with: of contiguous tensors, on one thread.
  bool remember(const Arrays& inputs) {
    inputs_ = inputs;
    const Outcome outcome = run(inputs, {.threads = 1});
    ++report_.configurations;
    first_ = outcome.results;
    if (!outcome.failure.empty()) say("call", outcome.failure, "");
    return outcome.failure.empty();
  }

  Outcome run(const Arrays& inputs, const How& how) {
    return call(library_, bound_, dtype_, inputs, how, target_.candidate.is_elementwise());
  }

  void piece(const char* check, const std::string& what, std::int64_t from, std::int64_t count,
             const How& how) {
    compare(check, what, run(part(inputs_, from, count), how), from);
  }

  // What applies to tensors of any shape.
  void all_ways(const Arrays& inputs) {
    for (std::int64_t shift = 1; shift <= kShifts; ++shift) {
      if (takes(Layout::offset)) {
        compare("alignment", fmt::format("{} elements past an aligned address", shift),
                run(inputs, {.shift = shift}), 0);
      }
    }
    for (const int threads : {1, 2, 3}) {
      compare("threads", fmt::format("on {} threads", threads), run(inputs, {.threads = threads}),
              0);
    }
    for (const Layout layout : {Layout::transposed, Layout::strided, Layout::offset}) {
      if (takes(layout)) compare("layout", to_string(layout), run(inputs, {.layout = layout}), 0);
    }
    compare("repeatability", "run again", run(inputs, {.threads = 1}), 0);
    if (!library_.can_replay()) return;
    compare("replay", "recorded and replayed", run(inputs, {.threads = 1, .replayed = true}), 0);
  }

  // Whether phase one takes tensors that lie so, of which nothing else is then asked.
  bool takes(Layout layout) {
    if (refusal_of(library_, bound_, dtype_, layout).empty()) return true;
    report_.notes[fmt::format("not taken: {} tensors", to_string(layout))].insert(target_.op);
    return false;
  }

  // Of every kind of difference the first is reported, and the
  // first that makes a number NaN, or the reverse.
  void compare(const std::string& check, const std::string& what, const Outcome& other,
               std::int64_t from) {
    ++report_.checks;
    if (!other.failure.empty()) return say(check, what + ": " + other.failure, "");
    for (std::size_t k = 0; k < other.results.size(); ++k) {
      const std::vector<Number>& values = other.results[k].values;
      const std::vector<Number>& first = first_[k].values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t at = (i + static_cast<std::size_t>(from)) % first.size();
        if (same(values[i], first[at])) continue;
        const bool is_nan = std::isnan(values[i]) || std::isnan(first[at]);
        say(is_nan ? check + ", NaN" : check,
            fmt::format("{}, element {} of {} is {:.9g} and otherwise {:.9g}{}", what, i,
                        outputs_of(bound_.arguments)[k]->name, static_cast<double>(values[i]),
                        static_cast<double>(first[at]), input_at(at)),
            diagnosis(check));
      }
    }
  }

  // ", where self is 0.5": the last input of an elementwise operator.
  std::string input_at(std::size_t i) const {
    const Array& last = inputs_.back();
    if (!target_.candidate.is_elementwise() || i >= last.values.size()) return "";
    return fmt::format(", where {} is {:.9g}", inputs_of(bound_.arguments).back()->name,
                       static_cast<double>(last.values[i]));
  }

  static std::string diagnosis(const std::string& check) {
    if (check == "length" || check == "position") {
      return "the vector body and the remainder of a loop compute differently";
    }
    if (check == "alignment") return "elements before an aligned address are computed differently";
    if (check == "threads")
      return "a sum whose order, or blocks whose remainders, depend on threads";
    if (check == "layout") return "other code for strides than for contiguous tensors";
    return "a race, or state kept between calls";
  }

  void say(const std::string& check, std::string text, std::string diagnosis) {
    if (!said_.insert(check).second) return;
    report_.findings.push_back({.check = check,
                                .operator_name = with_attributes(bound_.api(), target_),
                                .dtype = dtype_,
                                .text = std::move(text),
                                .diagnosis = std::move(diagnosis),
                                .reproduce = command_of(target_, dtype_, "bits")});
  }

  Library& library_;
  const Target& target_;
  const BoundCall& bound_;
  DType dtype_;
  Report& report_;
  Arrays inputs_;
  Arrays first_;
  std::set<std::string> said_;
};

// Some of each period are what kernels branch on: corners, tails, infinities, NaN.
void add_specials(const Candidate& candidate, DType dtype, Array& to) {
  constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
  std::vector<Number> specials = {std::numeric_limits<Number>::quiet_NaN(), kInfinity, -kInfinity};
  for (const Number corner : detail::corners_of(candidate)) specials.push_back(corner);
  for (const Number x : {0.0L, -0.0L, 1e-30L, -1e-30L, 9.0L, -9.0L, 20.0L, -20.0L, 90.0L, -90.0L}) {
    specials.push_back(x);
  }
  for (std::size_t i = 0; i < specials.size() && 3 * i < to.values.size(); ++i) {
    to.values[3 * i] = round_to(specials[i], dtype);
  }
}

}  // namespace

Report check_same_bits(Library& library, const Target& target, const DTypes& dtypes,
                       const Options& options) {
  Report report;
  if (target.contract().results.property) return report;  // random numbers
  const Candidate& whole = target.candidate;
  const bool is_elementwise = whole.is_elementwise();
  const Candidate candidate = is_elementwise ? whole.of_shape({kPeriod}) : whole;
  for (const DType dtype : dtypes) {
    Arrays inputs = detail::draw_inputs(candidate, dtype, options.seed + 17, {});
    // What becomes of infinities and NaN in integers is not specified.
    const contract::TensorSpec& last =
        *whole.forward.parameters()[places_of_tensors(whole.forward).back()].tensor();
    const bool is_float_to_float = is_float(dtype) && is_float(detail::stored_dtype(last, dtype));
    if (is_elementwise && is_float_to_float) add_specials(candidate, dtype, inputs.back());
    const auto check = [&](const BoundCall& bound, const Arrays& given) {
      Bits bits(library, target, bound, dtype, report);
      is_elementwise ? bits.elementwise(given) : bits.general(given);
    };
    const auto is_in_place = [](const contract::Parameter* input) {
      return input->tensor()->role == contract::Role::kInPlace;
    };
    if (target.forward && contains(target.forward->dtypes, dtype) && !is_complex(dtype) &&
        std::ranges::none_of(whole.inputs(), is_in_place)) {
      check(*target.forward, inputs);
    }
    if (target.backward && contains(target.gradient_dtypes, dtype)) {
      const Arrays outputs = detail::forward_of(candidate, inputs);
      const Array cotangent = detail::draw_cotangent(outputs[0].shape, dtype, options.seed);
      check(*target.backward, detail::given_to(candidate, inputs, outputs, cotangent));
    }
  }
  return report;
}

}  // namespace aclgrad::gradcheck
