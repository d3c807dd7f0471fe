# SPDX-License-Identifier: Apache-2.0
# For scripts to source.

# Installs what is missing, where that is possible; otherwise says how.
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
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
}
