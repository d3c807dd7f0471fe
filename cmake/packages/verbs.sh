# SPDX-License-Identifier: Apache-2.0
# The verb of ./dev that makes packages.

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
