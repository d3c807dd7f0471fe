# SPDX-License-Identifier: Apache-2.0
"""The referee's side of the process of the functions: it is started, asked, watched and ended."""
from __future__ import annotations

import inspect
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .channel import Closed, Malformed, Raw, TooLate, plain, receive, send


class Misconduct(Exception):
    """What a function did instead of giving an answer."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class ReferenceFails(ValueError):
    """What the reference did instead, which is the caller's: it is trusted."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(f"the reference fails: {reason}: {text}")


class OutOfTime(Exception):
    """Nothing that the functions did: the whole took too long, or the machine is too busy."""


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
        problem: Callable[[str, str], Exception] = Misconduct,
    ) -> None:
        self._call_seconds, self._deadline, self._problem = call_seconds, deadline, problem
        self._process: Optional["subprocess.Popen[bytes]"] = None
        from_child, child_writes = os.pipe()
        child_reads, to_child = os.pipe()
        self._read, self._write = from_child, to_child
        self._said = tempfile.TemporaryFile()
        self._watched: List[pathlib.Path] = []
        package = str(pathlib.Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
        # All processes that come from it inherit this, whatever group they go to.
        self._mark = f"ACLGRAD_REFEREE={os.getpid()}-{secrets.token_hex(16)}"
        name, value = self._mark.split("=")
        environment = {**os.environ, "PYTHONPATH": path, name: value}
        environment.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        numbers = [str(child_reads), str(child_writes)] + ["process"] * (not namespaces)
        seconds = int(deadline - time.monotonic()) + 2
        asked = {"functions": functions, "arrays": arrays, "memory": memory, "seconds": seconds}
        try:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "aclgrad.referee.child", *numbers],
                    stdin=subprocess.DEVNULL,
                    stdout=self._said,
                    stderr=self._said,
                    pass_fds=(child_reads, child_writes),
                    env=environment,
                    start_new_session=True,
                )
            finally:
                os.close(child_reads)
                os.close(child_writes)
            told = self._asked(asked, b"", "it was loaded", max(call_seconds, 30))[0]
            self._read_start(told, functions)
            self._watched = list(self._marked())
        except BaseException:  # no `with` ends what never was
            self.end()
            raise

    def _read_start(self, told: Dict[str, Any], functions: Dict[str, str]) -> None:
        """What it is, and which parameters the functions have."""
        try:
            self.isolation, self.kind = told["isolation"], told["kind"]
            known = self.isolation in ("namespaces", "process")
            if not known or self.kind not in ("numpy", "torch", "list"):
                raise Malformed("it is of no kind that there is")
            self.parameters: Dict[str, List[str]] = {
                what: [n for n in told["parameters"][what] if n.isidentifier()]
                for what in functions
            }
        except Exception as error:
            raise self._problem(
                "malformed answer", f"{plain(str(error))}, when it was loaded"
            ) from error

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

    def call(self, what: str, arguments: Any, named: Dict[str, Any]) -> Any:
        """The function's answer; raises Misconduct."""
        arguments = list(arguments)
        named = dict(named)
        if "outputs" in named:
            outputs = named["outputs"]
            arguments += outputs
            named["outputs"] = len(outputs)
        told = [a.described() if isinstance(a, Raw) else {"value": a} for a in arguments]
        arrays = [a for a in arguments if isinstance(a, Raw)]
        header = {"function": what, "arguments": told, "named": named}
        answer, body = self._asked(
            header, b"".join(a.data for a in arrays), f"the {what} was called", self._call_seconds
        )
        try:
            outside = answer.get("outside") is not None
            results = self._results(answer, body, arrays)
        except Exception as error:  # whatever an answer can be
            raise self._problem("malformed answer", f"the {what}: {plain(str(error))}") from error
        if outside:
            raise self._problem("memory", f"the {what} wrote beside an array that it was given")
        return results

    @staticmethod
    def _results(answer: Dict[str, Any], body: bytes, arrays: List[Raw]) -> Any:
        results: List[Optional[Raw]] = []
        at = 0
        for told in answer["results"]:
            result = None if told is None else Raw.from_header(told, body, at)
            at += len(result.data) if result is not None else 0
            results.append(result)
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
            raise OutOfTime("though no call took too long")
        before = self._used()[0]
        try:
            send(self._write, header, body)
            answer, data = receive(self._read, now + seconds, self._is_alive)
        except TooLate:
            used, waits_for_core = self._used()
            self.end()
            if waits_for_core and used - before < seconds / 2:
                raise OutOfTime(
                    f"as the machine is busy: {seconds:g} s, with a core for {used - before:.1f} s "
                    f"of them, when {when}"
                ) from None
            raise self._problem("time limit", f"no answer in {seconds:g} s when {when}") from None
        except Malformed as error:
            self.end()
            raise self._problem("malformed answer", f"{error}, when {when}") from None
        except Closed:
            raise self._ending(when) from None
        if "error" in answer:
            text = plain(answer["error"])
            is_memory = answer.get("kind") == "MemoryError" or "alloc" in text
            raise self._problem("memory limit" if is_memory else "raises", f"{text}, when {when}")
        return answer, data

    def _used(self) -> Tuple[float, bool]:
        """Seconds of processor time that its processes had so far, without those that functions
        started, and whether one waits for a core now."""
        used, waits = 0.0, False
        for path in self._watched:
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it is gone
            used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            waits = waits or fields[0] == "R"
        return used, waits

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _ending(self, when: str) -> Exception:
        assert self._process is not None
        try:
            status = self._process.wait(2)
        except subprocess.TimeoutExpired:
            self.end()
            return self._problem("malformed answer", f"it closed the channel when {when}")
        number = -status if status < 0 else status - 128 if status > 128 else 0
        if number == signal.SIGXCPU:
            return self._problem(
                "time limit", f"the limit of processor time was reached when {when}"
            )
        if number:
            try:
                name = signal.Signals(number).name
            except ValueError:
                name = f"signal {number}"
            text = f"the process ended by {name} when {when}{self._last()}"
            return self._problem("crashes", text)
        return self._problem("exits", f"the process ended with {status} when {when}{self._last()}")

    def _last(self) -> str:
        """The end of what it printed."""
        if self._said.closed:
            return ""
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - 400))
        said = self._said.read().decode(errors="replace").strip()
        return f"; it printed: {said[-160:]!r}" if said else ""

    def end(self) -> None:
        """Ends it, with all processes that it started."""
        if self._process is not None and self._process.poll() is None:
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
        self._said.close()

    def _kill_the_rest(self) -> bool:
        """Kills what has the mark, and says whether there was anything."""
        found = False
        for path in self._marked():
            try:
                found = True
                os.kill(int(path.name), signal.SIGKILL)
            except OSError:
                pass  # it is gone
        return found

    def _marked(self) -> Iterator[pathlib.Path]:
        """Where the system tells of each process that has the mark."""
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() in (path / "environ").read_bytes():
                    yield path
            except OSError:
                pass  # it is gone, or another user's
