# SPDX-License-Identifier: Apache-2.0
"""A program that trains as it is asked to (serve.cpp)."""
import os
import subprocess


class Worker:
    def __init__(self, program, workload, threads, variables=None):
        self._process = subprocess.Popen([program, workload, str(threads)], text=True, bufsize=1,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         env=os.environ | (variables or {}))

    def ask(self, line):
        """The answer to a line. Throws RuntimeError, naming the program, when it has died."""
        try:
            self._process.stdin.write(line + "\n")
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RuntimeError(f"{self._process.args[0]} died when asked: {line}")
        return answer.rstrip("\n")

    def seconds_of(self, steps):
        return float(self.ask(f"run {steps}"))

    def close(self):
        self._process.stdin.close()
        self._process.wait()
