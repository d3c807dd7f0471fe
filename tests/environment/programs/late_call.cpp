// SPDX-License-Identifier: Apache-2.0
// Calls an operator when the process ends, from a handler that is older than the libraries and so
// runs when what they have registered has run. They are loaded by path: late_call ASCENDCL NNOPBASE
// OPAPI.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_selu.h"

namespace {

void* g_libraries[3];

template <class Function>
Function* find(Function*, const char* name) {
  for (void* const library : g_libraries) {
    if (void* const symbol = dlsym(library, name)) return reinterpret_cast<Function*>(symbol);
  }
  std::printf("no %s\n", name);
  _exit(2);
}
#define FIND(function) find(static_cast<decltype(&::function)>(nullptr), #function)

void require(int status, const char* what) {
  if (status == 0) return;
  std::printf("%s: %d\n", what, status);
  std::fflush(stdout);
  _exit(3);
}

float g_memory[2][16];
aclTensor* g_tensors[2];
aclrtStream g_stream;

aclOpExecutor* plan() {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  require(FIND(aclnnSeluGetWorkspaceSize)(g_tensors[0], g_tensors[1], &size, &executor),
          "phase one");
  return executor;
}

void call() { require(FIND(aclnnSelu)(nullptr, 0, plan(), g_stream), "phase two"); }

void call_late() {
  require(FIND(aclDestroyAclOpExecutor)(plan()), "aclDestroyAclOpExecutor");
  call();
  // Nothing runs any more, and nothing is waited for.
  if (FIND(aclrtSynchronizeStream)(g_stream) != 107023) _exit(4);
  // A wrong call is still reported.
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (FIND(aclnnSeluGetWorkspaceSize)(nullptr, g_tensors[1], &size, &executor) != 161001) _exit(5);
  const char* const text = FIND(aclGetRecentErrMsg)();
  if (text == nullptr || *text == '\0') _exit(6);
}

}  // namespace

int main(int count, char** paths) {
  if (count != 4 || std::atexit(call_late) != 0) return 1;
  for (int i = 0; i < 3; ++i) {
    g_libraries[i] = dlopen(paths[i + 1], RTLD_NOW | RTLD_GLOBAL);
    if (g_libraries[i] == nullptr) {
      std::puts(dlerror());
      return 1;
    }
  }
  require(FIND(aclrtSetDevice)(0), "aclrtSetDevice");
  require(FIND(aclrtCreateStream)(&g_stream), "aclrtCreateStream");
  const int64_t length = 16;
  for (int i = 0; i < 2; ++i) {
    g_tensors[i] = FIND(aclCreateTensor)(&length, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &length,
                                         1, g_memory[i]);
  }
  call();
  require(FIND(aclrtSynchronizeStream)(g_stream), "aclrtSynchronizeStream");
  // Threads that go on until the very end.
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      require(FIND(aclrtSetDevice)(0), "aclrtSetDevice");
      while (true) require(FIND(aclDestroyAclOpExecutor)(plan()), "aclDestroyAclOpExecutor");
    }).detach();
  }
  std::exit(0);
}
