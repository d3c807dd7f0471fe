# SPDX-License-Identifier: Apache-2.0
# For ./dev: what to install for what, and how to configure and build.

# What the examples need; and what tests and benchmarks need besides.
library_packages=(libfmt-dev libhwy-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libpng-dev)
test_library_packages=(libgtest-dev libgmock-dev libbenchmark-dev libdnnl-dev libmpfr-dev)
# Of aclgrad::onnx: ONNX's schema, and the models that it is tested with.
onnx_packages=(libprotobuf-dev protobuf-compiler libonnx-dev libonnx-testdata)
example_packages=(g++ cmake ninja-build "${library_packages[@]}")
# Of the Python package, whose tests skip what is not there.
python_packages=(python3 python3-numpy python3-pytest)
packages=("${example_packages[@]}" pkg-config "${python_packages[@]}" libopenmpi-dev openmpi-bin
  "${test_library_packages[@]}" "${onnx_packages[@]}")
# What benchmarks compare with.
peer_packages=(libtorch-dev libopenblas0-openmp libopenblas0-pthread)
style_packages=(clang-format)
package_packages=("${onnx_packages[@]}" dpkg-dev debhelper dh-python help2man lintian fakeroot pkg-config python3 libopenmpi-dev)
wheel_packages=(python3 python3-pip python3-setuptools python3-wheel)
clang_packages=(clang-16)
aarch64_packages=(g++-aarch64-linux-gnu qemu-user)
fuzz_packages=(clang-16 libclang-rt-16-dev)
coverage_packages=(clang-16 libclang-rt-16-dev llvm-16)
preset=${ACLGRAD_PRESET:-release}
build=build/$preset

# install_packages, require_tools, explain_failure, die
source cmake/install_packages.sh

# Without them there is less to compare with, and the benchmarks say so.
install_peers() {
  (install_packages "${peer_packages[@]}") || echo "Going on without these." >&2
}

# What tests of pages drive: a browser, by a package from npm. Debian's npm brings Node.js.
install_browser() {
  local needed=(chromium)
  command -v npm >/dev/null || needed+=(npm)
  install_packages "${needed[@]}"
}

# Another build than that of ACLGRAD_PRESET.
use_preset() {
  preset=$1
  build=build/$1
}

# Configures with the given options of CMake, and those of ACLGRAD_CMAKE_OPTIONS.
configure() {
  require_tools
  { mkdir -p "$build" && [[ -w $build ]]; } 2>/dev/null ||
    die "cannot write to $PWD/$build: builds go there, so this folder must be a writable one"
  local generator=() own=()
  [[ -f $build/CMakeCache.txt ]] || ! command -v ninja >/dev/null || generator=(-G Ninja)
  read -ra own <<<"${ACLGRAD_CMAKE_OPTIONS-}"
  local output
  output=$(cmake --preset "$preset" "${generator[@]}" "$@" "${own[@]}" 2>&1) ||
    explain_failure "$build" "configuring" "$output"
}

compile() {
  cmake --build "$build" --parallel "$(nproc)" ${1:+--target "$@"} || explain_failure "$build" "the build"
}

# Builds the named targets, or everything; with benchmarks=ON before it, these, too.
build() {
  install_packages "${packages[@]}"
  local all=(-DACLGRAD_BUILD_BENCH="${benchmarks-OFF}")
  # The presets say what they leave out. This one may have been configured for an example only.
  [[ $preset != release ]] || all+=(-DACLGRAD_BUILD_TESTS=ON -DACLGRAD_BUILD_ONNX=ON -DACLGRAD_NATIVE=OFF)
  configure "${all[@]}"
  compile "$@"
}

# Builds an example: a first try needs no packages for tests, and no time to install them.
build_example() {
  install_packages "${example_packages[@]}"
  local rest=()
  if [[ $preset != release ]] || grep -qs 'ACLGRAD_BUILD_TESTS:BOOL=ON' "$build/CMakeCache.txt"; then
    install_packages "${packages[@]}"
  elif [[ ! -f $build/CMakeCache.txt ]]; then
    rest=(-DACLGRAD_BUILD_TESTS=OFF -DACLGRAD_NATIVE=ON)
  fi
  configure "${rest[@]}"
  compile "$@"
}
