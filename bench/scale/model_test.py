# SPDX-License-Identifier: Apache-2.0
"""The model against times made from parameters that are known."""
import unittest

from bench.scale.model import (Bucket, Exchange, LinearCost, Network, Step, Work, fit, fit_cost,
                               fit_network, oversubscription, collective_work)

MIB = 1048576
ALGORITHM = {"small_bytes": 16384, "small_bytes_of_two": 131072, "chunk_bytes": MIB,
             "compare_with_all": 32}
STEP = Step([Bucket(4 * MIB, LinearCost(1e-3, 10e-6), 0.2e-3),
             Bucket(8 * MIB, LinearCost(2e-3, 20e-6), 0.4e-3)], LinearCost(0.5e-3), ALGORITHM)
NETWORK = Network("", 10e-6, 1e-6, 8e-11, 1e-10)


class FitTest(unittest.TestCase):
    def test_finds_what_the_values_were_made_from(self):
        found = fit([[1, 0], [1, 10], [1, 1e6]], [3, 3.02, 2003])
        self.assertAlmostEqual(found[0], 3, delta=1e-9)
        self.assertAlmostEqual(found[1], 2e-3, delta=1e-9)

    def test_keeps_out_what_would_be_negative(self):
        # Of the line through (1, 2) and (2, 5), -1 + 3x, a fixed part below 0 is not allowed. Without
        # it the least of (c/2 - 1)^2 + (2c/5 - 1)^2 is at c = (1/2 + 2/5) / (1/4 + 4/25).
        found = fit([[1, 1], [1, 2]], [2, 5])
        self.assertEqual(found[0], 0)
        self.assertAlmostEqual(found[1], 0.9 / 0.41, delta=1e-12)

    def test_takes_deviations_relative_to_the_value(self):
        # Of 1 and 3 a constant is 1.2, and not their mean.
        self.assertAlmostEqual(fit([[1], [1]], [1, 3])[0], 1.2, delta=1e-12)

    def test_gives_columns_that_cannot_be_told_apart_to_one_of_them(self):
        found = fit([[1, 2], [2, 4], [3, 6]], [5, 10, 15])
        self.assertAlmostEqual(found[0] + 2 * found[1], 5, delta=1e-12)
        self.assertEqual(min(found), 0)

    def test_refuses_what_makes_no_sense(self):
        for rows, values in (([], []), ([[1], [1, 2]], [1, 2]), ([[1]], [0])):
            self.assertRaises(ValueError, fit, rows, values)

    def test_finds_a_line_from_its_points(self):
        line = fit_cost([(1, 3.5), (10, 8), (100, 53)])
        self.assertAlmostEqual(line.fixed, 3, delta=1e-9)
        self.assertAlmostEqual(line.each, 0.5, delta=1e-9)


class ExchangeTest(unittest.TestCase):
    def test_work_follows_the_algorithms(self):
        self.assertEqual(collective_work("AllReduce", MIB, 1, ALGORITHM), Work())
        # Two ranks send each other everything while that is little: a handshake, and the numbers.
        self.assertEqual(collective_work("AllReduce", 65536, 2, ALGORITHM), Work(1, 1 + 1, 65536, 65536))
        # Four send each other's quarter, and then their own to all.
        self.assertEqual(collective_work("AllReduce", 8 * MIB, 4, ALGORITHM),
                         Work(2, 3 + 3 * 2 + 3 * 2, 2 * 3 * 2 * MIB, 3 * 2 * MIB))
        # Handshakes of the neighbours only.
        self.assertEqual(collective_work("AllReduce", MIB, 1024, ALGORITHM).messages, 2 + 2 * 1023)

    def test_work_of_a_sum_is_that_of_its_halves(self):
        for ranks in (3, 4, 8, 100):
            whole, first, second = (collective_work(name, 64 * MIB, ranks, ALGORITHM)
                                    for name in ("AllReduce", "ReduceScatter", "AllGather"))
            self.assertEqual(whole.rounds, first.rounds + second.rounds)
            self.assertAlmostEqual(whole.bytes, first.bytes + second.bytes)
            self.assertAlmostEqual(whole.reduced, first.reduced)
            self.assertEqual(second.reduced, 0)

    def test_a_network_is_found_from_times_made_with_it(self):
        made = Network("", 4e-6, 0.5e-6, 2e-10, 1e-10, 900e-6)
        times = []
        for ranks in (2, 4):
            for size in (1024 * 4**k for k in range(9)):
                for name in ("AllReduce", "ReduceScatter", "AllGather"):
                    work = collective_work(name, size, ranks, ALGORITHM)
                    times.append(Exchange(name, work, ranks,
                                          made.seconds_of(work, oversubscription(ranks, 2))))
        found = fit_network(times, 2)
        for name in ("round", "message", "byte", "reduce", "turn"):
            self.assertAlmostEqual(getattr(found, name) / getattr(made, name), 1, delta=1e-6)
        # Times that are off by a tenth, now more and now less, change it by not much more than that.
        for i, exchange in enumerate(times):
            exchange.seconds *= 1.1 if i % 2 == 0 else 0.9
        close = fit_network(times, 2)
        self.assertAlmostEqual(close.byte / made.byte, 1, delta=0.2)
        self.assertAlmostEqual(close.turn / made.turn, 1, delta=0.2)

    def test_is_oversubscribed_only_by_more_ranks_than_cores(self):
        self.assertEqual([oversubscription(ranks, 2) for ranks in (1, 2, 4)], [1, 1, 2])
        network = Network(round=1, turn=10)
        self.assertEqual(network.seconds_of(Work(rounds=2), 1), 2)
        self.assertEqual(network.seconds_of(Work(rounds=2), 2), 2 * 2 + 20)


class StepTest(unittest.TestCase):
    def test_of_one_rank_is_computing(self):
        self.assertAlmostEqual(STEP.alone(100), 1e-3 + 1e-3 + 2e-3 + 2e-3 + 0.5e-3, delta=1e-15)
        for overlaps in (True, False):
            self.assertAlmostEqual(STEP.seconds_on(NETWORK, 1, 100, overlaps=overlaps),
                                   STEP.alone(100), delta=1e-15)

    def test_hides_the_exchange_behind_computing(self):
        # The first bucket's exchange is over before the second is there; of this one's, the update of
        # the first is all that can be done meanwhile.
        first, second = (NETWORK.seconds_of(work) + bucket.copy
                         for work, bucket in zip(STEP.exchanges(8), STEP.buckets))
        self.assertLess(first, 4e-3)
        self.assertGreater(second, 0.5e-3 / 3 + 0.2e-3)
        self.assertAlmostEqual(STEP.seconds_on(NETWORK, 8, 100),
                               6e-3 + second + 0.5e-3 * 2 / 3 + 0.4e-3, delta=1e-12)
        self.assertAlmostEqual(STEP.seconds_on(NETWORK, 8, 100, overlaps=False),
                               6e-3 + first + second + 0.5e-3 + 0.6e-3, delta=1e-12)
        self.assertAlmostEqual(STEP.seconds_on(Network(), 8, 100, slowdown=2),
                               2 * (6e-3 + 0.4e-3 + 0.5e-3 * 2 / 3 + 0.4e-3), delta=1e-12)

    def test_takes_no_less_time_on_more_ranks(self):
        rounding = 1e-15
        last = 0
        for ranks in (2**k for k in range(11)):
            seconds = STEP.seconds_on(NETWORK, ranks, 100)
            self.assertGreaterEqual(seconds, max(last, STEP.alone(100)) - rounding)
            self.assertLessEqual(seconds, STEP.seconds_on(NETWORK, ranks, 100, overlaps=False))
            last = seconds
        self.assertGreater(last, 1.2 * STEP.alone(100))


if __name__ == "__main__":
    unittest.main()
