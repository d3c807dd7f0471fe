// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck/c.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/gradcheck/functions.h"
#include "gradcheck/tool/settings.h"

using namespace aclgrad::gradcheck;

struct aclgradGradcheck {
  LibraryPointer library = nullptr;  // none: of the process, once an operator is checked
  std::map<std::string, std::string> settings = {};
  std::vector<Line> lines = {};
  std::optional<Report> of_functions = {};
  std::string report = {};
};

namespace {

thread_local std::string message;

// The status of a call that may throw; keeps the message.
int guarded(const std::function<int()>& work) noexcept {
  try {
    message.clear();
    return status_of(work, message);
  } catch (...) {
    return ACLGRAD_GRADCHECK_USAGE;  // there is no memory for a message
  }
}

void require_given(const void* pointer, const char* what) {
  if (pointer == nullptr) throw aclgrad::ValueError(fmt::format("{} is null", what));
}

Plan plan_of(const aclgradGradcheck& check) {
  Plan plan;
  for (const auto& [option, value] : check.settings) set(plan, option, value);
  return plan;
}

std::string report_of(const Report& report, const std::string& format) {
  if (format == "text") return report.to_string();
  if (format == "json") return report.to_json();
  if (format == "markdown") return report.to_markdown();
  throw aclgrad::ValueError("a report of functions is text, json or markdown, not '" + format +
                            "'");
}

std::string report_of(const aclgradGradcheck& check, const std::string& format) {
  if (check.of_functions) return report_of(*check.of_functions, format);
  const std::vector<Line>& lines = check.lines;
  if (lines.empty()) throw aclgrad::ValueError("there is no report before a run");
  if (format == "markdown") return to_markdown(check.library->path(), lines);
  const Coverage found = coverage(check.library);
  if (format == "json") return to_json(check.library->path(), found, lines);
  if (format == "html") return to_html(check.library->path(), found, lines);
  if (format == "text") {
    std::string text;
    for (const Line& line : lines) text += to_text(line);
    return text + to_text(check.library->path(), found, lines);
  }
  throw aclgrad::ValueError("a report is text, json, markdown or html, not '" + format + "'");
}

std::vector<FunctionArray> arrays_of(const aclgradGradcheckArray* given, int count,
                                     const char* what) {
  if (count > 0) require_given(given, what);
  std::vector<FunctionArray> arrays;
  for (int i = 0; i < count; ++i) {
    const aclgradGradcheckArray& array = given[i];
    require_given(array.name, "an array's name");
    if (array.rank > 0) require_given(array.shape, "an array's shape");
    const bool is_zero = (array.flags & ACLGRAD_GRADCHECK_AT_ZERO) != 0;
    const aclgrad::DType dtype = dtype_from_text(array.dtype == nullptr ? "float32" : array.dtype);
    // Whole numbers are indices and labels: those of one row or class are 0.
    const bool has_range = array.low != 0 || array.high != 0 || !is_float(dtype) ||
                           (array.flags & ACLGRAD_GRADCHECK_RANGE) != 0;
    double low = is_zero ? 0 : has_range ? array.low : -4;
    double high = is_zero ? 0 : has_range ? array.high : 4;
    const bool below = std::isinf(low);
    const bool above = std::isinf(high);
    if (below) low = above ? -4 : std::min(-4.0, high - 8);
    if (above) high = std::max(4.0, low + 8);
    const auto has = [&](int flag) { return (array.flags & flag) != 0; };
    arrays.push_back({.name = array.name,
                      .shape = Dims(array.shape, array.shape + std::max(array.rank, 0)),
                      .dtype = dtype,
                      .low = low,
                      .high = high,
                      .has_gradient = !has(ACLGRAD_GRADCHECK_NO_GRADIENT),
                      .adds_gradient = has(ACLGRAD_GRADCHECK_ADDS),
                      .consumed = has(ACLGRAD_GRADCHECK_CONSUMED),
                      .symmetric = has(ACLGRAD_GRADCHECK_SYMMETRIC),
                      .optional = has(ACLGRAD_GRADCHECK_OPTIONAL),
                      .strided = has(ACLGRAD_GRADCHECK_STRIDED),
                      .overwritten = has(ACLGRAD_GRADCHECK_OVER),
                      .overwritten_gradient = has(ACLGRAD_GRADCHECK_OVER_GRADIENT),
                      .unbounded_below = below,
                      .unbounded_above = above});
  }
  return arrays;
}

// "" and null: none.
std::optional<aclgrad::DType> accumulation_of(const char* text) {
  if (text == nullptr || *text == '\0') return std::nullopt;
  return dtype_from_text(text);
}

FunctionPair pair_of(const aclgradGradcheckPair& given) {
  require_given(given.name, "name");
  require_given(reinterpret_cast<const void*>(given.backward), "backward");
  if (given.reference == nullptr) {
    require_given(reinterpret_cast<const void*>(given.forward), "forward");
  }
  void* const context = given.context;
  const auto caller = [context](aclgradGradcheckForward* function) {
    return [=](std::span<const void* const> in, std::span<void* const> out) {
      function(in.data(), out.data(), context);
    };
  };
  FunctionPair pair{
      .name = given.name,
      .inputs = arrays_of(given.inputs, given.input_count, "inputs"),
      .outputs = arrays_of(given.outputs, given.output_count, "outputs"),
      .forward = {},
      .backward =
          [backward = given.backward, context](auto in, auto out, auto d_out, auto d_in) {
            backward(in.data(), out.data(), d_out.data(), d_in.data(), context);
          },
      .roundings = given.roundings,
      .accumulation = accumulation_of(given.accumulation)};
  if (given.forward != nullptr) pair.forward = caller(given.forward);
  if (given.reference != nullptr) pair.reference = caller(given.reference);
  return pair;
}

FunctionFamily family_of(const aclgradGradcheckFamily& given) {
  FunctionFamily family{.name = given.name, .make = {}};
  for (int k = 0; k < given.attribute_count; ++k) {
    const aclgradGradcheckAttribute& each = given.attributes[k];
    require_given(each.name, "an attribute's name");
    family.attributes.push_back({each.name, each.usual, each.low, each.high, each.whole != 0});
  }
  if (given.allow != nullptr) {
    family.allows = [given](std::span<const double> values) {
      return given.allow(values.data(), given.context) != 0;
    };
  }
  family.make = [given](std::span<const double> values) {
    const std::vector<double> attributes(values.begin(), values.end());
    std::vector<aclgradGradcheckArray> inputs(
        static_cast<std::size_t>(std::max(given.input_count, 0)));
    std::vector<aclgradGradcheckArray> outputs(
        static_cast<std::size_t>(std::max(given.output_count, 0)));
    given.describe(attributes.data(), inputs.data(), outputs.data(), given.context);
    const auto caller = [=](aclgradGradcheckCallee* function) {
      return [=](std::span<const void* const> in, std::span<void* const> out) {
        const aclgradGradcheckCall call{attributes.data(), in.data(), out.data(),
                                        nullptr,           nullptr,   nullptr};
        function(&call, given.context);
      };
    };
    FunctionPair pair{.name = given.name,
                      .inputs = arrays_of(inputs.data(), given.input_count, "inputs"),
                      .outputs = arrays_of(outputs.data(), given.output_count, "outputs"),
                      .forward = {},
                      .backward = {},
                      .backward_strided =
                          [=](auto in, auto out, auto d_out, auto strides, auto d_in) {
                            std::vector<void*> results;  // which the backward only reads
                            for (const void* each : out) results.push_back(const_cast<void*>(each));
                            const aclgradGradcheckCall call{attributes.data(), in.data(),
                                                            results.data(),    d_out.data(),
                                                            strides.data(),    d_in.data()};
                            given.backward(&call, given.context);
                          },
                      .roundings = given.roundings,
                      .accumulation = accumulation_of(given.accumulation)};
    if (given.forward != nullptr) pair.forward = caller(given.forward);
    if (given.reference != nullptr) pair.reference = caller(given.reference);
    return pair;
  };
  return family;
}

}  // namespace

extern "C" {

int aclgradGradcheckOpen(const char* library, aclgradGradcheck** check) {
  if (check != nullptr) *check = nullptr;
  return guarded([=] {
    require_given(check, "check");
    *check = new aclgradGradcheck{library == nullptr ? nullptr : Library::open(library)};
    return ACLGRAD_GRADCHECK_RIGHT;
  });
}

int aclgradGradcheckSet(aclgradGradcheck* check, const char* option, const char* value) {
  return guarded([=] {
    require_given(check, "check");
    require_given(option, "option");
    Plan tried;
    if (value == nullptr) {
      check->settings.erase(option);
    } else {
      set(tried, option, value);
      check->settings[option] = value;
    }
    return ACLGRAD_GRADCHECK_RIGHT;
  });
}

int aclgradGradcheckRun(aclgradGradcheck* check, const char* operators) {
  return guarded([=] {
    require_given(check, "check");
    check->lines.clear();
    check->of_functions.reset();
    if (check->library == nullptr) check->library = Library::linked();
    Plan plan = plan_of(*check);
    plan.all_variants = operators == nullptr;
    plan.operators = operators == nullptr ? operator_names() : parts_of(operators, ',');
    check->lines = run(check->library, plan, [](const Line&) {});
    require_checked(check->library->path(), check->lines);
    return total(check->lines).exit_status();
  });
}

int aclgradGradcheckRunPair(aclgradGradcheck* check, const aclgradGradcheckPair* pair) {
  return guarded([=] {
    require_given(check, "check");
    require_given(pair, "pair");
    check->lines.clear();
    check->of_functions.reset();
    check->of_functions = check_functions(pair_of(*pair), plan_of(*check).options);
    return check->of_functions->exit_status();
  });
}

int aclgradGradcheckFunctions(aclgradGradcheck* check, const char* name,
                              const aclgradGradcheckArray* inputs, int input_count,
                              const aclgradGradcheckArray* outputs, int output_count,
                              aclgradGradcheckForward* forward, aclgradGradcheckBackward* backward,
                              void* context) {
  const aclgradGradcheckPair pair{.name = name,
                                  .inputs = inputs,
                                  .input_count = input_count,
                                  .outputs = outputs,
                                  .output_count = output_count,
                                  .forward = forward,
                                  .backward = backward,
                                  .reference = nullptr,
                                  .context = context,
                                  .roundings = 0,
                                  .accumulation = nullptr};
  return aclgradGradcheckRunPair(check, &pair);
}

int aclgradGradcheckRunFamily(aclgradGradcheck* check, const aclgradGradcheckFamily* family) {
  return guarded([=] {
    require_given(check, "check");
    require_given(family, "family");
    require_given(family->name, "name");
    require_given(reinterpret_cast<const void*>(family->describe), "describe");
    require_given(reinterpret_cast<const void*>(family->backward), "backward");
    if (family->reference == nullptr) {
      require_given(reinterpret_cast<const void*>(family->forward), "forward");
    }
    if (family->attribute_count > 0) require_given(family->attributes, "attributes");
    check->lines.clear();
    check->of_functions.reset();
    check->of_functions = check_family(family_of(*family), plan_of(*check).options);
    return check->of_functions->exit_status();
  });
}

const char* aclgradGradcheckReport(aclgradGradcheck* check, const char* format) {
  const int status = guarded([=] {
    require_given(check, "check");
    require_given(format, "format");
    check->report = report_of(*check, format);
    return ACLGRAD_GRADCHECK_RIGHT;
  });
  return status == ACLGRAD_GRADCHECK_RIGHT ? check->report.c_str() : nullptr;
}

void aclgradGradcheckClose(aclgradGradcheck* check) { delete check; }

const char* aclgradGradcheckMessage(void) { return message.c_str(); }

const char* aclgradGradcheckOperators(void) {
  const char* names = "";
  guarded([&] {
    static const std::string all = fmt::format("{}", fmt::join(operator_names(), ","));
    names = all.c_str();
    return ACLGRAD_GRADCHECK_RIGHT;
  });
  return names;
}

const char* aclgradGradcheckVersion(void) { return ACLGRAD_VERSION; }

}  // extern "C"
