# SPDX-License-Identifier: Apache-2.0
"""The process of the functions: it has no part in the verdict, and is told neither seeds nor
results.

python3 -m aclgrad.referee.child READ_FD WRITE_FD [process]; the first message says which functions.
"""
from __future__ import annotations

import ctypes
import importlib
import inspect
import os
import resource
import signal
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple

from .._arrays import kind_of
from .._dtypes import DTYPES, dtype_of
from .channel import Closed, Raw, receive, send

GUARD = 64  # bytes on both sides of an array
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_NEWUSER, _NEWPID, _NEWNET, _NEWIPC = 0x10000000, 0x20000000, 0x40000000, 0x08000000
_CAPABILITY_VERSION = 0x20080522


def isolate(read_fd: int, write_fd: int, namespaces: bool) -> str:
    """Goes on without privileges, in namespaces of its own where the system allows them: without a
    network, and with no process to be seen but its own, all of which end with this one. Says what
    it got."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    isolation = _namespaces(libc, read_fd, write_fd) if namespaces else "process"
    # A superuser's process could write into the judge's memory otherwise.
    version = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    if libc.capset(version, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "the process keeps its privileges")
    return isolation


def _namespaces(libc: ctypes.CDLL, read_fd: int, write_fd: int) -> str:
    user, group = os.getuid(), os.getgid()
    flags = _NEWPID | _NEWNET | _NEWIPC
    if libc.unshare(flags | _NEWUSER) != 0:
        if libc.unshare(flags) != 0:
            return "process"
    else:
        try:
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)
        except OSError:
            pass  # it is nobody then, which does as well
    # The first process of the namespace must outlive none of the others, so it does nothing else.
    for _ in range(2):
        child = os.fork()
        if child == 0:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            continue
        os.close(read_fd)
        os.close(write_fd)
        _, status = os.waitpid(child, 0)
        os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
    return "namespaces"


def limit(memory: int, seconds: int) -> None:
    """Bounds what the process may take."""
    for what, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 1 << 24),
    ):
        hard = resource.getrlimit(what)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (value, value))


def poison_new_memory() -> None:
    """What is made without values has numbers that none computes with by chance."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        for name in ("empty", "empty_like"):
            setattr(numpy, name, _poisoned(getattr(numpy, name), _fill))
    torch = sys.modules.get("torch")
    if torch is not None:
        for owner, name in (
            (torch, "empty"),
            (torch, "empty_like"),
            (torch, "empty_strided"),
            (torch.Tensor, "new_empty"),
        ):
            setattr(owner, name, _poisoned(getattr(owner, name), _fill))


def _fill(array: Any) -> None:
    is_float = str(getattr(array, "dtype", "")).rsplit(".", 1)[-1].startswith(("float", "bfloat"))
    fill = getattr(array, "fill_", None) or getattr(array, "fill", None)
    if fill is not None:
        fill(float("nan") if is_float else 1)


def _poisoned(function: Callable[..., Any], fill: Callable[[Any], None]) -> Callable[..., Any]:
    def poisoned(*arguments: Any, **named: Any) -> Any:
        array = function(*arguments, **named)
        fill(array)
        return array

    return poisoned


class Functions:
    """The functions of one request after the other."""

    def __init__(self, paths: Dict[str, str], arrays: Optional[str]) -> None:
        sys.path.insert(0, os.getcwd())
        self.kind = kind_of(arrays, [])
        self.functions = {what: self._load(path) for what, path in paths.items()}
        poison_new_memory()

    @staticmethod
    def _load(path: str) -> Callable[..., Any]:
        module, _, name = path.partition(":")
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        if not callable(found):
            raise TypeError(f"{path} is no function")
        torch = sys.modules.get("torch")
        if (
            torch is not None
            and isinstance(found, type)
            and issubclass(found, torch.autograd.Function)
        ):
            found = getattr(found, "apply")
        return found  # type: ignore[no-any-return]

    def parameters(self) -> Dict[str, List[str]]:
        """The names of each one's."""
        names = {}
        for what, function in self.functions.items():
            try:
                names[what] = list(inspect.signature(function).parameters)
            except (TypeError, ValueError):
                names[what] = []
        return names

    def call(self, header: Dict[str, Any], body: bytes) -> Tuple[Dict[str, Any], bytes]:
        """The answer to a request."""
        arguments, guarded, at = [], [], 0
        for told in header["arguments"]:
            if "value" in told:
                arguments.append(told["value"])
                continue
            data = body[at : at + told["bytes"]]
            at += told["bytes"]
            array, memory = self._array(told, data)
            arguments.append(array)
            guarded.append((array, memory, dtype_of(told["dtype"]), data, told))
        named = dict(header["named"])
        outputs = named.pop("outputs", None)
        if outputs is not None:
            named["outputs"] = tuple(arguments[-outputs:])
            arguments = arguments[:-outputs]
        function = self.functions[header["function"]]
        made = function(*arguments, **named)
        several = isinstance(made, (tuple, list)) and (
            isinstance(made, tuple) or (len(made) > 0 and hasattr(made[0], "shape"))
        )
        results = list(made) if several else [made]
        answer: Dict[str, Any] = {"several": isinstance(made, tuple), "results": [], "changed": []}
        out = []
        for result in results:
            raw = self._raw(result)
            answer["results"].append(None if raw is None else raw.described())
            out.append(b"" if raw is None else raw.data)
        for k, (array, memory, dtype, data, told) in enumerate(guarded):
            if memory is not None and (set(memory[:GUARD]) | set(memory[-GUARD:])) != {0xA5}:
                answer["outside"] = k
            if self.kind.name == "list" or told["strides"] is not None:
                continue
            after = self.kind.to_bytes(array, dtype)
            if after != data:
                answer["changed"].append([k, len(after)])
                out.append(after)
        return answer, b"".join(out)

    def _array(self, told: Dict[str, Any], data: bytes) -> Tuple[Any, Optional[bytearray]]:
        dtype, shape, strides = dtype_of(told["dtype"]), tuple(told["shape"]), told["strides"]
        if self.kind.name == "numpy" and dtype.name != "bfloat16":
            import numpy as np

            memory = bytearray(b"\xa5" * GUARD + data + b"\xa5" * GUARD)
            steps = None if strides is None else [s * dtype.size for s in strides]
            return np.ndarray(shape, dtype.name, memory, GUARD, steps), memory
        return self.kind.from_bytes(data, shape, dtype, strides), None

    def _raw(self, result: Any) -> Optional[Raw]:
        if result is None:
            return None
        if self.kind.name == "numpy":  # once: an object may be another array each time
            import numpy as np

            result = np.asarray(result)
        shape = self.kind.shape(result)
        dtype = self.kind.dtype(result) or DTYPES["float64"]
        return Raw(shape, dtype, self.kind.to_bytes(result, dtype))


def main() -> None:
    """Answers requests until there are no more."""
    read_fd, write_fd = int(sys.argv[1]), int(sys.argv[2])
    isolation = isolate(read_fd, write_fd, len(sys.argv) == 3)
    header, _ = receive(read_fd)
    limit(header["memory"], header["seconds"])
    try:
        functions = Functions(header["functions"], header["arrays"])
        send(write_fd, {"parameters": functions.parameters(), "isolation": isolation,
                        "kind": functions.kind.name})  # fmt: skip
    except Exception as error:
        send(write_fd, {"error": f"{type(error).__name__}: {error}"[:500]})
        return
    while True:
        try:
            request, body = receive(read_fd)
        except Closed:
            return
        try:
            answer, data = functions.call(request, body)
        except Exception as error:  # SystemExit ends the process, as it would anywhere
            answer = {
                "error": f"{type(error).__name__}: {error}"[:500],
                "kind": type(error).__name__,
            }
            data = b""
        send(write_fd, answer, data)


if __name__ == "__main__":
    main()
