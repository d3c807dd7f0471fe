// SPDX-License-Identifier: Apache-2.0
// Operators on images: tensors of a batch, channels, and one to three spatial axes.
#include "contract/describe.h"

namespace aclgrad::contract {

Family images() {
  Family family{{"Convolution and pooling", "卷积与池化"}, {}};
  add_convolution(family.operators);
  add_pooling(family.operators);
  return family;
}

}  // namespace aclgrad::contract
