// SPDX-License-Identifier: Apache-2.0
// Operators on images: tensors of a batch, channels, and one to three spatial axes.
#include "contract/describe.h"

namespace aclgrad::contract {

FamilyContracts images() {
  FamilyContracts family{
      {"Convolution, pooling and normalization of channels", "卷积、池化与通道归一化"}, {}};
  add_convolution(family.operators);
  add_pooling(family.operators);
  add_channel_norm(family.operators);
  return family;
}

}  // namespace aclgrad::contract
