// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aclgrad::runtime {

// The process's one T, made at the first call and never destroyed: threads of the program, and
// destructors of its static objects, may call the runtime after main().
template <class T>
T& never_destroyed() {
  static T& instance = *new T;
  return instance;
}

}  // namespace aclgrad::runtime
