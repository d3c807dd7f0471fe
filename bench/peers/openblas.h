// SPDX-License-Identifier: Apache-2.0
// The threads of the BLAS under libtorch.
#pragma once

#include <dlfcn.h>

namespace aclgrad::bench {

// OpenBLAS upon plain threads does not hear how many libtorch is set to use, and takes all cores.
// Does nothing where the BLAS is another one.
inline void set_openblas_threads(int count) {
  void* const function = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (function != nullptr) reinterpret_cast<void (*)(int)>(function)(count);
}

}  // namespace aclgrad::bench
