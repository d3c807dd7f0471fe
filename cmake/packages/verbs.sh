# SPDX-License-Identifier: Apache-2.0
# The verbs of ./dev that make packages.

# A source package of what git knows, and binary packages from it.
#: ./dev package           make Debian packages, source and binary, in build/packages and look at them with
#:                         lintian (minutes)
verb_package() {
  install_packages "${example_packages[@]}" "${package_packages[@]}"
  local version folder
  version=$(sed -n '1s/.*(\(.*\)).*/\1/p' cmake/packages/debian/changelog)
  folder=build/packages/aclgrad-$version
  rm -rf build/packages
  mkdir -p "$folder"
  git ls-files -z | xargs -0 cp --parents --target-directory "$folder"
  cp -r cmake/packages/debian "$folder"
  (cd "$folder" && dpkg-buildpackage --unsigned-source --unsigned-changes)
  lintian --fail-on error,warning build/packages/*.changes
  ls build/packages/*.deb
}

# The Python package with the C library in it, for this kind of machine and any Python.
#: ./dev wheel             make a wheel of the Python package aclgrad, with its library, in build/wheel
verb_wheel() {
  install_packages "${wheel_packages[@]}"
  build_example aclgrad_gradcheck_c
  rm -rf build/wheel
  mkdir -p build/wheel/source
  git ls-files -z autograd/python | xargs -0 cp --parents --target-directory build/wheel/source
  # The network has no part in it.
  ACLGRAD_LIBRARY=$PWD/$build/lib/libaclgrad_gradcheck_c.so /usr/bin/python3 -m pip wheel --quiet --no-index \
    --no-deps --no-build-isolation --wheel-dir build/wheel build/wheel/source/autograd/python ||
    die "making the wheel failed, see above"
  rm -rf build/wheel/source
  ls build/wheel/*.whl
}
