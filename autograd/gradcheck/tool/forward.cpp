// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "gradcheck/core/compare.h"
#include "gradcheck/core/coverage.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/checks.h"

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
  ForwardCheck(Library& library, const Target& target, const BoundCall& form,
               const Options& options)
      : library_(library),
        target_(target),
        form_(form),
        options_(options),
        inputs_of_form_(inputs_of(form.arguments)),
        results_of_form_(outputs_of(form.arguments)) {
    for (std::size_t i = inputs_of_form_.size(); i-- > 0;) {
      if (is_written(i)) results_of_form_.insert(results_of_form_.begin(), inputs_of_form_[i]);
    }
  }

  Report run(const DTypes& dtypes) {
    const std::vector<Number> corners = detail::corners_of(target_.candidate);
    for (const DType dtype : dtypes) {
      dtype_ = dtype;
      inputs_.real = draw(options_.seed + 17, corners);
      inputs_.imaginary = draw(options_.seed + 18, {});
      for (std::size_t i = 0; i < inputs_.real.size(); ++i) {
        // Both parts are made with the numbers of elements, which are real.
        if (is_real(i)) inputs_.imaginary[i] = inputs_.real[i];
      }
      detail::see_ranges(target_.candidate, inputs_.real, report_);
      expect();
      first_.clear();
      for (const Layout layout : options_.layouts) check_layout(layout);
      check_threads();
    }
    return std::move(report_);
  }

 private:
  Arrays draw(std::uint64_t seed, std::span<const Number> corners) const {
    return detail::draw_inputs(target_.candidate, dtype_, seed, corners);
  }

  Arrays exact(const Arrays& inputs) const {
    if (target_.contract().results.property) return {};
    return contract::results_of(target_.candidate.forward.in(acl_dtype(dtype_)), inputs);
  }

  // The exact results. A complex product is one of four real ones; other operators treat the parts
  // alike, but for what is added.
  void expect() {
    first_.clear();
    right_ = {exact(inputs_.real), {}};
    if (is_complex(dtype_) && is_bilinear()) {
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
    scale_ = has_magnitude() ? magnitude(inputs_.real) : right_.real;
    if (is_complex(dtype_) && !right_.imaginary.empty()) {
      // Either part of a complex result may cancel.
      const auto larger = [](Number a, Number b) { return std::max(std::abs(a), std::abs(b)); };
      if (has_magnitude()) {
        scale_ = {zip(scale_[0], magnitude(inputs_.imaginary)[0], larger)};
      } else if (is_bilinear()) {
        scale_ = {zip(right_.real[0], right_.imaginary[0], larger)};
      }
    }
  }

  bool is_bilinear() const {
    return target_.contract().results.complex == contract::Complex::kBilinear;
  }
  bool has_magnitude() const { return static_cast<bool>(target_.contract().results.magnitude); }
  Arrays magnitude(const Arrays& inputs) const {
    return target_.contract().results.magnitude(target_.candidate.forward, inputs);
  }

  bool is_real(std::size_t input) const {
    const std::optional<aclDataType> own = inputs_of_form_[input]->tensor()->dtype;
    return own && !contract::is_complex(*own);
  }

  bool holds_truth() const {
    const std::vector<const contract::Parameter*> outputs = outputs_of(form_.arguments);
    const contract::Parameter* last = outputs.empty() ? inputs_of_form_.back() : outputs.back();
    return last->tensor()->dtype == ACL_BOOL;
  }

  bool is_written(std::size_t input) const {
    return inputs_of_form_[input]->tensor()->role == contract::Role::kInPlace;
  }

  // One execution; "" or what failed. `results` are those in the order of the reference.
  std::string execute(Layout layout, int threads, std::deque<Guarded>& memory,
                      std::vector<const Guarded*>& results) {
    std::vector<View> in;
    std::vector<View> out;
    for (std::size_t i = 0; i < inputs_of_form_.size(); ++i) {
      const Layout own = is_written(i) && layout == Layout::broadcast ? Layout::contiguous : layout;
      const DType dtype = detail::stored_dtype(*inputs_of_form_[i]->tensor(), dtype_);
      const Guarded& guarded = memory.emplace_back(dtype, inputs_.real[i], own, kPoison);
      if (is_complex(dtype)) fill(guarded, inputs_.real[i], inputs_.imaginary[i]);
      in.push_back(guarded.view());
      if (is_written(i)) results.push_back(&guarded);
    }
    for (const contract::Parameter* output : outputs_of(form_.arguments)) {
      const contract::TensorSpec& tensor = *output->tensor();
      results.push_back(&memory.emplace_back(detail::stored_dtype(tensor, dtype_), tensor.shape,
                                             layout, kPoison));
      out.push_back(results.back()->view());
    }
    std::vector<std::vector<std::byte>> before;
    for (std::size_t i = 0; i < in.size(); ++i) before.push_back(memory[i].bytes());
    const std::string failure = library_.run(form_.api(), form_.plan, {in, out, threads});
    if (!failure.empty()) return failure;
    for (const Guarded* result : results) {
      std::string where;
      if (result->changed_outside(&where) > 0) return "an output was written " + where;
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!is_written(i) && memory[i].bytes() != before[i]) {
        return inputs_of_form_[i]->name + " was written to, which is an input";
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
      if (const contract::Property& property = target_.contract().results.property) {
        const aclDataType dtype = acl_dtype(results[k]->view().dtype);
        const std::string lacking =
            property(target_.candidate.forward.in(dtype), results[k]->read());
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
    std::vector<Number> actual = read(result);
    // A result of a size of its own may be smaller than the room for it.
    actual.resize(std::min(actual.size(), right_.real[k].values.size() * parts));
    ErrorSummary& errors = report_.forward[dtype_];
    const double bound = is_float(part) ? target_.promised(part) + options_.ulp_slack : 0;
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
      const Number scale = has_magnitude() || is_bilinear() ? scale_[k].values[i / parts] : 0;
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
    if (worst < 1e6) {
      report_.slack = std::max(report_.slack, std::ceil(worst - bound + options_.ulp_slack));
    }
    const std::string input =
        !inputs_.real.empty() && inputs_.real[0].values.size() * parts == actual.size()
            ? fmt::format(", where {} is {:.9g},", inputs_of_form_[0]->name,
                          static_cast<double>(inputs_.real[0].values[at / parts]))
            : "";
    say(layout,
        fmt::format("element {} of {}{} is {:.9g} instead of {:.9g}: {:.3g} {}, at most {:.3g} is "
                    "right",
                    at / parts, name_of(k), input, static_cast<double>(actual[at]),
                    static_cast<double>(right_at(at)), worst, is_float(part) ? "ulp" : "off",
                    bound),
        "the forward: its value is not that of the formula",
        detail::verdict_beyond_bound(worst, part));
  }

  const std::string& name_of(std::size_t result) const { return results_of_form_[result]->name; }

  void say(Layout layout, std::string text, std::string diagnosis,
           Verdict verdict = Verdict::wrong) {
    const contract::Parameter* first =
        inputs_of_form_.empty() ? results_of_form_.front() : inputs_of_form_.front();
    const Dims& shape = first->tensor()->shape;
    const Dims given = target_.candidate.command_shape.value_or(shape);
    Finding finding{.verdict = verdict,
                    .check = "forward",
                    .operator_name = with_attributes(form_.api(), target_),
                    .dtype = dtype_,
                    .layout = layout,
                    .shape = shape,
                    .text = std::move(text),
                    .diagnosis = std::move(diagnosis)};
    finding.reproduce =
        fmt::format("{} --dtype {} --layout {} --shape {}", target_.candidate.reproduce,
                    short_name(dtype_), to_string(layout), given.empty() ? "0d" : dims_text(given));
    report_.findings.push_back(std::move(finding));
  }

  Library& library_;
  const Target& target_;
  const BoundCall& form_;
  const Options& options_;
  std::vector<const contract::Parameter*> inputs_of_form_;
  std::vector<const contract::Parameter*> results_of_form_;  // what is overwritten first
  DType dtype_ = DType::float32;
  Parts inputs_;
  Parts right_;
  Arrays scale_;
  std::vector<std::vector<std::byte>> first_;  // results' bits in the first layout
  Report report_;
};

}  // namespace

Report check_forward(Library& library, const Target& target, const BoundCall& form,
                     const DTypes& dtypes, const Options& options) {
  return ForwardCheck(library, target, form, options).run(dtypes);
}

}  // namespace aclgrad::gradcheck
