# SPDX-License-Identifier: Apache-2.0
# Installation: libraries, headers, the CMake package, pkg-config files, and Debian packages by CPack.
#
#   lib/aclgrad/libascendcl.so ...   what programs written for the vendor's libraries need (component
#                                    "vendor"); in a folder of their own, see ACLGRAD_VENDOR_LIBDIR
#   lib/aclgrad/libhccl_mpi.so       ranks in processes of their own (component "mpi", with MPI)
#   lib/libaclgrad_*                 core, report, gradcheck (component "development", or
#                                    "runtime" where they are shared libraries)
#   include/aclgrad/*.h              their headers; the C headers in include/aclgrad/vendor
#   bin/aclgrad-gradcheck            component "tools"
include(CMakePackageConfigHelpers)

set(ACLGRAD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/aclgrad)

# What a static library needs of others that are installed too.
set(vendor_libraries ascendcl nnopbase opapi hccl)
set(hidden_libraries)
if(ACLGRAD_VENDOR_LIBRARY STREQUAL STATIC)
  list(APPEND hidden_libraries aclgrad_meta_core aclgrad_kernels)
  set(ACLGRAD_NEEDS_HIGHWAY ON)
  if(TARGET hwy)  # fetched, so nobody else installs it
    list(APPEND hidden_libraries hwy)
    set(ACLGRAD_NEEDS_HIGHWAY OFF)
  endif()
endif()
install(TARGETS ${vendor_libraries} ${hidden_libraries} EXPORT aclgrad
  LIBRARY DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT vendor
  ARCHIVE DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT development)

# Loaded at run time, by processes that MPI has started.
if(TARGET hccl_mpi)
  install(TARGETS hccl_mpi LIBRARY DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT mpi)
endif()

foreach(target c_headers libraries core report gradcheck graph_gradcheck distributed)
  set_target_properties(aclgrad_${target} PROPERTIES EXPORT_NAME ${target})
endforeach()
install(TARGETS aclgrad aclgrad_c_headers aclgrad_libraries aclgrad_core aclgrad_report
                aclgrad_gradcheck aclgrad_graph_gradcheck aclgrad_distributed EXPORT aclgrad
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/include/ ${PROJECT_SOURCE_DIR}/autograd/include/
                  ${PROJECT_SOURCE_DIR}/distributed/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/ops/contract/include/aclgrad_contract/dual.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/aclgrad_contract COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/ops/include/
  DESTINATION ${ACLGRAD_VENDOR_INCLUDEDIR} COMPONENT development)

if(ACLGRAD_BUILD_TOOLS)
  install(TARGETS aclgrad-gradcheck RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()

# ---- find_package(aclgrad) ----------------------------------------------------------------------

install(EXPORT aclgrad NAMESPACE aclgrad:: DESTINATION ${ACLGRAD_PACKAGE_DIR}
  FILE aclgradTargets.cmake COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/aclgradConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/aclgradConfig.cmake INSTALL_DESTINATION ${ACLGRAD_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/aclgradConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/aclgradConfig.cmake
              ${PROJECT_BINARY_DIR}/package/aclgradConfigVersion.cmake
  DESTINATION ${ACLGRAD_PACKAGE_DIR} COMPONENT development)

# ---- pkg-config ---------------------------------------------------------------------------------

# The prefix is found from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH ACLGRAD_PREFIX_FROM_PKGCONFIG
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
if(ACLGRAD_VENDOR_LIBRARY STREQUAL STATIC)
  set(ACLGRAD_VENDOR_LINK
    "-L\${vendorlibdir} -lhccl -lopapi -lnnopbase -laclgrad_kernels -laclgrad_meta_core -lascendcl")
  string(APPEND ACLGRAD_VENDOR_LINK " ${ACLGRAD_KEPT_SYMBOLS} -lhwy -pthread -lstdc++ -lm")
else()
  set(ACLGRAD_VENDOR_LINK
    "-L\${vendorlibdir} -Wl,-rpath,\${vendorlibdir} -lhccl -lopapi -lnnopbase -lascendcl")
endif()
foreach(name aclgrad aclgrad-core aclgrad-report aclgrad-gradcheck aclgrad-ascend)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in
    ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# ---- Debian packages ----------------------------------------------------------------------------

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME aclgrad)
set(CPACK_PACKAGE_CONTACT "aclgrad developers <aclgrad@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_COMPONENTS_ALL vendor development tools)
set(CPACK_DEBIAN_VENDOR_PACKAGE_NAME libaclgrad)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libaclgrad-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libaclgrad (= ${PROJECT_VERSION}), libfmt-dev")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME aclgrad-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libaclgrad (= ${PROJECT_VERSION})")
if(TARGET hccl_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME libaclgrad-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "libaclgrad (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "The part of libhccl that connects processes over MPI.")
endif()
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libaclgrad-framework)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    ", libaclgrad-framework (= ${PROJECT_VERSION})")
endif()
set(CPACK_COMPONENT_VENDOR_DESCRIPTION
  "libascendcl, libnnopbase, libopapi and libhccl on the CPU, in a folder of their own.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers and libraries of framework, autograd and gradcheck; CMake package and pkg-config files.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
  "aclgrad-gradcheck, which checks the operators of any library with the aclnn interface.")
include(CPack)
