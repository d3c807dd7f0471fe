#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: foreign.sh SYSROOT COMMAND...
# Runs the command so that aarch64 programs, started by whomever, run under qemu on the libraries in
# SYSROOT. Where this machine is not set up to run them (Debian: qemu-user-binfmt), only the
# command is set up, in a namespace of its own; that takes Linux 6.7.
set -euo pipefail
QEMU_LD_PREFIX=$(cd "$1" && pwd) # tests run in folders of their own
export QEMU_LD_PREFIX
# What the usual hosts of these accelerators have: ARMv8.2 with half precision, without SVE.
export QEMU_CPU=${QEMU_CPU:-neoverse-n1}
shift

loader=$QEMU_LD_PREFIX/lib/ld-linux-aarch64.so.1
if "$loader" --version >/dev/null 2>&1; then exec "$@"; fi

# The ELF header of an aarch64 program: every byte that the mask leaves must be as here.
register() {
  local header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  printf '%s' ":aarch64:M::$header:$mask:$(command -v qemu-aarch64):" \
    >/proc/sys/fs/binfmt_misc/register
}
export -f register
# shellcheck disable=SC2016  # expanded by the inner shell
if ! unshare --user --map-root-user --mount bash -c 'register && "$0" --version' "$loader" \
  >/dev/null 2>&1; then
  echo "This machine cannot run aarch64 programs: install qemu-user-binfmt as root, or use Linux 6.7." >&2
  exit 1
fi
# shellcheck disable=SC2016
exec unshare --user --map-root-user --mount bash -c 'register && exec "$@"' foreign "$@"
