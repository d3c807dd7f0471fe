// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/failure.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace aclgrad::gradcheck::detail {
namespace {

// What was thrown, inside a handler.
std::string thrown() {
  try {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.empty() ? "an exception without a text" : text;
  } catch (...) {
    return "something was thrown that is no std::exception";
  }
}

// A result without values, of which nothing is known, is one as well.
void require_arrays(const std::string& what, const Arrays& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& array = arrays[i];
    if (array.values.empty()) continue;
    if (static_cast<std::size_t>(count_of(array.shape)) == array.values.size()) continue;
    throw Failure(fmt::format("{} gave {} numbers for shape {}, in place {}", what,
                              array.values.size(), dims_text(array.shape), i),
                  what);
  }
}

// Calls `function`, where there is one, and passes nothing on but Failure.
template <class Result, class... Arguments>
void guard(std::function<Result(Arguments...)>& function, const std::string& what) {
  if (!function) return;
  function = [inner = std::move(function), what](Arguments... arguments) -> Result {
    try {
      Result result = inner(std::forward<Arguments>(arguments)...);
      if constexpr (std::is_same_v<Result, Arrays>) require_arrays(what, result);
      return result;
    } catch (const Failure&) {
      throw;
    } catch (...) {
      throw Failure(fmt::format("{} failed: {}", what, thrown()), what);
    }
  };
}

void require_values(const std::string& what, const Array& array) {
  if (!array.values.empty() || count_of(array.shape) == 0) return;
  throw Failure(fmt::format("{} gave no numbers for shape {}", what, dims_text(array.shape)), what);
}

}  // namespace

Operator guarded(Operator op) {
  op.backward = [inner = std::move(op.backward),
                 calls = std::make_shared<int>(0)](const BackwardCall& call) -> std::string {
    ++*calls;
    std::string text;
    try {
      text = inner(call);
    } catch (...) {
      text = thrown();
    }
    return text.empty() ? text : fmt::format("call {}: {}", *calls, text);
  };
  guard(op.forward, "the forward");
  guard(op.scalar, "the forward");
  guard(op.dual, "the forward with dual numbers");
  guard(op.saved, "`saved`");
  guard(op.exact_backward, "`exact_backward`");
  guard(op.backward_magnitude, "`backward_magnitude`");
  guard(op.rounding, "`rounding`");
  guard(op.refusal, "`refusal`");
  if (op.forward) {
    op.forward = [inner = std::move(op.forward)](const Arrays& inputs) {
      Arrays outputs = inner(inputs);
      if (outputs.empty()) throw Failure("the forward gave no outputs", "the forward");
      require_values("the forward", outputs.front());
      return outputs;
    };
  }
  if (op.saved) {
    op.saved = [inner = std::move(op.saved)](const Arrays& inputs, const Arrays& outputs,
                                             const Array& cotangent) {
      Arrays given = inner(inputs, outputs, cotangent);
      for (const Array& array : given) require_values("`saved`", array);
      return given;
    };
  }
  return op;
}

}  // namespace aclgrad::gradcheck::detail
