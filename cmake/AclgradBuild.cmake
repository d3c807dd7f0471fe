# SPDX-License-Identifier: Apache-2.0
# What every target of the project shares: the language, the warnings, visibility.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

include(GNUInstallDirs)
# The libraries under the vendor's names stay out of the loader's way: a program that means the
# vendor's own must not find them by chance.
set(ACLGRAD_VENDOR_LIBDIR ${CMAKE_INSTALL_LIBDIR}/aclgrad)
# Likewise the C headers.
set(ACLGRAD_VENDOR_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/aclgrad/vendor)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# aclgrad_optimize(LEVEL): how the targets of this folder, and of those below it, are compiled in a
# release. The kernels are compiled with -O3, as with -O2 whole steps of training take 3 to 70 % longer,
# and libraries with -O2, where nothing was slower; programs whose work is done in the libraries with less,
# which halves the time that they take.
# Other levels that the builder asks for (-Os, -Og) stay.
function(aclgrad_optimize level)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O[0-3]( |$)")
    add_compile_options($<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O${level}>)
  endif()
endfunction()
aclgrad_optimize(2)

# A compiler cache speeds up rebuilding; it is used where there is one and never required.
find_program(ACLGRAD_CCACHE ccache)
if(ACLGRAD_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER sh ${CMAKE_CURRENT_LIST_DIR}/ccache.sh ${ACLGRAD_CCACHE})
endif()

# Most files are short beside the headers that they include: compiled a dozen at a time, they take a
# third of the time. The preset "debug" compiles each by itself, so that none lives on another's includes.
option(ACLGRAD_UNITY_BUILD "Compile the files of a target a dozen at a time (unity build)" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

# aclgrad_parse_once(TARGET HEADER...): headers that are parsed once for all files of the target.
function(aclgrad_parse_once target)
  if(ACLGRAD_UNITY_BUILD)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# aclgrad_shared_headers(NAME LEVEL LIBRARIES LIBRARY... HEADERS HEADER...): headers that are parsed once
# for the programs of that level of optimisation that use them.
function(aclgrad_shared_headers name level)
  if(ACLGRAD_UNITY_BUILD)
    cmake_parse_arguments(given "" "" "LIBRARIES;HEADERS" ${ARGN})
    add_executable(${name} EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
    target_link_libraries(${name} PRIVATE ${given_LIBRARIES} aclgrad_warnings)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O${level}>)
    target_precompile_headers(${name} PRIVATE ${given_HEADERS})
  endif()
endfunction()

# aclgrad_use_headers(TARGET NAME): what NAME has parsed, for a target of the same options.
function(aclgrad_use_headers target name)
  if(ACLGRAD_UNITY_BUILD)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# Programs that no test runs: built with the benchmarks, or when they are asked for by name.
function(aclgrad_build_with_benchmarks)
  if(NOT ACLGRAD_BUILD_BENCH)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# GCC looks for memory to reuse whenever it holds a little more than before. Left to grow to 1 GB first, it
# takes 8 % less time, and a fourth more memory for the largest files (1.3 instead of 1.05 GB).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>")
endif()

# Results must not depend on how the compiler fuses multiplications and additions.
add_compile_options(-ffp-contract=off)

set(ACLGRAD_SANITIZER "" CACHE STRING "Sanitizers to build with, such as address,undefined")
if(ACLGRAD_SANITIZER)
  # A C program may pass any number where an enumeration is declared, and tests do.
  add_compile_options(-fsanitize=${ACLGRAD_SANITIZER} -fno-sanitize=enum -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${ACLGRAD_SANITIZER})
endif()

# Errors only for those who work on the project (./dev check, .ci/run): another compiler warns of other
# things, and that must not stop a build.
option(ACLGRAD_WARNINGS_AS_ERRORS "Let warnings stop the build" OFF)
add_library(aclgrad_warnings INTERFACE)
target_compile_options(aclgrad_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion> # as g++ has it of -Wconversion
                       $<$<BOOL:${ACLGRAD_WARNINGS_AS_ERRORS}>:-Werror>)

# The libraries under the vendor's names are shared ones, those above them static ones, unless
# BUILD_SHARED_LIBS says that all are to be the one or the other.
set(ACLGRAD_VENDOR_LIBRARY SHARED)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(ACLGRAD_VENDOR_LIBRARY STATIC)
endif()

# A library below the C API boundary: only its C symbols are exported.
function(aclgrad_add_vendor_library target)
  add_library(${target} ${ACLGRAD_VENDOR_LIBRARY} ${ARGN})
  target_link_libraries(${target} PUBLIC aclgrad_c_headers)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  if(ACLGRAD_VENDOR_LIBRARY STREQUAL SHARED)
    aclgrad_export_c_only(${target})
  endif()
endfunction()

# Other names under which programs link or load a shared library below the C API boundary: whichever is
# used, it is one library in the process.
function(aclgrad_other_names target)
  if(NOT ACLGRAD_VENDOR_LIBRARY STREQUAL SHARED)
    return()
  endif()
  foreach(name ${ARGN})
    set(link ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so)
    add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${link} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:${target}> ${link})
    if(ACLGRAD_INSTALL)
      install(FILES ${link} DESTINATION ${ACLGRAD_VENDOR_LIBDIR} COMPONENT vendor)
    endif()
  endforeach()
endfunction()

# A program that loads a library of operators by its name: our own is found beside it.
function(aclgrad_loads_operators target)
  file(RELATIVE_PATH from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${ACLGRAD_VENDOR_LIBDIR})
  set_target_properties(${target} PROPERTIES
    BUILD_RPATH ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} INSTALL_RPATH "$ORIGIN/${from_bin}")
  if(NOT ACLGRAD_CANN_TOOLKIT)
    add_dependencies(${target} opapi)
  endif()
endfunction()

# A library above the C API boundary, of C++ names. Of a static one programs get what they use.
function(aclgrad_add_library target)
  add_library(${target} ${ARGN})
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} INTERFACE -Wl,--gc-sections)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/aclgrad")
  if(BUILD_SHARED_LIBS)
    # No macro of its own, as what is parsed once is parsed for several libraries.
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default DEFINE_SYMBOL "")
  endif()
endfunction()

# Adds sources to a library that aclgrad_add_library made, compiled for size: for code that there is much of,
# and that runs while a graph is recorded.
function(aclgrad_add_for_size target name)
  add_library(${name} OBJECT ${ARGN})
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections $<$<CONFIG:Release>:-Os>)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/framework ${PROJECT_SOURCE_DIR}/framework/include)
  target_link_libraries(${name} PRIVATE aclgrad_common fmt::fmt aclgrad_warnings)
  if(BUILD_SHARED_LIBS)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()

# Keeps everything but the library's own C symbols out of its dynamic symbol table: code that came
# from static libraries stays inside, and so do the C++ runtime's template instances.
function(aclgrad_export_c_only target)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/c_symbols.map)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/c_symbols.map)
endfunction()

# aclgrad_embed_texts(TARGET NAMESPACE HEADER FILE...): files become functions that the header declares,
# named after them: graph.js is graph_js(), chain-rule.md is chain_rule_md(). Within a page, which has to be one file, scripts share one scope: the
# imports and exports that say where names are from go.
function(aclgrad_embed_texts target namespace header)
  foreach(path ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    get_filename_component(file ${path} NAME)
    string(REGEX REPLACE "[.-]" "_" name ${file})
    file(READ ${path} content)
    if(file MATCHES "\\.js$")
      string(REGEX REPLACE "\nimport {[^}]*} from '[^']*';" "" content "${content}")
      string(REPLACE "\nexport " "\n" content "${content}")
    endif()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/page/${name}.cpp)
    configure_file(${PROJECT_SOURCE_DIR}/framework/page/text.cpp.in ${source} @ONLY)
    target_sources(${target} PRIVATE ${source})
  endforeach()
endfunction()
