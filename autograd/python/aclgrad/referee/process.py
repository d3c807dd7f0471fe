# SPDX-License-Identifier: Apache-2.0
"""The referee's side of the process of the functions: it is started, asked, watched and ended."""
from __future__ import annotations

import glob
import inspect
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, Optional

from .channel import Closed, Malformed, Raw, TooLate, receive, send


class Misconduct(Exception):
    """What a function did instead of giving an answer."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class OutOfTime(Exception):
    """The whole took too long, though no call did."""


class Process:
    """A process with functions in it."""

    def __init__(
        self,
        functions: Dict[str, str],
        arrays: Optional[str],
        call_seconds: float,
        deadline: float,
        memory: int,
        namespaces: bool = True,
    ) -> None:
        self._call_seconds, self._deadline = call_seconds, deadline
        from_child, child_writes = os.pipe()
        child_reads, to_child = os.pipe()
        self._read, self._write = from_child, to_child
        self._said = tempfile.TemporaryFile()
        package = str(pathlib.Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
        # All processes that come from it inherit this, whatever group they go to.
        self._mark = f"ACLGRAD_REFEREE={os.getpid()}-{secrets.token_hex(16)}"
        name, value = self._mark.split("=")
        environment = {**os.environ, "PYTHONPATH": path, name: value}
        environment.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        numbers = [str(child_reads), str(child_writes)] + ["process"] * (not namespaces)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "aclgrad.referee.child", *numbers],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            pass_fds=(child_reads, child_writes),
            env=environment,
            start_new_session=True,
        )
        os.close(child_reads)
        os.close(child_writes)
        seconds = int(deadline - time.monotonic()) + 2
        told = self._asked(
            {"functions": functions, "arrays": arrays, "memory": memory, "seconds": seconds},
            b"",
            "it was loaded",
            max(call_seconds, 30),
        )[0]
        self.isolation = str(told.get("isolation"))
        self.kind = str(told.get("kind"))
        names = told.get("parameters")
        self.parameters: Dict[str, List[str]] = {}
        for what in functions:
            listed = names.get(what, []) if isinstance(names, dict) else []
            self.parameters[what] = [n for n in listed if isinstance(n, str) and n.isidentifier()]

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *unused: object) -> None:
        self.end()

    def function(self, what: str) -> Callable[..., Any]:
        """One of them, on Raw arrays."""

        def remote(*arguments: Any, **named: Any) -> Any:
            return self.call(what, arguments, named)

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(n, kind) for n in dict.fromkeys(self.parameters[what])]
        remote.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return remote

    def call(self, what: str, arguments: Any, named: Dict[str, Any], layout: str = "") -> Any:
        """The function's answer; raises Misconduct."""
        arguments = list(arguments)
        named = dict(named)
        if "outputs" in named:
            outputs = named["outputs"]
            arguments += outputs
            named["outputs"] = len(outputs)
        told = [a.described() if isinstance(a, Raw) else {"value": a} for a in arguments]
        arrays = [a for a in arguments if isinstance(a, Raw)]
        header = {"function": what, "arguments": told, "named": named, "layout": layout}
        answer, body = self._asked(
            header, b"".join(a.data for a in arrays), f"the {what} was called", self._call_seconds
        )
        try:
            return self._results(what, answer, body, arrays)
        except (Malformed, KeyError, TypeError, ValueError, IndexError) as error:
            raise Misconduct("malformed answer", f"the {what}: {error}") from error

    @staticmethod
    def _results(what: str, answer: Dict[str, Any], body: bytes, arrays: List[Raw]) -> Any:
        results: List[Optional[Raw]] = []
        at = 0
        for told in answer["results"]:
            result = None if told is None else Raw.from_header(told, body, at)
            at += len(result.data) if result is not None else 0
            results.append(result)
        if answer.get("outside") is not None:
            raise Misconduct("memory", f"the {what} wrote beside an array that it was given")
        for place, count in answer["changed"]:
            if count != len(arrays[place].data) or at + count > len(body):
                raise Malformed("what it changed is of another size")
            arrays[place].data = body[at : at + count]
            at += count
        return tuple(results) if answer.get("several") is True else results[0]

    def _asked(self, header: Dict[str, Any], body: bytes, when: str, seconds: float) -> Any:
        """The answer to a request."""
        now = time.monotonic()
        if now > self._deadline:
            raise OutOfTime
        try:
            send(self._write, header, body)
            answer, data = receive(self._read, now + seconds, self._is_alive)
        except TooLate:
            self.end()
            raise Misconduct("time limit", f"no answer in {seconds:g} s when {when}") from None
        except Malformed as error:
            self.end()
            raise Misconduct("malformed answer", f"{error}, when {when}") from None
        except Closed:
            raise self._ending(when) from None
        if "error" in answer:
            is_memory = answer.get("kind") == "MemoryError" or "alloc" in str(answer["error"])
            reason = "memory limit" if is_memory else "raises"
            raise Misconduct(reason, f"{answer['error']}, when {when}")
        return answer, data

    def _is_alive(self) -> bool:
        return self._process.poll() is None

    def _ending(self, when: str) -> Misconduct:
        try:
            status = self._process.wait(2)
        except subprocess.TimeoutExpired:
            self.end()
            return Misconduct("malformed answer", f"it closed the channel when {when}")
        number = -status if status < 0 else status - 128 if status > 128 else 0
        if number == signal.SIGXCPU:
            return Misconduct("time limit", f"the limit of processor time was reached when {when}")
        if number:
            try:
                name = signal.Signals(number).name
            except ValueError:
                name = f"signal {number}"
            return Misconduct("crashes", f"the process ended by {name} when {when}{self._last()}")
        return Misconduct("exits", f"the process ended with {status} when {when}{self._last()}")

    def said(self) -> str:
        """The end of what it printed."""
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - 400))
        return self._said.read().decode(errors="replace").strip()

    def _last(self) -> str:
        said = self.said()
        return f"; it printed: {said[-160:]!r}" if said else ""

    def end(self) -> None:
        """Ends it, with all processes that it started."""
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self._process.wait()
        # One of them may be about to start another.
        for _ in range(100):
            if not self._kill_the_rest():
                break
            time.sleep(0.01)
        for descriptor in (self._read, self._write):
            try:
                os.close(descriptor)
            except OSError:
                pass
        self._read = self._write = -1

    def _kill_the_rest(self) -> bool:
        """Kills what has the mark, and says whether there was anything."""
        found = False
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                if self._mark.encode() in pathlib.Path(path).read_bytes():
                    found = True
                    os.kill(int(path.split("/")[2]), signal.SIGKILL)
            except OSError:
                pass  # it is gone, or another user's
        return found
