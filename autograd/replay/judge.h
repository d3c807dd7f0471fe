// SPDX-License-Identifier: Apache-2.0
// Whether what a recorded call left in memory is right: the same bits as here, or within its
// contract's bound of the exact results, element by element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/runner.h"

namespace aclgrad::replay {

/// An element that is off.
struct Element {
  std::string tensor;
  std::int64_t index = 0;  // row-major
  double got = 0;
  double expected = 0;
  double off = 0;    // in units of the last place; of integers, in ones
  double bound = 0;  // likewise
  bool is_floating = true;

  /// "element 3 of out is 1.5, expected 1.25: 2097152 ulp off, at most 2 is right"
  std::string to_string() const;
};

enum class Verdict {
  equal,    // the same bits as here
  within,   // other bits, each element within its bound
  beyond,   // an element is not
  unjudged  // other bits, and nothing known that says how far they may be off
};

struct Judgement {
  Verdict verdict = Verdict::equal;
  std::string why = {};            // of `unjudged`, and of what `beyond` is no element of
  std::optional<Element> element;  // the worst one, in units of its bound
  double largest = 0;              // error over bound, of what is not equal
};

/// `recorded` are the bytes after the call, by tensor; empty where they were not kept.
Judgement judge(const Task& task, const std::vector<Content>& recorded,
                const std::vector<std::vector<std::byte>>& here);

/// What a contract says of the recorded arguments; none where it speaks of other calls: tensors of
/// several dtypes under test, another number of tensors in a list, complex numbers.
std::optional<contract::Arguments> contract_arguments(const Task& task);

/// The numbers of a tensor, row-major.
contract::Array array_of(const TensorArgument& tensor, Content bytes);

/// The tensors that the operator writes, and those that it reads, by their places in the task.
std::vector<bool> written_tensors(const Task& task);
std::vector<bool> read_tensors(const Task& task);

}  // namespace aclgrad::replay
