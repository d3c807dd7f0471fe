// SPDX-License-Identifier: Apache-2.0
#include "session/graph_page.h"

namespace aclgrad::detail {

GraphPage& graph_page() {
  static GraphPage page;
  return page;
}

}  // namespace aclgrad::detail
