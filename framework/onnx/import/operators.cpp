// SPDX-License-Identifier: Apache-2.0
#include "onnx/import/operators.h"

#include <map>

namespace aclgrad::onnx {

const Operator* find_operator(std::string_view name) {
  static const std::map<std::string_view, const Operator*> all = [] {
    std::map<std::string_view, const Operator*> found;
    for (const std::span<const Operator> list :
         {elementwise_operators(), function_operators(), logic_operators(), product_operators(),
          convolution_operators(), pooling_operators(), normalization_operators(),
          reduction_operators(), shape_operators(), making_operators(), index_operators(),
          resampling_operators(), recurrent_operators(), loss_operators(), quantized_operators(),
          sequence_operators(), control_operators(), attention_operators(), signal_operators()}) {
      for (const Operator& each : list) found[each.name] = &each;
    }
    return found;
  }();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace aclgrad::onnx
