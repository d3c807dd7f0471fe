# SPDX-License-Identifier: Apache-2.0
# Toolchain file: builds for aarch64 Linux on another machine, with Debian's cross compiler, against the
# libraries in ACLGRAD_SYSROOT (tests/machines/sysroot.sh fetches them), and runs what was built under
# qemu's user emulation. "./dev test --arch aarch64" does all of it.
set(ACLGRAD_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/sysroot CACHE PATH
    "Libraries of the other machine")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACLGRAD_SYSROOT)
get_filename_component(sysroot ${ACLGRAD_SYSROOT} ABSOLUTE)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Packages, headers and libraries come from there, programs from here.
set(CMAKE_FIND_ROOT_PATH ${sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
# What a library needs of others is not named on the command line. When a program runs, this folder
# is one that its loader knows by itself.
add_link_options(-Wl,-rpath-link,${sysroot}/usr/lib/aarch64-linux-gnu)
set(CMAKE_PLATFORM_IMPLICIT_LINK_DIRECTORIES ${sysroot}/usr/lib/aarch64-linux-gnu)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${sysroot})
