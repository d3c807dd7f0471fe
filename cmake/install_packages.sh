# SPDX-License-Identifier: Apache-2.0
# For scripts to source: installs what is missing, where that is possible, and otherwise says in a line what
# to do.

# die WORDS...: ends the script.
die() {
  echo "$0: $*" >&2
  exit 1
}

# advice [FILE]: what to install on the system that /etc/os-release, or the file, tells of. For the examples;
# the tests need GoogleTest, Google Benchmark, oneDNN and MPFR besides.
advice() {
  local id
  # shellcheck source=/dev/null
  id=" $(. "${1:-/etc/os-release}" 2>/dev/null && echo "$ID ${ID_LIKE-}") "
  case $id in
    *' debian '*) echo "sudo apt-get install g++ cmake ninja-build libfmt-dev libhwy-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libpng-dev" ;;
    *' fedora '*) echo "sudo dnf install gcc-c++ cmake ninja-build fmt-devel highway-devel cli11-devel json-devel zlib-devel libpng-devel" ;;
    *' arch '*) echo "sudo pacman -S gcc cmake ninja fmt highway cli11 nlohmann-json zlib libpng" ;;
    *suse*) echo "sudo zypper install gcc-c++ cmake ninja fmt-devel highway-devel cli11-devel nlohmann_json-devel zlib-devel libpng16-devel" ;;
    *) echo "g++ or clang++, CMake, Ninja, fmt, Highway, CLI11, nlohmann-json, zlib and libpng, by the system's package manager" ;;
  esac
}

# Ends the script on a system that cannot build aclgrad, or not yet.
require_tools() {
  [[ $(uname -s) == Linux ]] ||
    die "aclgrad runs on Linux; elsewhere build it in a container or a virtual machine, of Debian, say"
  local missing=()
  command -v cmake >/dev/null || missing+=(CMake)
  command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
    missing+=("C++ compiler")
  ((${#missing[@]} == 0)) || die "there is no ${missing[0]}${missing[1]:+ and no ${missing[1]}}; install: $(advice)"
}

# explain_failure FOLDER WHAT [OUTPUT]: ends the script after a command failed that writes there.
explain_failure() {
  local place free
  for place in "$1" "${TMPDIR:-/tmp}"; do
    free=$(df -Pk "$place" | awk 'NR == 2 {print $4}')
    ((free >= 20 * 1024)) || die "$2 failed: the disk of $place is full ($((free / 1024)) MB left)"
  done
  [[ -z ${3-} ]] || printf '%s\n' "$3" >&2
  command -v dpkg-query >/dev/null || die "$2 failed, see above; what it needs here: $(advice)"
  die "$2 failed, see above"
}

install_packages() {
  command -v dpkg-query >/dev/null || return 0 # another system: CMake names what it cannot find
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
      printf 'These packages are missing. Install them, then run this again:\n\n  %s\n\n' \
        "sudo apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq || echo "The package lists could not be updated; going on." >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null ||
    die "apt-get did not install ${missing[*]}, see above; without a network, install them by other means"
}
