// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_BENCH_KERNELS_REQUIRE_H_
#define ACLGRAD_BENCH_KERNELS_REQUIRE_H_

#include <stdexcept>
#include <string>

#include "acl/acl_rt.h"

namespace aclgrad::bench {

// Throws std::runtime_error, with the library's message, for a status that is not 0.
inline void require(int status, const std::string& what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(what + ": status " + std::to_string(status) + "\n" +
                           (message != nullptr ? message : ""));
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_KERNELS_REQUIRE_H_
