// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/result_shape.h"

#include "ops/meta/tensor.h"

namespace aclgrad::ops {

TensorLink::~TensorLink() {
  if (place_ == nullptr) return;
  const std::lock_guard lock(place_->mutex);
  place_->tensor = nullptr;
}

std::shared_ptr<TensorPlace> TensorLink::place_of(aclTensor& tensor) {
  std::call_once(once_, [&] {
    place_ = std::make_shared<TensorPlace>();
    place_->tensor = &tensor;
  });
  return place_;
}

ResultShape::ResultShape(const aclTensor& result) {
  auto& tensor = const_cast<aclTensor&>(result);  // NOLINT: the task changes its shape
  place_ = tensor.link.place_of(tensor);
}

void ResultShape::set(const Dims& shape) const {
  const std::lock_guard lock(place_->mutex);
  aclTensor* const tensor = place_->tensor;
  if (tensor == nullptr) return;
  if (is_contiguous(*tensor)) tensor->view_strides = contiguous_strides(shape);
  tensor->view_shape = shape;
}

}  // namespace aclgrad::ops
