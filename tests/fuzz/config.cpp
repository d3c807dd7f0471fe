// SPDX-License-Identifier: Apache-2.0
#include "acl/acl.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_file.h"

namespace aclgrad::fuzz {

void fuzz_config(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  const aclError status = aclInit(file.path().c_str());
  require_message(status, "aclInit");
  require(status == 0 || status == ACL_ERROR_INVALID_PARAM || status == ACL_ERROR_INVALID_FILE ||
              status == ACL_ERROR_INVALID_FILE_SIZE || status == ACL_ERROR_PARSE_FILE ||
              status == ACL_ERROR_INVALID_DUMP_CONFIG ||
              status == ACL_ERROR_INVALID_PROFILING_CONFIG,
          "a documented status of aclInit");
  if (status == 0) require(aclFinalize() == 0, "what was initialised is finalised");
}

}  // namespace aclgrad::fuzz
