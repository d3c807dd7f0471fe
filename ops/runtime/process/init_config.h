// SPDX-License-Identifier: Apache-2.0
// The JSON text of the file given to aclInit.
#pragma once

#include <string>

#include "acl/acl_base.h"

namespace aclgrad::runtime {

struct InitConfig {
  aclError status = ACL_SUCCESS;
  std::string problem;  // what is wrong with the text, when the status is not ACL_SUCCESS
  bool messages_per_process = false;
};

// Checks the text and tells what it asks for. Empty text asks for nothing.
InitConfig parse_init_config(const std::string& text);

}  // namespace aclgrad::runtime
