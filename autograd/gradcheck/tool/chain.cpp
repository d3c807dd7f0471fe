// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/chain.h"

#include <algorithm>

#include "aclgrad/error.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_reduce_sum.h"

namespace aclgrad::gradcheck {

View transposed(View view) {
  const std::size_t rank = view.shape.size();
  std::swap(view.shape[rank - 1], view.shape[rank - 2]);
  std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  return view;
}

View with_axis(View view, std::size_t position) {
  const auto at = static_cast<std::ptrdiff_t>(position);
  view.shape.insert(view.shape.begin() + at, 1);
  view.strides.insert(view.strides.begin() + at, 1);
  return view;
}

View expanded(View view, const Dims& shape) {
  while (view.shape.size() < shape.size()) view = with_axis(view, 0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (view.shape[i] != shape[i]) view.strides[i] = 0;
  }
  view.shape = shape;
  return view;
}

View reshaped(View view, const Dims& shape) {
  view.shape = shape;
  view.strides.assign(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    view.strides[i - 1] = view.strides[i] * std::max<std::int64_t>(shape[i], 1);
  }
  return view;
}

View Chain::temporary(DType dtype, const Dims& shape) {
  return memory_.emplace_back(dtype, shape, Layout::contiguous, call_.poison).view();
}

void Chain::run(const std::string& api, const PlanFunction& plan, std::vector<View> inputs,
                const View& output) {
  if (!failure_.empty()) return;
  const View outputs[] = {output};
  failure_ = library_.run(
      api, plan,
      {.inputs = inputs, .outputs = outputs, .threads = call_.threads, .poison = call_.poison});
}

void Chain::copy(const View& from, const View& to) {
  auto* plan = library_.function<decltype(aclnnInplaceCopyGetWorkspaceSize)>(
      "aclnnInplaceCopyGetWorkspaceSize");
  run(
      "aclnnInplaceCopy",
      [plan](auto t, auto* size, auto** executor) { return plan(t[1], t[0], size, executor); },
      {from}, to);
}

void Chain::scale(const View& from, const aclScalar* by, const View& to) {
  auto* plan = library_.function<decltype(aclnnMulsGetWorkspaceSize)>("aclnnMulsGetWorkspaceSize");
  run(
      "aclnnMuls",
      [plan, by](auto t, auto* size, auto** executor) {
        return plan(t[0], by, t[1], size, executor);
      },
      {from}, to);
}

void Chain::multiply(const View& a, const View& b, const View& to) {
  auto* plan = library_.function<decltype(aclnnMulGetWorkspaceSize)>("aclnnMulGetWorkspaceSize");
  run(
      "aclnnMul",
      [plan](auto t, auto* size, auto** executor) {
        return plan(t[0], t[1], t[2], size, executor);
      },
      {a, b}, to);
}

void Chain::matmul(const View& a, const View& b, const View& to) {
  auto* plan =
      library_.function<decltype(aclnnMatmulGetWorkspaceSize)>("aclnnMatmulGetWorkspaceSize");
  run(
      "aclnnMatmul",
      [plan](auto t, auto* size, auto** executor) {
        return plan(t[0], t[1], t[2], 0, size, executor);
      },
      {a, b}, to);
}

void Chain::sum_to(const View& from, const View& to) {
  const std::size_t added = from.shape.size() - to.shape.size();
  std::vector<std::int64_t> dims;
  View target = to;
  target.shape.clear();
  target.strides.clear();
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    if (i < added || to.shape[i - added] != from.shape[i]) {
      dims.push_back(static_cast<std::int64_t>(i));
    } else {
      target.shape.push_back(to.shape[i - added]);
      target.strides.push_back(to.strides[i - added]);
    }
  }
  if (dims.empty()) {
    copy(from, to);
    return;
  }
  auto* plan =
      library_.function<decltype(aclnnReduceSumGetWorkspaceSize)>("aclnnReduceSumGetWorkspaceSize");
  const aclIntArray* over = library_.int_array(dims);
  const auto dtype = static_cast<aclDataType>(to.dtype);
  run(
      "aclnnReduceSum",
      [=](auto t, auto* size, auto** executor) {
        return plan(t[0], over, false, dtype, t[1], size, executor);
      },
      {from}, target);
}

std::vector<std::string> Chain::calls(bool with_matmul) {
  std::vector<std::string> names = {"aclnnInplaceCopy", "aclnnMuls", "aclnnMul", "aclnnReduceSum"};
  if (with_matmul) names.emplace_back("aclnnMatmul");
  return names;
}

Backward from_chain(LibraryPointer library, std::function<void(Chain& chain)> links, bool sums) {
  if (sums) library->ask("aclCreateIntArray");
  return [library = std::move(library), links = std::move(links)](const BackwardCall& call) {
    Chain chain(*library, call);
    links(chain);
    return chain.failure();
  };
}

}  // namespace aclgrad::gradcheck
