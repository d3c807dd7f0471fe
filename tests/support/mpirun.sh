#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: mpirun.sh MPIEXEC PROCESSES PROGRAM [ARGUMENT...]
# Starts a program under Open MPI on this machine alone, for a minute at most.
set -u
mpiexec=$1
processes=$2
shift 2
# Open MPI keeps files here, which processes that are killed leave behind.
memory=$(mktemp -d)
trap 'rm -rf "$memory"' EXIT

# The launcher refuses to run as root, and on more ranks than cores, unless told otherwise.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# It leaves memory behind, too.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
timeout -k 5 60 "$mpiexec" --oversubscribe --bind-to none --mca pml ob1 --mca btl self,vader \
  --mca plm isolated --mca oob_tcp_if_include lo --mca btl_vader_backing_directory "$memory" \
  -n "$processes" "$@"
