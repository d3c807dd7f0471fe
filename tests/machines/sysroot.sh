#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: sysroot.sh ARCHITECTURE FOLDER PACKAGE...
# Unpacks Debian packages of another architecture, with all that they need, into FOLDER. Nothing is
# installed: package lists and archives are the folder's own, and this machine's stay as they are.
set -euo pipefail
architecture=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
wanted="$architecture $*"
if [[ -f $folder.packages && $(<"$folder.packages") == "$wanted" ]]; then exit; fi

work=$folder.apt
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial"
: >"$work/status" # nothing is installed there yet
apt=(apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
  -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache"
  -o APT::Install-Recommends=0 -o Debug::NoLocking=1)
"${apt[@]}" update
"${apt[@]}" install --download-only --yes "$@" >/dev/null
# But for what the cross compiler has of its own: the C library to link with, whose paths hold on that machine only.
rm -f "$work"/cache/archives/libc6-dev_*
for archive in "$work"/cache/archives/*.deb; do dpkg-deb -x "$archive" "$folder"; done
rm -r "$work"
echo "$wanted" >"$folder.packages"
