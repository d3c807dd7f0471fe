// SPDX-License-Identifier: Apache-2.0
// usage: load_by_name OPERATOR...
// Drives operators through dlopen and dlsym alone, as other languages do: the three libraries by
// their bare names, each operator by the pair of its name. Linked with none of them.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "tests/contract/products.h"

using namespace aclgrad::contract;

namespace {

void* open_library(const char* name) {
  void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return handle;
}

void drive(const Library& library, const Operator& row, aclrtStream stream) {
  Call call(library, row, usual_dtype(row));
  if (call.plan() != 0 || call.run(stream) != 0) throw std::runtime_error(library.message());
  const double value = exact_value(row, usual_dtype(row), call.dtype_of(row.output()));
  if (!(std::abs(call.output() - value) <= tolerance(value, call.dtype_of(row.output())))) {
    throw std::runtime_error(row.name() + " computed " + std::to_string(call.output()));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<void*> handles = {open_library("libopapi.so"), open_library("libnnopbase.so"),
                                      open_library("libascendcl.so")};
  {
    const Library library(handles);
    aclrtStream stream = nullptr;
    if (library.get<decltype(aclInit)>("aclInit")(nullptr) != 0 ||
        library.get<decltype(aclrtSetDevice)>("aclrtSetDevice")(0) != 0 ||
        library.get<decltype(aclrtCreateStream)>("aclrtCreateStream")(&stream) != 0) {
      throw std::runtime_error(library.message());
    }
    for (int i = 1; i < argc; ++i) drive(library, find_contract(argv[i]), stream);
    if (library.get<decltype(aclrtDestroyStream)>("aclrtDestroyStream")(stream) != 0 ||
        library.get<decltype(aclrtResetDevice)>("aclrtResetDevice")(0) != 0 ||
        library.get<decltype(aclFinalize)>("aclFinalize")() != 0) {
      throw std::runtime_error(library.message());
    }
  }
  for (void* handle : handles) dlclose(handle);
  std::printf("%d operators driven through dlsym\n", argc - 1);
  return argc - 1 == static_cast<int>(all_contracts().size()) ? 0 : 1;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "load_by_name: %s\n", problem.what());
  return 1;
}
