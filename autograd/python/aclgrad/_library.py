# SPDX-License-Identifier: Apache-2.0
"""The C library of the checker, aclgrad/gradcheck/c.h, by ctypes."""
from __future__ import annotations

import ctypes
import functools
import glob
import os
import pathlib
import sys
import sysconfig
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int64, c_void_p
from typing import Iterator

NAME = "libaclgrad_gradcheck_c.so"

# Exit statuses.
RIGHT, WRONG, INCONCLUSIVE, USAGE, LIBRARY, VACUOUS, INEXACT = range(7)
VERDICTS = ("right", "wrong", "inconclusive", "usage", "library", "vacuous", "inexact")

# Flags of arrays.
NO_GRADIENT, ADDS, CONSUMED, SYMMETRIC, AT_ZERO, OPTIONAL, STRIDED = 1, 2, 4, 8, 16, 32, 64
RANGE = 512


class LibraryNotFound(ImportError):
    """The C library lies nowhere where it is looked for."""


def candidates() -> Iterator[str]:
    """Where the library may lie, in the order in which it is looked for."""
    given = os.environ.get("ACLGRAD_LIBRARY")
    if given:  # a file or its folder; nothing else is tried then
        yield os.path.join(given, NAME) if os.path.isdir(given) else given
        return
    here = pathlib.Path(__file__).resolve().parent
    yield str(here / NAME)  # of a wheel
    if len(here.parents) > 2:  # of a tree that is built
        yield from sorted(glob.glob(str(here.parents[2] / "build" / "*" / "lib" / NAME)))
    triplet = sysconfig.get_config_var("MULTIARCH") or ""
    for prefix in (sys.prefix, "/usr/local", "/usr"):
        for folder in (f"lib/{triplet}", "lib64", "lib"):
            yield os.path.join(prefix, folder, "aclgrad", NAME)


class Array(ctypes.Structure):
    """aclgradGradcheckArray"""

    _fields_ = [
        ("name", c_char_p),
        ("shape", POINTER(c_int64)),
        ("rank", c_int),
        ("dtype", c_char_p),
        ("low", c_double),
        ("high", c_double),
        ("flags", c_int),
    ]


class Attribute(ctypes.Structure):
    """aclgradGradcheckAttribute"""

    _fields_ = [
        ("name", c_char_p),
        ("usual", c_double),
        ("low", c_double),
        ("high", c_double),
        ("whole", c_int),
    ]


class Call(ctypes.Structure):
    """aclgradGradcheckCall"""

    _fields_ = [
        ("attributes", POINTER(c_double)),
        ("inputs", POINTER(c_void_p)),
        ("outputs", POINTER(c_void_p)),
        ("output_gradients", POINTER(c_void_p)),
        ("strides", POINTER(POINTER(c_int64))),
        ("input_gradients", POINTER(c_void_p)),
    ]


CALLEE = CFUNCTYPE(None, POINTER(Call), c_void_p)
DESCRIBE = CFUNCTYPE(None, POINTER(c_double), POINTER(Array), POINTER(Array), c_void_p)
ALLOW = CFUNCTYPE(c_int, POINTER(c_double), c_void_p)


class Family(ctypes.Structure):
    """aclgradGradcheckFamily"""

    _fields_ = [
        ("name", c_char_p),
        ("attributes", POINTER(Attribute)),
        ("attribute_count", c_int),
        ("input_count", c_int),
        ("output_count", c_int),
        ("describe", DESCRIBE),
        ("forward", CALLEE),
        ("backward", CALLEE),
        ("context", c_void_p),
        ("allow", ALLOW),
        ("reference", CALLEE),
        ("roundings", c_int),
        ("accumulation", c_char_p),
    ]


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library, with the types of its functions; raises LibraryNotFound."""
    tried = list(candidates())
    for path in tried:
        if not os.path.isfile(path):
            continue
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise LibraryNotFound(f"{path} cannot be loaded: {error}") from error
        _declare(library)
        return library
    raise LibraryNotFound(
        f"{NAME} is not there. Build it (./dev test), install a package that has it "
        "(python3-aclgrad-gradcheck, or the wheel), or set ACLGRAD_LIBRARY to the file. "
        f"Looked at: {', '.join(tried)}"
    )


def _declare(library: ctypes.CDLL) -> None:
    library.aclgradGradcheckOpen.argtypes = [c_char_p, POINTER(c_void_p)]
    library.aclgradGradcheckSet.argtypes = [c_void_p, c_char_p, c_char_p]
    library.aclgradGradcheckRunFamily.argtypes = [c_void_p, POINTER(Family)]
    library.aclgradGradcheckReport.argtypes = [c_void_p, c_char_p]
    library.aclgradGradcheckReport.restype = c_char_p
    library.aclgradGradcheckClose.argtypes = [c_void_p]
    library.aclgradGradcheckClose.restype = None
    library.aclgradGradcheckMessage.restype = c_char_p
    library.aclgradGradcheckVersion.restype = c_char_p


class Check:
    """aclgradGradcheck: runs families, and keeps the last report."""

    def __init__(self) -> None:
        self._library = load()
        self._handle = c_void_p()
        self._require(self._library.aclgradGradcheckOpen(None, ctypes.byref(self._handle)))

    def __enter__(self) -> "Check":
        return self

    def __exit__(self, *unused: object) -> None:
        self._library.aclgradGradcheckClose(self._handle)

    def set(self, option: str, value: object) -> None:
        """Sets an option of aclgrad-gradcheck."""
        text = str(value).encode()
        self._require(self._library.aclgradGradcheckSet(self._handle, option.encode(), text))

    def run(self, family: Family) -> int:
        """The exit status; raises ValueError where the call is wrong."""
        status = self._library.aclgradGradcheckRunFamily(self._handle, ctypes.byref(family))
        self._require(status)
        return status

    def report(self, format: str) -> str:
        """The report of the last run, as "text" or "json"."""
        text = self._library.aclgradGradcheckReport(self._handle, format.encode())
        return text.decode(errors="replace") if text is not None else ""

    def _require(self, status: int) -> None:
        if status in (USAGE, LIBRARY):
            raise ValueError(self._library.aclgradGradcheckMessage().decode(errors="replace"))


def version() -> str:
    """Of the C library."""
    return load().aclgradGradcheckVersion().decode()
