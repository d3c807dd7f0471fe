// SPDX-License-Identifier: Apache-2.0
// The gradient of an operator that has no gradient operator: calls of the library's other
// operators, one after the other, as the framework's rules make them (autograd/rules).
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "gradcheck/tool/catalogue.h"

namespace aclgrad::gradcheck {

/// The same elements seen otherwise; no memory moves.
View transposed(View view);                       // the last two dimensions exchanged
View with_axis(View view, std::size_t position);  // a dimension of extent 1 put in
View expanded(View view, const Dims& shape);      // repeated by strides of 0
View reshaped(View view, const Dims& shape);      // of a view without gaps

/// One execution. After a call that failed the others do nothing.
class Chain {
 public:
  Chain(Library& library, const BackwardCall& call) : library_(library), call_(call) {}

  View input(std::size_t i) const { return call_.inputs[i]; }
  View output(std::size_t i) const { return call_.outputs[i]; }
  bool wants(std::size_t i) const { return call_.outputs[i].data != nullptr; }
  /// A tensor without gaps that lives as long as the chain.
  View temporary(DType dtype, const Dims& shape);

  void copy(const View& from, const View& to);
  void scale(const View& from, const aclScalar* by, const View& to);
  void multiply(const View& a, const View& b, const View& to);
  void matmul(const View& a, const View& b, const View& to);
  /// Undoes broadcasting: sums over what was repeated; a copy when nothing was.
  void sum_to(const View& from, const View& to);

  const std::string& failure() const { return failure_; }

  /// Names of the operators that these functions call.
  static std::vector<std::string> calls(bool with_matmul = false);

 private:
  void run(const std::string& api, const PlanFunction& plan, std::vector<View> inputs,
           const View& output);

  Library& library_;
  const BackwardCall& call_;
  std::deque<Guarded> memory_;
  std::string failure_;
};

/// A backward that runs `links` on a chain.
Backward from_chain(LibraryPointer library, std::function<void(Chain& chain)> links,
                    bool sums = true);

}  // namespace aclgrad::gradcheck
