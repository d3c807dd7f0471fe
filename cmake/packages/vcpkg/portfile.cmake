# SPDX-License-Identifier: Apache-2.0
# An overlay port, of the sources that it lies in: vcpkg install aclgrad --overlay-ports=cmake/packages/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES tools ACLGRAD_BUILD_TOOLS)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DACLGRAD_BUILD_TESTS=OFF -DACLGRAD_BUILD_EXAMPLES=OFF
          -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/aclgrad)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES aclgrad-gradcheck aclgrad-verify AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
