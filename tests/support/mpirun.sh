#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: mpirun.sh MPIEXEC PROCESSES PROGRAM [ARGUMENT...]
# Starts a program under Open MPI (4 or 5) on this machine alone, for a minute at most.
set -u
mpiexec=$1
processes=$2
shift 2
# Open MPI keeps files here, which processes that are killed leave behind.
memory=$(mktemp -d)
trap 'rm -rf "$memory"' EXIT

version=$("$mpiexec" --version 2>/dev/null | sed -n 's/.*(Open[^)]*) \([0-9]*\).*/\1/p')
case $version in
  4) here=(--mca plm isolated --mca oob_tcp_if_include lo --mca btl self,vader
    --mca btl_vader_backing_directory "$memory") ;;
  5) here=(--prtemca plm ssh --mca btl self,sm
    --mca btl_sm_backing_directory "$memory") ;;
  *) echo "mpirun.sh: $mpiexec is no Open MPI 4 or 5" >&2; exit 2 ;;
esac

# The launcher refuses to run as root, and on more ranks than cores, unless options allow it.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# It leaves memory behind, too.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
timeout -k 5 60 "$mpiexec" --oversubscribe --bind-to none --mca pml ob1 "${here[@]}" \
  -n "$processes" "$@"
