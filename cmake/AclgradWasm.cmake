# SPDX-License-Identifier: Apache-2.0
# The libraries as WebAssembly, for pages that have a network in them (./dev wasm). Emscripten has the C and C++
# libraries; of others the headers do, which are the same for all machines: this machine's, and nothing else of
# its include folder. There is one thread, no socket and no other process.
set(ACLGRAD_HOST_INCLUDE /usr/include CACHE PATH "Where the headers of fmt, Highway and nlohmann-json are")

set(headers ${CMAKE_BINARY_DIR}/headers)
foreach(needed fmt hwy nlohmann)
  if(NOT EXISTS ${ACLGRAD_HOST_INCLUDE}/${needed})
    message(FATAL_ERROR "There is no ${ACLGRAD_HOST_INCLUDE}/${needed}. Install it (Debian: libfmt-dev libhwy-dev "
                        "nlohmann-json3-dev)")
  endif()
  file(MAKE_DIRECTORY ${headers})
  file(CREATE_LINK ${ACLGRAD_HOST_INCLUDE}/${needed} ${headers}/${needed} SYMBOLIC)
endforeach()
foreach(target fmt::fmt fmt::fmt-header-only hwy::hwy nlohmann_json::nlohmann_json)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE ${headers})
endforeach()
foreach(target fmt::fmt fmt::fmt-header-only)
  target_compile_definitions(${target} INTERFACE FMT_HEADER_ONLY)
endforeach()
# One instruction set, which every browser has since 2023.
target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_STATIC)
# Sizes are 64-bit numbers in the C interface and pointers have 32 bits here, so that all of a tensor that there is
# memory for has a size that fits. Warnings are the matter of builds for machines with pointers of 64 bits.
add_compile_options(-msimd128 -fwasm-exceptions -w -Wno-c++11-narrowing)
add_link_options(-fwasm-exceptions)
set(BUILD_SHARED_LIBS OFF)
foreach(part TESTS EXAMPLES TOOLS)
  set(ACLGRAD_BUILD_${part} OFF)
endforeach()
set(ACLGRAD_INSTALL OFF)
