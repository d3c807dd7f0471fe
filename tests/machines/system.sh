#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: system.sh SUITE REPOSITORY FOLDER new|kept COMMAND [arguments]
# Makes a minimal Debian of that suite (bookworm, trixie) in FOLDER, with nothing but git, g++, cmake and
# apt, where there is none yet, and runs the command there in a clone of the repository: a new one, or one
# that is kept and brought to the repository's last commit, so that it has what was built in it before. The
# clones are FOLDER/opt/new and FOLDER/opt/kept. Needs root and debootstrap; the network only for packages.
set -euo pipefail
suite=$1
repository=$(cd "$2" && pwd)
folder=$3
clone=$4
shift 4

((EUID == 0)) || { echo "system.sh: only root can make a system" >&2; exit 1; }
if [[ ! -f $folder/etc/apt/sources.list ]]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep /debian/ | head -n 1)
  [[ -n $mirror ]] || { echo "system.sh: apt knows no archive of Debian" >&2; exit 1; }
  mkdir -p "$folder"
  debootstrap --variant=minbase --include=ca-certificates,git,g++,cmake "$suite" "$folder" \
    "$mirror" >"$folder.log" 2>&1 ||
    { tail -n 20 "$folder.log" >&2; rm -rf "$folder"; exit 1; }
fi
# Packages come the way that they come to this machine.
apt-config dump | grep '^Acquire::' >"$folder/etc/apt/apt.conf.d/99host" || true
[[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$folder/etc/resolv.conf"

place=$folder/opt/$clone
[[ $clone == kept ]] || rm -rf "$place"
if [[ -d $place/.git ]]; then
  git -C "$place" fetch -q "$repository" HEAD
  git -C "$place" reset -q --hard FETCH_HEAD
else
  git clone -q "$repository" "$place"
fi
[[ -z $(git -C "$repository" status --porcelain --untracked-files=no) ]] ||
  echo "system.sh: changes that are not committed are not in that system" >&2
# Processes, /proc, devices and shared memory of its own, which end with the command: what a package does
# to /dev/null there must not happen to this machine's.
export folder clone
unshare --mount --pid --fork bash -c '
  mount -t proc proc "$folder/proc"
  mount -t tmpfs -o mode=755 tmpfs "$folder/dev"
  while read -r name major minor; do mknod -m 666 "$folder/dev/$name" c "$major" "$minor"; done <<<"null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0"
  mkdir "$folder/dev/shm" "$folder/dev/pts"
  mount -t tmpfs tmpfs "$folder/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts"
  ln -s pts/ptmx "$folder/dev/ptmx"
  ln -s /proc/self/fd "$folder/dev/fd"
  mount --bind /sys "$folder/sys"
  exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 \
    ACLGRAD_CMAKE_OPTIONS="${ACLGRAD_CMAKE_OPTIONS-}" \
    chroot "$folder" bash -c "cd -P /opt/$clone && exec \"\$@\"" bash "$@"' bash "$@"
