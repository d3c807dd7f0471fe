# SPDX-License-Identifier: Apache-2.0
# GNU MPFR (Debian: libmpfr-dev) with GMP below it, as the target MPFR::MPFR.
find_path(MPFR_INCLUDE_DIR mpfr.h)
# Debian keeps it in another folder: that of the architecture.
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(MPFR_LIBRARY mpfr)
find_library(GMP_LIBRARY gmp)
mark_as_advanced(MPFR_INCLUDE_DIR GMP_INCLUDE_DIR MPFR_LIBRARY GMP_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MPFR
  REQUIRED_VARS MPFR_LIBRARY MPFR_INCLUDE_DIR GMP_LIBRARY GMP_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "the proofs of accuracy need it (Debian, Ubuntu: libmpfr-dev)")
if(MPFR_FOUND AND NOT TARGET MPFR::MPFR)
  add_library(MPFR::MPFR INTERFACE IMPORTED)
  target_include_directories(MPFR::MPFR INTERFACE ${MPFR_INCLUDE_DIR} ${GMP_INCLUDE_DIR})
  target_link_libraries(MPFR::MPFR INTERFACE ${MPFR_LIBRARY} ${GMP_LIBRARY})
endif()
