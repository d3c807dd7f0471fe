# SPDX-License-Identifier: Apache-2.0
# What libraries, tools and examples need of others. A project around this one may have brought it; else
# it is looked for on this machine; else, where that is allowed, it is fetched in the version that aclgrad
# is tested with.
option(ACLGRAD_FETCH_DEPENDENCIES "Fetch the libraries that this machine lacks, at pinned versions" OFF)

# aclgrad_require_version(PACKAGE VERSION): stops where an older one than that was found; newer ones are
# taken to work.
function(aclgrad_require_version package version)
  if(DEFINED ${package}_VERSION AND ${package}_VERSION VERSION_LESS version)
    message(FATAL_ERROR "${package} ${${package}_VERSION} is too old: aclgrad needs ${version} or newer "
                        "(${${package}_DIR}). Versions that work are listed in docs/how-to/install.md.")
  endif()
endfunction()

# aclgrad_dependency(TARGET PACKAGES DEBIAN_PACKAGE REPOSITORY TAG [OPTION=VALUE...]): the target of
# another library. PACKAGES are the names that find_package may know it by; the first is also the name of
# the target in its own sources. The options are for these. The tag is the oldest version that serves.
function(aclgrad_dependency target packages debian_package repository tag)
  list(GET packages 0 name)
  if(NOT TARGET ${target})
    find_package(${name} QUIET NAMES ${packages})
  endif()
  if(TARGET ${target})
    string(REGEX REPLACE "^v" "" oldest ${tag})
    aclgrad_require_version(${name} ${oldest})
    return()
  endif()
  if(NOT ACLGRAD_FETCH_DEPENDENCIES)
    message(FATAL_ERROR "${name} is missing. Install it (Debian, Ubuntu: ${debian_package}), or let it "
                        "be fetched: -DACLGRAD_FETCH_DEPENDENCIES=ON")
  endif()
  message(STATUS "Fetching ${name} ${tag}")
  foreach(option ${ARGN})
    string(REPLACE "=" ";" option ${option})
    list(GET option 1 value)
    list(GET option 0 option)
    set(${option} ${value} CACHE BOOL "Set by aclgrad for ${name}")
  endforeach()
  include(FetchContent)
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON)
  FetchContent_MakeAvailable(${name})
  # The headers of others need not pass this project's warnings.
  foreach(each ${name} ${name}-header-only)
    if(TARGET ${each})
      get_target_property(folders ${each} INTERFACE_INCLUDE_DIRECTORIES)
      set_target_properties(${each} PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${folders}>")
    endif()
  endforeach()
  if(NOT TARGET ${target})
    add_library(${target} ALIAS ${name})
  endif()
endfunction()
