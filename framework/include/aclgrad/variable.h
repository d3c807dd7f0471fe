// SPDX-License-Identifier: Apache-2.0
// Variable: a named device tensor that outlives graphs: a parameter, or the state of an optimizer.
// It is a handle; copies share the tensor. A graph refers to it (Graph::parameter), so a training
// graph and an evaluation graph over the same Variables see the same weights at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "aclgrad/runtime/handles.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

class Variable {
 public:
  /// Allocates device memory and copies `initial` there. Throws StatusError, and ValueError for a
  /// name with the mark of those that are kept_beside() others.
  Variable(std::string name, const Tensor& initial);

  /// What training keeps beside a variable: `hidden.weight@velocity` beside `hidden.weight`; beside
  /// none, `@adamw.steps`. All that we add to a user's variables is called so, and nothing else may
  /// have the mark in its name, so names in a file never meet, whatever the user's are. Throws
  /// ValueError where `what` has it.
  static constexpr char kMark = '@';
  static Variable kept_beside(const std::string& name, const std::string& what,
                              const Tensor& initial);

  /// Another handle on the same variable. There is no move: what was moved from is a handle still.
  Variable(const Variable& other);
  Variable& operator=(const Variable& other);
  ~Variable() = default;

  const std::string& name() const noexcept { return state_->name; }
  const Shape& shape() const noexcept { return state_->shape; }
  DType dtype() const noexcept { return state_->dtype; }

  /// Whether the device still has the contents. aclrtResetDevice and aclFinalize end them: what is
  /// left is a dead variable, and there is nothing to do with it but to make another one.
  bool is_alive() const noexcept { return state_->buffer.is_alive(); }

  /// The device that has the contents: the one in use when the variable was made.
  int device() const noexcept { return state_->buffer.device(); }

  /// Throws ValueError, which names the variable, when it is dead.
  void check_alive() const;

  /// A copy of the present contents. Not while a Session that updates the variable is running.
  /// Throws ValueError when the variable is dead.
  Tensor value() const;

  /// Replaces the contents. Throws ShapeError or DTypeError unless `value` is of the variable's
  /// shape and dtype, ValueError when the variable is dead.
  void assign(const Tensor& value) const;

  /// Counts the changes of the contents (by assign, or by the run of a Session).
  std::uint64_t version() const noexcept { return state_->version; }

  /// Base address on the device; constant over the variable's life, unless Module::to() converts
  /// it. That of a dead variable is dangling.
  void* address() const noexcept { return state_->buffer.data(); }

  /// Whether both are handles of the same tensor.
  friend bool operator==(const Variable& a, const Variable& b) { return a.state_ == b.state_; }

  /// Counts a change made behind the variable's back: for what runs operators on address().
  void mark_changed() const noexcept { ++state_->version; }

  /// A number that tells variables apart, for use as a key.
  std::uintptr_t identity() const noexcept {
    return reinterpret_cast<std::uintptr_t>(state_.get());
  }

 private:
  friend class Module;  // names its variables by their place in a tree, and converts them

  // Keeps the contents, converted.
  void convert(DType dtype) const;

  struct State {
    std::string name;
    Shape shape;
    DType dtype;
    DeviceBuffer buffer;
    std::uint64_t version = 0;
  };

  struct AnyName {};
  Variable(AnyName, std::string name, const Tensor& initial);

  static std::shared_ptr<State> cloned(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

namespace detail {

/// Throws ValueError for a name with Variable::kMark; `what` is called so.
void require_unmarked(std::string_view what, std::string_view name);

/// The name of the variable that what is called so is kept beside; empty where there is none.
std::string owner_of(const std::string& name);

}  // namespace detail
}  // namespace aclgrad
