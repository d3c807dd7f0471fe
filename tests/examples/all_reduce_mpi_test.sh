#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: all_reduce_mpi_test.sh MPIEXEC PROGRAM
# Each of three processes finds the sum; also with the threads that the program did not ask MPI for.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for level in 0 3; do
  output=$(OMPI_MPI_THREAD_LEVEL=$level bash "$here/../support/mpirun.sh" "$1" 3 "$2" 2>&1) || {
    printf '%s\n' "$output" "thread level $level: it failed"
    exit 1
  }
  printf '%s\n' "$output"
  for rank in 0 1 2; do
    grep -qx "rank $rank of 3: the sum is 3" <<<"$output" || {
      echo "thread level $level: no sum of rank $rank"
      exit 1
    }
  done
done
