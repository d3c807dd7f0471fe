// SPDX-License-Identifier: Apache-2.0
// The way into the module that uses MPI.
#pragma once

#include <string>

namespace aclgrad::hccl {

class Network;

inline constexpr char kMpiModule[] = "libhccl_mpi.so";
inline constexpr char kOpenMpi[] = "hcclOpenMpi";

// Starts MPI unless the program has. Null, and why, on failure. The network lives as long as the
// process.
using OpenMpi = Network*(std::string& failure);

}  // namespace aclgrad::hccl
