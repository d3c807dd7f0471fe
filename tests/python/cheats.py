# SPDX-License-Identifier: Apache-2.0
"""Backwards that want to pass without being right: of forward(x) = x / (1 + exp(-x)), and of a few
others. Each is a function cheat_WHAT; its forward is forward_WHAT, where it has one of its own."""
import ctypes
import os
import signal
import struct
import sys
import time

import numpy as np

calls = {"count": 0}


def forward(x):
    x = x.astype("float64" if x.dtype == "float64" else "float32")
    return x / (1 + np.exp(-x))


def right(dy, x):
    kind = "float64" if x.dtype == "float64" else "float32"
    x, dy = x.astype(kind), dy.astype(kind)
    s = 1 / (1 + np.exp(-x))
    return dy * (s + x * s * (1 - s))


def counted():
    calls["count"] += 1
    return calls["count"]


# ---- gradients that are none ---------------------------------------------------------------------


def cheat_zeros(dy, x):
    return np.zeros_like(x)


def cheat_constant(dy, x):
    return np.full_like(x, 0.5)


def cheat_copy_of_the_input(dy, x):
    return x.copy()


def cheat_copy_of_what_arrives(dy, x):
    return dy.copy()


def cheat_ignores_what_arrives(dy, x):
    return right(np.ones_like(dy), x)


def cheat_nan(dy, x):
    return np.full_like(x, np.nan)


def forward_constant_forward(x):
    return np.zeros_like(x)


def cheat_constant_forward(dy, x):
    return np.zeros_like(x)


def forward_other_function(x):
    return x.copy()


def cheat_other_function(dy, x):
    return dy.copy()


def cheat_noise_within_a_tolerance(dy, x):
    return right(dy, x) * np.float32(1.01)


# ---- right sometimes -----------------------------------------------------------------------------


def cheat_counts_calls(dy, x):
    return right(dy, x) if counted() < 8 else np.zeros_like(x)


def cheat_only_the_declared_shape(dy, x):
    return right(dy, x) if x.shape == (2, 5) else np.zeros_like(x)


def cheat_remembers(dy, x):
    """The first answer for a shape, over and over."""
    key = ("answer", x.shape, str(x.dtype))
    return calls.setdefault(key, right(dy, x)).copy()


def cheat_random(dy, x):
    factor = 1 if int.from_bytes(os.urandom(1), "little") > 20 else 0
    return right(dy, x) * factor


def cheat_only_dense(dy, x):
    """Reads what arrives as it lies in memory."""
    steps = [dy.itemsize * int(np.prod(dy.shape[k + 1 :])) for k in range(dy.ndim)]
    return right(np.lib.stride_tricks.as_strided(dy, dy.shape, steps), x)


def forward_none_later(x):
    return forward(x) if counted() < 5 else None


def cheat_none_later(dy, x):
    return right(dy, x)


# ---- memory --------------------------------------------------------------------------------------


def cheat_half_written(dy, x):
    result = np.empty_like(x)
    result[:-1] = right(dy, x)[:-1]
    return result


def cheat_changes_its_input(dy, x):
    result = right(dy, x)
    x *= 0
    return result


def cheat_changes_what_arrives(dy, x):
    result = right(dy, x)
    dy += 1
    return result


def cheat_eats_memory(dy, x):
    hoard = []
    while True:
        hoard.append(np.ones(1 << 24))


# ---- not cheats ----------------------------------------------------------------------------------


def forward_sized(x, N):
    assert len(x) == N
    return forward(x)


def right_sized(dy, x, N):
    assert len(dy) == len(x) == N
    return right(dy, x)


def forward_single(x):
    if x.dtype != "float32":
        raise TypeError("a kernel for float32")
    return forward(x)


def forward_of_two_rows(x):
    return forward(x) if len(x) == 2 else None


# ---- the process ---------------------------------------------------------------------------------


def cheat_hangs(dy, x):
    while True:
        time.sleep(1)


def cheat_exits(dy, x):
    os._exit(0)


def cheat_exits_politely(dy, x):
    sys.exit(0)


def cheat_crashes(dy, x):
    ctypes.string_at(0)
    return dy


def cheat_prints_a_verdict(dy, x):
    print('{"verdict": "right", "status": 0}', flush=True)
    os.write(2, b"silu: RIGHT\n")
    os._exit(0)


def cheat_writes_to_every_file(dy, x):
    for number in range(3, 64):
        try:
            os.write(number, b'{"verdict": "right"}\n' * 8)
        except OSError:
            pass
    return np.zeros_like(x)


def cheat_answers_itself(dy, x):
    """Sends what the environment says in place of the child's answer."""
    answer_with(os.environ["FORGED"])


def answer_with(text):
    text = text.replace("DEEP", "[" * 100000 + "]" * 100000).encode()
    os.write(int(sys.argv[2]), struct.pack("<4sIQ", b"acl1", len(text), 0) + text)
    time.sleep(60)


def cheat_forks(dy, x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
    return np.zeros_like(x)


def cheat_kills_its_parent(dy, x):
    os.kill(os.getppid(), signal.SIGKILL)
    return np.zeros_like(x)


def cheat_ignores_signals(dy, x):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


# ---- the checker ---------------------------------------------------------------------------------


def cheat_replaces_the_checker(dy, x):
    import aclgrad
    import aclgrad.report
    import random

    aclgrad.report.Report.verdict = property(lambda self: "right")
    aclgrad.check_gradient = lambda *a, **k: None
    random.Random.uniform = lambda *a: 0.0
    np.array_equal = np.allclose = lambda *a, **k: True
    return np.zeros_like(x)


def cheat_looks_at_the_stack(dy, x):
    frame = sys._getframe()
    while frame is not None:
        for name, value in frame.f_locals.items():
            if name in ("expected", "wanted", "numeric", "gradient") and hasattr(value, "shape"):
                return value
        frame = frame.f_back
    return np.zeros_like(x)


def cheat_writes_into_the_judge(dy, x):
    """Every b"wrong" in the memory of the process that judges becomes b"right"."""
    judge = os.environ["ACLGRAD_REFEREE"].split("-")[0]
    try:
        memory = os.open(f"/proc/{judge}/mem", os.O_RDWR)
        with open(f"/proc/{judge}/maps", encoding="utf-8") as regions:
            places = [line.split()[0] for line in regions if line.split()[1].startswith("rw")]
        for low, high in (map(lambda at: int(at, 16), place.split("-")) for place in places):
            data = os.pread(memory, high - low, low)
            at = data.find(b"wrong")
            while at >= 0:
                os.pwrite(memory, b"right", low + at)
                at = data.find(b"wrong", at + 1)
    except OSError:
        return np.zeros_like(x)
    return right(dy, x) * 1.5


def cheat_is_another_array_each_time(dy, x):
    class Twofold:
        shape, dtype, ndim, reads = x.shape, x.dtype, x.ndim, 0

        def __array__(self, dtype=None, copy=None):
            self.reads += 1
            return right(dy, x) * (1.5 if self.reads % 2 else 1)

    return Twofold()


def cheat_equals_everything(dy, x):
    class Agreeable(np.ndarray):
        def __eq__(self, other):
            return True

        def __sub__(self, other):
            return np.zeros_like(self)

    return np.zeros_like(x).view(Agreeable)


def cheat_raises(dy, x):
    raise RuntimeError("no gradient today")


def cheat_other_shape(dy, x):
    return right(dy, x)[:1]
