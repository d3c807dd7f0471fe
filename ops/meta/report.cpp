// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "aclgrad_ext.h"
#include "ops/meta/operator.h"

namespace aclgrad::ops {

void report(const char* function, aclnnStatus status, const std::string& message,
            const std::string& cause) {
  const char* code = "EZ9999";
  const char* title = "AclNN_Inner_Error";
  if (status / 100000 == 1) {
    code = "EZ1001";
    title = "AclNN_Parameter_Error";
  } else if (status / 100000 == 3) {
    code = "EZ9903";
    title = "AclNN_Runtime_Error";
  }
  aclgradReportError(code, title,
                     fmt::format("{}: {} Status {}.", function, message, status).c_str(),
                     cause.c_str(), nullptr);
}

}  // namespace aclgrad::ops
