# SPDX-License-Identifier: Apache-2.0
# Framework, autograd, examples and their tests on the libraries of an installed toolkit. What knows
# our own libraries from inside is left out: their tests, the benchmarks, the installation.
set(toolkit_include ${ACLGRAD_CANN_TOOLKIT}/include)
if(NOT EXISTS ${toolkit_include}/acl/acl.h)
  message(FATAL_ERROR
    "ACLGRAD_CANN_TOOLKIT is ${ACLGRAD_CANN_TOOLKIT}, but there is no include/acl/acl.h in it. "
    "Name the folder that holds include and lib64, such as /usr/local/Ascend/ascend-toolkit/latest.")
endif()
message(STATUS "Using the libraries of ${ACLGRAD_CANN_TOOLKIT}")

# The extension is looked for at run time and may be missing; its header declares it.
configure_file(${PROJECT_SOURCE_DIR}/ops/include/aclgrad_ext.h
  ${PROJECT_BINARY_DIR}/extension/aclgrad_ext.h COPYONLY)
add_library(aclgrad_c_headers INTERFACE)
target_include_directories(aclgrad_c_headers INTERFACE
  ${toolkit_include} ${PROJECT_BINARY_DIR}/extension)

foreach(name ascendcl nnopbase opapi hccl)
  find_library(ACLGRAD_TOOLKIT_${name} ${name} PATHS ${ACLGRAD_CANN_TOOLKIT}/lib64 NO_DEFAULT_PATH
    REQUIRED)
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${ACLGRAD_TOOLKIT_${name}}
    INTERFACE_INCLUDE_DIRECTORIES ${toolkit_include})
endforeach()
target_link_libraries(opapi INTERFACE nnopbase ascendcl)
target_link_libraries(hccl INTERFACE ascendcl)

set(ACLGRAD_INSTALL OFF)
set(ACLGRAD_BUILD_BENCH OFF)
