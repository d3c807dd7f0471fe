// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/variable.h"

#include <fmt/format.h>

#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "graph/cloning.h"

namespace aclgrad {
namespace {

void require_alive(const DeviceBuffer& buffer, const std::string& name) {
  if (buffer.is_alive()) return;
  throw ValueError(
      fmt::format("variable `{}` is dead: its device memory was freed (aclrtResetDevice, "
                  "aclFinalize)",
                  name));
}

}  // namespace

Variable::Variable(std::string name, const Tensor& initial)
    : state_(std::make_shared<State>(
          State{name, initial.shape(), initial.dtype(),
                DeviceBuffer(initial.nbytes(), "variable `" + name + "`"), 0})) {
  state_->buffer.upload(initial.bytes(), initial.nbytes());
}

Variable::Variable(const Variable& other)
    : state_(detail::cloned_or_same(other.state_, Variable::cloned)) {}

Variable& Variable::operator=(const Variable& other) {
  state_ = detail::cloned_or_same(other.state_, Variable::cloned);
  return *this;
}

std::shared_ptr<Variable::State> Variable::cloned(const std::shared_ptr<State>& state) {
  require_alive(state->buffer, state->name);
  Tensor contents = Tensor::zeros(state->shape, state->dtype);
  state->buffer.download(contents.bytes(), contents.nbytes());
  Variable made(state->name, contents);
  made.state_->version = state->version;
  return std::move(made.state_);
}

void Variable::convert(DType dtype) const {
  if (dtype == state_->dtype) return;
  const Tensor converted = value().to(dtype);
  DeviceBuffer buffer(converted.nbytes(), "variable `" + name() + "`");
  buffer.upload(converted.bytes(), converted.nbytes());
  state_->buffer = std::move(buffer);
  state_->dtype = dtype;
  mark_changed();
}

void Variable::check_alive() const { require_alive(state_->buffer, name()); }

Tensor Variable::value() const {
  check_alive();
  Tensor result = Tensor::zeros(shape(), dtype());
  state_->buffer.download(result.bytes(), result.nbytes());
  return result;
}

void Variable::assign(const Tensor& value) const {
  if (value.shape() != shape()) {
    throw ShapeError(fmt::format("variable `{}` has shape {}, cannot assign a tensor of shape {}",
                                 name(), shape(), value.shape()));
  }
  if (value.dtype() != dtype()) {
    throw DTypeError(fmt::format("variable `{}` is {}, cannot assign a tensor of {}", name(),
                                 dtype(), value.dtype()));
  }
  check_alive();
  state_->buffer.upload(value.bytes(), value.nbytes());
  mark_changed();
}

}  // namespace aclgrad
