# SPDX-License-Identifier: Apache-2.0
"""How long a data-parallel step takes on many ranks, from what it takes on few.

An exchange costs a rank so much for each round of messages, each message, each byte sent and each byte
reduced; how many of these there are follows from the algorithms of ops/hccl. Computing costs so much
for each example, and as much again for each step whatever its batch. Both are fitted to measurements by
least squares, and then put together as DataParallel does."""
import dataclasses
import itertools
import math


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solve(a, b):
    """x with a x = b, by Gaussian elimination with pivots. None for a matrix close to singular."""
    rows = [[*row, value] for row, value in zip(a, b)]
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        if abs(rows[pivot][k]) < 1e-12:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    x = [0.0] * len(rows)
    for k in reversed(range(len(rows))):
        x[k] = (rows[k][-1] - dot(rows[k], x)) / rows[k][k]  # what is not known yet is 0
    return x


def fit(rows, values):
    """The numbers x >= 0 for which rows * x is closest to `values`, deviations taken relative to each
    value: the least sum of ((rows[i] * x - values[i]) / values[i])^2. Of columns that cannot be
    distinguished apart one gets everything. Throws ValueError without any rows, for rows of different
    lengths, or for a value that is not positive."""
    if not rows or len(rows) != len(values):
        raise ValueError("nothing to fit")
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of different lengths")
    if not all(value > 0 for value in values):
        raise ValueError("a value that is not positive")
    # Divided by the values; then columns of length 1, so that their units do not matter.
    columns = list(zip(*([x / value for x in row] for row, value in zip(rows, values))))
    lengths = [math.hypot(*column) or 1 for column in columns]
    columns = [[x / length for x in column] for column, length in zip(columns, lengths)]

    def squares(x):
        return sum((dot(row, x) - 1) ** 2 for row in zip(*columns))

    # The best of the fits of all sets of columns: there are few columns.
    best = [0.0] * len(columns)
    least = squares(best)
    for size in range(1, len(columns) + 1):
        for chosen in itertools.combinations(range(len(columns)), size):
            found = solve([[dot(columns[i], columns[j]) for j in chosen] for i in chosen],
                          [sum(columns[i]) for i in chosen])
            if found is None or min(found) < 0:
                continue
            x = [0.0] * len(columns)
            for i, value in zip(chosen, found):
                x[i] = value
            if squares(x) < least:
                best, least = x, squares(x)
    return [x / length for x, length in zip(best, lengths)]


# ---- Exchanges ----


@dataclasses.dataclass
class Work:
    """What a rank does in an operation between processes."""
    rounds: float = 0  # one after the other
    messages: float = 0  # that it sends, and as many that it receives
    bytes: float = 0  # that it sends, and as many that it receives
    reduced: float = 0  # bytes of contributions added to others

    def __add__(self, other):
        return Work(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))


def collective_work(collective, size, ranks, algorithm):
    """Of "AllReduce", "ReduceScatter" or "AllGather"; `size` is the bytes of what all ranks have in the
    end, or had at the beginning. `algorithm` has the numbers of ops/hccl/algorithm.h."""
    if ranks == 1:
        return Work()
    others = ranks - 1
    comparisons = 2 if others >= algorithm["compare_with_all"] else others
    share = size / ranks
    chunks = math.ceil(share / algorithm["chunk_bytes"])
    if collective == "AllGather":
        return Work(1, comparisons + others, others * share)
    if collective == "ReduceScatter":
        return Work(1, comparisons + others * chunks, others * share, others * share)
    if (size <= algorithm["small_bytes_of_two"] if ranks == 2 else
            size * ranks <= algorithm["small_bytes"]):  # each rank reduces alone
        return Work(1, comparisons + others, others * size, others * size)
    return Work(2, comparisons + 2 * others * chunks, 2 * others * share, others * share)


@dataclasses.dataclass
class Network:
    """Seconds."""
    name: str = ""
    round: float = 0  # latency
    message: float = 0  # of a processor for each message
    byte: float = 0  # 1 / bandwidth
    reduce: float = 0  # of a processor for each byte
    turn: float = 0  # more for each round where ranks share cores, until all had their turn

    def parts(self, work):
        """Of the time of a rank's work: rounds, messages, bytes, reducing."""
        return (work.rounds * self.round, work.messages * self.message, work.bytes * self.byte,
                work.reduced * self.reduce)

    def seconds_of(self, work, oversubscribed=1):
        """Oversubscribed processors take so many times as long, and ranks wait for their turn."""
        turns = work.rounds * self.turn if oversubscribed > 1 else 0
        return oversubscribed * sum(self.parts(work)) + turns


def oversubscription(ranks, cores):
    """How many ranks of one thread there are for each core, at least 1."""
    return max(1, ranks / cores)


@dataclasses.dataclass
class Exchange:
    what: str
    work: Work
    ranks: int
    seconds: float


def fit_network(exchanges, cores):
    """For ranks that are all on one machine. Times where ranks share cores vary wildly: they only tell
    how long a turn takes."""
    shared = [exchange for exchange in exchanges if oversubscription(exchange.ranks, cores) > 1]
    fitted = [exchange for exchange in exchanges if exchange not in shared] or exchanges
    rows = [[oversubscription(exchange.ranks, cores) * x for x in dataclasses.astuple(exchange.work)]
            for exchange in fitted]
    network = Network("", *fit(rows, [exchange.seconds for exchange in fitted]))
    # The least squares, relative as everywhere, of what is left for the turns.
    product = square = 0
    for exchange in shared:
        predicted = network.seconds_of(exchange.work, oversubscription(exchange.ranks, cores))
        scale = exchange.work.rounds / exchange.seconds
        product += scale * (1 - predicted / exchange.seconds)
        square += scale * scale
    if square > 0:
        network.turn = max(0, product / square)
    return network


# ---- Steps ----


@dataclasses.dataclass
class LinearCost:
    """Seconds for so many examples."""
    fixed: float = 0
    each: float = 0

    def at(self, examples):
        return self.fixed + self.each * examples


def fit_cost(points):
    """Through (examples, seconds); what never took any time is none."""
    some = [(examples, seconds) for examples, seconds in points if seconds > 0]
    return LinearCost(*fit([[1, x] for x, _ in some], [y for _, y in some])) if some else LinearCost()


@dataclasses.dataclass
class Bucket:
    """What is exchanged at once."""
    bytes: float
    before: LinearCost  # what is computed until it is there, since the one before it was
    copy: float  # to copy it, or multiply it by a number


@dataclasses.dataclass
class Step:
    buckets: list
    rest: LinearCost  # what is computed when all buckets are there: the updates
    algorithm: dict

    def alone(self, examples):
        """Seconds on one rank."""
        return self.rest.at(examples) + sum(bucket.before.at(examples) for bucket in self.buckets)

    def exchanges(self, ranks):
        return [collective_work("AllReduce", bucket.bytes, ranks, self.algorithm) for bucket in self.buckets]

    def seconds_on(self, network, ranks, examples, slowdown=1, oversubscribed=1, overlaps=True):
        """Computing goes on while buckets are exchanged, one after the other; what is updated waits for
        its bucket. Gradients are copied into a bucket before its exchange, and sums made means after it.

        `examples` are those of each rank; `slowdown` is that of computing, by other ranks on the same
        machine; where it `overlaps`, the exchange has a core of its own, beside those that compute."""
        computed = 0  # until when the processor has computed
        exchanged = 0  # until when buckets have been exchanged
        arrivals = []
        for bucket, work in zip(self.buckets, self.exchanges(ranks)):
            computed += slowdown * bucket.before.at(examples)
            exchanged = max(exchanged, computed) + network.seconds_of(work, oversubscribed)
            if ranks > 1:
                exchanged += slowdown * bucket.copy
            if not overlaps:
                computed = exchanged
            arrivals.append(exchanged)
        total = sum(bucket.bytes for bucket in self.buckets)
        for bucket, arrival in zip(self.buckets, arrivals):
            update = bucket.bytes / total * self.rest.at(examples)
            if ranks > 1:
                update += bucket.copy
            computed = max(computed, arrival) + slowdown * update
        return computed
