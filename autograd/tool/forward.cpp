// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "gradcheck/core/problem.h"
#include "tool/call.h"
#include "tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr std::size_t kSamples = 1024;
constexpr unsigned char kPoison = 0xA5;

// Real and imaginary parts; of real tensors the first alone counts.
struct Parts {
  Arrays real;
  Arrays imaginary;
};

// The parts of a complex tensor as a real one with a last dimension of 2.
View parts_of(View view) {
  view.dtype = part_of(view.dtype);
  for (std::int64_t& stride : view.strides) stride *= 2;
  view.offset *= 2;
  view.storage *= 2;
  view.shape.push_back(2);
  view.strides.push_back(1);
  return view;
}

void fill(const Guarded& memory, const Array& real, const Array& imaginary) {
  const View parts = parts_of(memory.view());
  for (std::size_t i = 0; i < real.values.size(); ++i) {
    parts.set(static_cast<std::int64_t>(2 * i), real.values[i]);
    parts.set(static_cast<std::int64_t>(2 * i + 1), imaginary.values[i]);
  }
}

// Of a complex tensor both parts, one after the other for every element.
std::vector<Number> read(const Guarded& memory) {
  const View view = memory.view();
  if (!is_complex(view.dtype)) return memory.read().values;
  const View parts = parts_of(view);
  std::vector<Number> values;
  for (std::int64_t i = 0; i < parts.count(); ++i) values.push_back(parts.get(i));
  return values;
}

// f of the elements of two arrays of one shape.
template <class Function>
Array zip(const Array& a, const Array& b, Function f) {
  Array out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = f(a.values[i], b.values[i]);
  return out;
}

class ForwardCheck {
 public:
  ForwardCheck(Library& library, const Subject& subject, const EntryPoint& form,
               const Options& options)
      : library_(library), subject_(subject), form_(form), options_(options) {}

  Report run(const DTypes& dtypes) {
    const std::vector<Number> corners = detail::corners_of(subject_.checked);
    for (const DType dtype : dtypes) {
      dtype_ = dtype;
      inputs_.real = draw(options_.seed + 17, corners);
      inputs_.imaginary = draw(options_.seed + 18, {});
      for (std::size_t i = 0; i < inputs_.real.size(); ++i) {
        // Both parts are made with the numbers of elements, which are real.
        if (is_real(i)) inputs_.imaginary[i] = inputs_.real[i];
      }
      expect();
      first_.clear();
      for (const Layout layout : options_.layouts) check_layout(layout);
      check_threads();
    }
    return std::move(report_);
  }

 private:
  Arrays draw(std::uint64_t seed, std::span<const Number> corners) const {
    return detail::draw_inputs(subject_.checked, dtype_, seed, corners);
  }

  Arrays exact(const Arrays& inputs) const {
    if (subject_.reference) return subject_.reference(inputs, dtype_);
    return subject_.property ? Arrays{} : detail::forward_of(subject_.checked, inputs);
  }

  // The exact results. A complex product is one of four real ones; other operators treat the parts
  // alike, but for what is added.
  void expect() {
    first_.clear();
    right_ = {exact(inputs_.real), {}};
    if (is_complex(dtype_) && subject_.bilinear) {
      const Arrays mixed = {inputs_.real[0], inputs_.imaginary[1]};
      const Arrays other = {inputs_.imaginary[0], inputs_.real[1]};
      const Array squares = exact(inputs_.imaginary)[0];
      right_.imaginary = {zip(exact(mixed)[0], exact(other)[0], std::plus<Number>())};
      right_.real = {zip(right_.real[0], squares, std::minus<Number>())};
    } else if (is_complex(dtype_) && !right_.real.empty()) {
      Arrays zeros = inputs_.imaginary;
      for (std::size_t i = 0; i < zeros.size(); ++i) {
        if (!is_real(i)) std::ranges::fill(zeros[i].values, 0);
      }
      const Arrays added = exact(zeros);
      right_.imaginary = exact(inputs_.imaginary);
      for (std::size_t k = 0; k < added.size(); ++k) {
        right_.imaginary[k] = zip(right_.imaginary[k], added[k], std::minus<Number>());
      }
    }
    if (is_complex(dtype_) && !right_.real.empty() && holds_truth()) {
      // A complex number is false when both parts are 0.
      right_.real = {zip(right_.real[0], exact(inputs_.imaginary)[0],
                         [](Number a, Number b) { return std::max(a, b); })};
    }
    scale_ = subject_.magnitude ? subject_.magnitude(inputs_.real) : right_.real;
    if (is_complex(dtype_) && !right_.imaginary.empty()) {
      // Either part of a complex result may cancel.
      const auto larger = [](Number a, Number b) { return std::max(std::abs(a), std::abs(b)); };
      if (subject_.magnitude) {
        scale_ = {zip(scale_[0], subject_.magnitude(inputs_.imaginary)[0], larger)};
      } else if (subject_.bilinear) {
        scale_ = {zip(right_.real[0], right_.imaginary[0], larger)};
      }
    }
  }

  bool is_real(std::size_t input) const {
    const std::optional<DType> own = form_.tensors[input].dtype;
    return own && !is_complex(*own);
  }

  bool holds_truth() const { return form_.tensors.back().dtype == DType::boolean; }

  bool is_written(std::size_t input) const {
    return std::find(form_.written.begin(), form_.written.end(), input) != form_.written.end();
  }

  // One execution; "" or what failed. `results` are those in the order of the reference.
  std::string execute(Layout layout, int threads, std::deque<Guarded>& memory,
                      std::vector<const Guarded*>& results) {
    std::vector<View> in;
    std::vector<View> out;
    for (std::size_t i = 0; i < form_.tensors.size(); ++i) {
      const TensorArgument& argument = form_.tensors[i];
      const Layout own = is_written(i) && layout == Layout::broadcast ? Layout::contiguous : layout;
      const DType dtype = argument.dtype.value_or(dtype_);
      const Guarded& guarded = i < form_.inputs
                                   ? memory.emplace_back(dtype, inputs_.real[i], own, kPoison)
                                   : memory.emplace_back(dtype, argument.shape, layout, kPoison);
      if (i < form_.inputs && is_complex(dtype)) {
        fill(guarded, inputs_.real[i], inputs_.imaginary[i]);
      }
      (i < form_.inputs ? in : out).push_back(guarded.view());
    }
    for (const std::size_t i : form_.written) results.push_back(&memory[i]);
    for (std::size_t i = form_.inputs; i < form_.tensors.size(); ++i) results.push_back(&memory[i]);
    std::vector<std::vector<std::byte>> before;
    for (std::size_t i = 0; i < form_.inputs; ++i) before.push_back(memory[i].bytes());
    const std::string failure = library_.run(form_.api, form_.plan, {in, out, threads});
    if (!failure.empty()) return failure;
    for (const Guarded* result : results) {
      std::string where;
      if (result->changed_outside(&where) > 0) return "an output was written " + where;
    }
    for (std::size_t i = 0; i < form_.inputs; ++i) {
      if (!is_written(i) && memory[i].bytes() != before[i]) {
        return form_.tensors[i].name + " was written to, which is an input";
      }
    }
    return "";
  }

  void check_layout(Layout layout) {
    std::deque<Guarded> memory;
    std::vector<const Guarded*> results;
    ++report_.configurations;
    ++report_.checks;
    const std::string failure = execute(layout, 0, memory, results);
    if (!failure.empty()) {
      say(layout, failure, "the forward: its memory accesses or its statuses");
      return;
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (subject_.property) {
        const std::string lacking = subject_.property(results[k]->read(), results[k]->view().dtype);
        if (!lacking.empty()) say(layout, lacking, "the forward: its distribution");
        report_.forward[dtype_].elements += results[k]->view().count();
      } else if (right_.real[k].values.empty() && results[k]->view().count() > 0) {
        leave_alone(layout, k, *results[k]);
      } else if (first_.size() <= k) {  // in other layouts the bits are the same, or reported
        compare(layout, k, *results[k]);
      }
      if (first_.size() <= k) {
        first_.push_back(results[k]->element_bytes());
      } else if (first_[k] != results[k]->element_bytes()) {
        say(layout, "the result has other bits than in the first layout",
            "the forward: strides or offset");
      }
    }
  }

  void check_threads() {
    for (const int threads : {1, 2, 3}) {
      ++report_.checks;
      std::deque<Guarded> memory;
      std::vector<const Guarded*> results;
      const Layout layout = Layout::contiguous;
      const std::string failure = execute(layout, threads, memory, results);
      if (!failure.empty()) {
        say(layout, fmt::format("another run, with {} threads: {}", threads, failure),
            "the forward: its memory accesses or its statuses");
        return;
      }
      for (std::size_t k = 0; k < std::min(first_.size(), results.size()); ++k) {
        if (first_[k] == results[k]->element_bytes()) continue;
        say(layout, fmt::format("another run, with {} threads, gives other bits", threads),
            "the forward: a race, state kept between calls, or a sum that depends on threads");
        return;
      }
    }
  }

  void leave_alone(Layout layout, std::size_t k, const Guarded& result) {
    for (const std::byte value : result.bytes()) {
      if (value == std::byte{kPoison}) continue;
      say(layout, name_of(k) + " was written, which must be left as it was", "the forward");
      return;
    }
  }

  void compare(Layout layout, std::size_t k, const Guarded& result) {
    const DType dtype = result.view().dtype;
    const DType part = part_of(dtype);
    const std::size_t parts = is_complex(dtype) ? 2 : 1;
    const std::vector<Number> actual = read(result);
    ErrorSummary& errors = report_.forward[dtype_];
    const double bound = is_float(part) ? subject_.promised(part) + options_.ulp_slack : 0;
    double worst = 0;
    std::size_t at = 0;
    const auto right_at = [&](std::size_t i) {
      const std::size_t element = i / parts;
      Number right = i % parts == 0       ? right_.real[k].values[element]
                     : is_complex(dtype_) ? right_.imaginary[k].values[element]
                                          : 0;
      if (is_float(part)) return right;
      return round_to(right, part);
    };
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const Number scale =
          subject_.magnitude || subject_.bilinear ? scale_[k].values[i / parts] : 0;
      const double off = distance(actual[i], right_at(i), scale, part);
      if (!(off <= worst)) {
        worst = off;
        at = i;
      }
      if (i < kSamples && parts == 1 && !inputs_.real.empty() &&
          inputs_.real[0].values.size() == actual.size()) {
        errors.samples.emplace_back(static_cast<double>(inputs_.real[0].values[i]), off);
      }
    }
    errors.elements += static_cast<std::int64_t>(actual.size());
    errors.max_ulp = std::max(errors.max_ulp, worst);
    if (worst <= bound) return;
    const std::string input =
        !inputs_.real.empty() && inputs_.real[0].values.size() * parts == actual.size()
            ? fmt::format(", where {} is {:.9g},", subject_.checked.inputs[0].name,
                          static_cast<double>(inputs_.real[0].values[at / parts]))
            : "";
    say(layout,
        fmt::format("element {} of {}{} is {:.9g} instead of {:.9g}: {:.3g} {}, at most {:.3g} is "
                    "right",
                    at / parts, name_of(k), input, static_cast<double>(actual[at]),
                    static_cast<double>(right_at(at)), worst, is_float(part) ? "ulp" : "off",
                    bound),
        "the forward: its value is not that of the formula");
  }

  const std::string& name_of(std::size_t result) const {
    const std::size_t written = form_.written.size();
    return form_.tensors[result < written ? form_.written[result] : form_.inputs + result - written]
        .name;
  }

  void say(Layout layout, std::string text, std::string suspect) {
    const Dims& shape = form_.tensors[0].shape;
    const Dims& given = subject_.checked.command_shape.value_or(shape);
    Finding finding{.check = "forward",
                    .operator_name = with_attributes(form_.api, subject_),
                    .dtype = dtype_,
                    .layout = layout,
                    .shape = shape,
                    .text = std::move(text),
                    .suspect = std::move(suspect)};
    finding.reproduce =
        fmt::format("{} --dtype {} --layout {} --shape {}", subject_.checked.reproduce,
                    short_name(dtype_), to_string(layout), given.empty() ? "0d" : dims_text(given));
    report_.findings.push_back(std::move(finding));
  }

  Library& library_;
  const Subject& subject_;
  const EntryPoint& form_;
  const Options& options_;
  DType dtype_ = DType::float32;
  Parts inputs_;
  Parts right_;
  Arrays scale_;
  std::vector<std::vector<std::byte>> first_;  // results' bits in the first layout
  Report report_;
};

}  // namespace

Report check_forward(Library& library, const Subject& subject, const EntryPoint& form,
                     const DTypes& dtypes, const Options& options) {
  return ForwardCheck(library, subject, form, options).run(dtypes);
}

}  // namespace aclgrad::gradcheck
