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

void detail::require_unmarked(std::string_view what, std::string_view name) {
  if (name.find(Variable::kMark) == std::string_view::npos) return;
  throw ValueError(
      fmt::format("{} cannot be called `{}`: names with `{}` are those of what training keeps "
                  "beside a variable, as in `weight{}velocity`",
                  what, name, Variable::kMark, Variable::kMark));
}

std::string detail::owner_of(const std::string& name) {
  const std::size_t at = name.find(Variable::kMark);
  return at == std::string::npos ? std::string() : name.substr(0, at);
}

Variable::Variable(std::string name, const Tensor& initial)
    : Variable((detail::require_unmarked("a variable", name), AnyName()), name, initial) {}

Variable Variable::kept_beside(const std::string& name, const std::string& what,
                               const Tensor& initial) {
  detail::require_unmarked("what is kept beside a variable", what);
  return {AnyName(), name + kMark + what, initial};
}

Variable::Variable(AnyName, std::string name, const Tensor& initial)
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
  Variable made(AnyName(), state->name, contents);
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
