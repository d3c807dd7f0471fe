// SPDX-License-Identifier: Apache-2.0
// The threads of oneDNN.
#pragma once

#include <dlfcn.h>

#include <stdexcept>

namespace aclgrad::bench {

// Sets the number of threads of the OpenMP runtime that oneDNN was built with, which need not be
// the one that this compiler would bring. Throws where oneDNN has none.
inline void set_openmp_threads(int count) {
  void* const function = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  if (function == nullptr) {
    throw std::runtime_error("this oneDNN runs without OpenMP, so its threads cannot be set");
  }
  reinterpret_cast<void (*)(int)>(function)(count);
}

}  // namespace aclgrad::bench
