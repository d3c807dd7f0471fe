# SPDX-License-Identifier: Apache-2.0
# Installation: libraries, headers, the CMake package and pkg-config files.
#
#   lib/aclgrad/libascendcl.so ...   what programs written for the vendor's libraries need; in a folder of
#                                    their own, see ACLGRAD_VENDOR_LIBDIR; alone by --component vendor
#   lib/aclgrad/make-toolkit         makes the folders that programs search the vendor's toolkit in
#   lib/aclgrad/libhccl_mpi.so       ranks in processes of their own (with MPI)
#   lib/libaclgrad_onnx              with ACLGRAD_BUILD_ONNX, alone by --component onnx
#   lib/libaclgrad_*                 core, report, gradcheck, distributed, live, and what a contract is made of
#   include/aclgrad/*.h              their headers; the C headers in include/aclgrad/vendor
#   lib/aclgrad/python/acl.py        the vendor's Python module, or in ACLGRAD_PYTHON_DIR
#   ACLGRAD_PYTHON_DIR               where that is set: the Python package, without the library, which it finds
#   bin/aclgrad-record, bin/aclgrad-replay   calls recorded (lib/aclgrad/libaclgrad_record.so), and judged
#   bin/aclgrad-verify               trains again what a record of fit() is of, and compares
#   bin/aclgrad-gradcheck, lib/aclgrad/libaclgrad_gradcheck_c.so   the tool, for people and for programs
include(CMakePackageConfigHelpers)

set(ACLGRAD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/aclgrad)

# What a static library needs of others that are installed too.
set(vendor_libraries ascendcl nnopbase opapi hccl)
set(hidden_libraries)
if(ACLGRAD_VENDOR_LIBRARY STREQUAL STATIC)
  list(APPEND hidden_libraries aclgrad_meta_core aclgrad_kernels)
  set(ACLGRAD_NEEDS_HIGHWAY ON)
  if(TARGET hwy)  # fetched, so no package installs it
    list(APPEND hidden_libraries hwy)
    set(ACLGRAD_NEEDS_HIGHWAY OFF)
  endif()
endif()
install(TARGETS ${vendor_libraries} ${hidden_libraries} EXPORT aclgrad
  LIBRARY DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT vendor
  ARCHIVE DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT vendor)

# The folders of the vendor's toolkit, by links to what is installed; and a static library that its programs
# name to the linker.
file(RELATIVE_PATH ACLGRAD_HEADERS_FROM_LIBRARIES
  /prefix/${ACLGRAD_VENDOR_LIBDIR} /prefix/${ACLGRAD_VENDOR_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/ops/toolkit/make-toolkit.in
  ${PROJECT_BINARY_DIR}/package/make-toolkit @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/package/make-toolkit
  DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT vendor)
add_library(tiling_api STATIC ${PROJECT_SOURCE_DIR}/ops/toolkit/tiling_api.cpp)
install(TARGETS tiling_api ARCHIVE DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT vendor)

# Loaded at run time, by processes that MPI has started.
if(TARGET hccl_mpi)
  install(TARGETS hccl_mpi LIBRARY DESTINATION ${ACLGRAD_VENDOR_LIBDIR})
endif()

foreach(target c_headers common libraries core report contract gradcheck graph_gradcheck distributed live)
  set_target_properties(aclgrad_${target} PROPERTIES EXPORT_NAME ${target})
endforeach()
install(TARGETS aclgrad aclgrad_c_headers aclgrad_common aclgrad_libraries aclgrad_core aclgrad_report
                aclgrad_contract aclgrad_gradcheck aclgrad_graph_gradcheck aclgrad_distributed aclgrad_live
  EXPORT aclgrad
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/include/ ${PROJECT_SOURCE_DIR}/autograd/include/
                  ${PROJECT_SOURCE_DIR}/distributed/include/ ${ACLGRAD_OLD_HEADERS}/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} REGEX "/aclgrad/onnx(\\.h)?$" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/ops/common/include/aclgrad_common
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(header array dual numbers operator)
  install(FILES ${PROJECT_SOURCE_DIR}/ops/contract/include/aclgrad_contract/${header}.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/aclgrad_contract)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/ops/include/
  DESTINATION ${ACLGRAD_VENDOR_INCLUDEDIR})

if(ACLGRAD_BUILD_TOOLS)
  install(TARGETS aclgrad-gradcheck aclgrad-replay aclgrad-verify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS aclgrad_gradcheck_c EXPORT aclgrad LIBRARY DESTINATION ${ACLGRAD_VENDOR_LIBDIR})
endif()

set(ACLGRAD_PYTHON_DIR "" CACHE STRING
  "Where the Python package aclgrad is installed, below the prefix: lib/python3/dist-packages; empty: nowhere")
if(ACLGRAD_VENDOR_LIBRARY STREQUAL SHARED)
  set(python ${ACLGRAD_PYTHON_DIR})
  if(NOT python)
    set(python ${ACLGRAD_VENDOR_LIBDIR}/python)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/ops/python/acl.py DESTINATION ${python} COMPONENT vendor)
endif()
if(ACLGRAD_BUILD_TOOLS AND ACLGRAD_PYTHON_DIR)
  set(python ${PROJECT_SOURCE_DIR}/autograd/python)
  install(DIRECTORY ${python}/aclgrad DESTINATION ${ACLGRAD_PYTHON_DIR} COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  # What tells pytest of the plugin.
  foreach(name METADATA entry_points.txt)
    configure_file(${python}/${name}.in ${PROJECT_BINARY_DIR}/package/${name} @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/package/${name} COMPONENT python
      DESTINATION ${ACLGRAD_PYTHON_DIR}/aclgrad-${PROJECT_VERSION}.dist-info)
  endforeach()
endif()

# Of targets of their own, as a program that does not use them need not have ONNX.
if(TARGET aclgrad_onnx)
  set_target_properties(aclgrad_onnx PROPERTIES EXPORT_NAME onnx)
  install(TARGETS aclgrad_onnx EXPORT aclgrad_onnx
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT onnx
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT onnx)
  install(EXPORT aclgrad_onnx NAMESPACE aclgrad:: DESTINATION ${ACLGRAD_PACKAGE_DIR}
    FILE aclgradOnnxTargets.cmake COMPONENT onnx)
  install(FILES ${PROJECT_SOURCE_DIR}/framework/include/aclgrad/onnx.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/aclgrad COMPONENT onnx)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/framework/include/aclgrad/onnx OPTIONAL
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/aclgrad COMPONENT onnx)
endif()

# ---- find_package(aclgrad) ----------------------------------------------------------------------

install(EXPORT aclgrad NAMESPACE aclgrad:: DESTINATION ${ACLGRAD_PACKAGE_DIR}
  FILE aclgradTargets.cmake)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/aclgradConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/aclgradConfig.cmake INSTALL_DESTINATION ${ACLGRAD_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/aclgradConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/aclgradConfig.cmake
              ${PROJECT_BINARY_DIR}/package/aclgradConfigVersion.cmake
  DESTINATION ${ACLGRAD_PACKAGE_DIR})

# ---- pkg-config ---------------------------------------------------------------------------------

# The prefix is found from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH ACLGRAD_PREFIX_FROM_PKGCONFIG
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
if(ACLGRAD_VENDOR_LIBRARY STREQUAL STATIC)
  set(ACLGRAD_VENDOR_LINK
    "-L\${vendorlibdir} -lhccl -lopapi -lnnopbase -laclgrad_kernels -laclgrad_meta_core -lascendcl")
  string(APPEND ACLGRAD_VENDOR_LINK " ${ACLGRAD_KEPT_SYMBOLS}")
  if(ACLGRAD_NEEDS_HIGHWAY)
    set(ACLGRAD_VENDOR_REQUIRES "Requires: libhwy")  # which knows where it lies
  else()
    string(APPEND ACLGRAD_VENDOR_LINK " -lhwy")
  endif()
  string(APPEND ACLGRAD_VENDOR_LINK " -pthread -lstdc++ -lm")
else()
  set(ACLGRAD_VENDOR_LINK
    "-L\${vendorlibdir} -Wl,-rpath,\${vendorlibdir} -lhccl -lopapi -lnnopbase -lascendcl")
endif()
set(packages aclgrad aclgrad-core aclgrad-report aclgrad-gradcheck aclgrad-ascend)
if(ACLGRAD_BUILD_TOOLS)
  list(APPEND packages aclgrad-gradcheck-c)
endif()
if(TARGET aclgrad_onnx)
  list(APPEND packages aclgrad-onnx)
endif()
foreach(name ${packages})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in
    ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
