// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/failure.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace aclgrad::gradcheck::detail {

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

Candidate guarded(Candidate candidate) {
  candidate.function = [inner = std::move(candidate.function),
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
  if (candidate.refusal) {
    candidate.refusal = [inner = std::move(candidate.refusal)](DType dtype) {
      return guard("`refusal`", [&] { return inner(dtype); });
    };
  }
  if (candidate.rounding) {
    candidate.rounding = [inner = std::move(candidate.rounding)](
                             const Arrays& inputs, const Array& cotangent, DType dtype) {
      return guard("`rounding`", [&] { return inner(inputs, cotangent, dtype); });
    };
  }
  return candidate;
}

}  // namespace aclgrad::gradcheck::detail
