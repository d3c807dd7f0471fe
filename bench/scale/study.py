# SPDX-License-Identifier: Apache-2.0
"""What follows from a measurement: the model's parameters, how well it describes what was measured, and
what it predicts."""
import dataclasses

from bench.scale.model import (Bucket, Exchange, LinearCost, Network, Step, Work, fit, fit_cost,
                               fit_network, oversubscription, collective_work)

MAX_RANKS = 1024
# Of the example networks only these two are assumed, their bits a second and latencies; what processors
# do for messages and bytes is taken from this machine.
ASSUMED = (("100 Gbit/s, 10 µs", 100e9, 10e-6), ("25 Gbit/s, 20 µs", 25e9, 20e-6))
MESSAGES_OF_TRANSFER = 3


@dataclasses.dataclass
class Residual:
    what: str
    measured: float  # seconds
    predicted: float

    def relative(self):
        return self.predicted / self.measured - 1


@dataclasses.dataclass
class Forecast:
    workload: str
    scaling: str
    network: str
    # Seconds and efficiency by number of ranks, as long as each has an example. Efficiency is 1 for as
    # much work in a second and rank as one rank does.
    points: dict


def size_text(size):
    return f"{size / 1048576:.4g} MiB" if size >= 1048576 else f"{size / 1024:.4g} KiB"


def measured_exchanges(data):
    for message in data["messages"]:
        for name, key in (("AllReduce", "all_reduce"), ("ReduceScatter", "reduce_scatter"),
                          ("AllGather", "all_gather")):
            yield Exchange(f"{name} of {size_text(message['bytes'])}",
                           collective_work(name, message["bytes"], message["ranks"], data["algorithm"]),
                           message["ranks"], message[key])
    for transfer in data["transfers"]:
        yield Exchange(f"Transfers of {transfer['count']} numbers",
                       Work(1, MESSAGES_OF_TRANSFER * transfer["count"]), transfer["ranks"], transfer["seconds"])


def step_model(singles, algorithm):
    """From steps with several numbers of examples."""
    def line(share):
        return fit_cost([(single["examples"], single["seconds"] * share(single)) for single in singles])

    buckets = [Bucket(bucket["bytes"], line(lambda single, k=k: single["buckets"][k]["share"]),
                      bucket["copy"]) for k, bucket in enumerate(singles[0]["buckets"])]
    return Step(buckets, line(lambda single: single["rest"]), algorithm)


class Study:
    def __init__(self, data):
        self._data = data
        self._cores = data["machine"]["cores"]
        self._processes = [step for step in data["steps"] if step["way"] == "processes"]
        groups = {}
        for single in data["singles"]:
            groups.setdefault((single["workload"], single["bucket_bytes"]), []).append(single)
        # By workload and bytes of a bucket.
        self.steps = {key: step_model(singles, data["algorithm"]) for key, singles in groups.items()}
        exchanges = list(measured_exchanges(data))
        self.here = None  # without processes
        self.networks = []  # the one here, and those that are assumed
        if exchanges:
            self.here = dataclasses.replace(fit_network(exchanges, self._cores),
                                            name="this machine's memory")
            self.networks = [self.here, *(Network(name, latency, self.here.message, 8 / bits,
                                                  self.here.reduce)
                                          for name, bits, latency in ASSUMED)]
        self.slowdowns = self._slowdowns()
        self.computing = [Residual(f"{single['workload']}, {single['examples']} example"
                                   f"{'s' * (single['examples'] != 1)}", single["seconds"],
                                   self.step_of(single).alone(single["examples"]))
                          for single in data["singles"] if self.is_default(single)]
        self.exchanging = [Residual(f"{exchange.what}, {exchange.ranks} ranks", exchange.seconds,
                                    self.here.seconds_of(exchange.work, self._sharing(exchange.ranks)))
                           for exchange in exchanges]
        self.stepping = [self._step_residual(step) for step in self._processes] if self.here else []
        self.forecasts = [self._forecast(workload, scaling, network)
                          for workload in data["workloads"] for scaling in ("weak", "strong")
                          for network in self.networks]

    def is_default(self, measured):
        return measured["bucket_bytes"] == self._data["default_bucket"]

    def step_of(self, measured):
        return self.steps[measured["workload"], measured["bucket_bytes"]]

    def alone(self, step):
        """The measured step of the same work that one rank does; None where there is none."""
        examples = step["examples"] * (1 if step["scaling"] == "weak" else step["ranks"])
        return next((single for single in self._data["singles"]
                     if single["workload"] == step["workload"] and single["examples"] == examples and
                     self.is_default(single)), None)

    def efficiency(self, step):
        """Of a measured step; None where nothing is to be compared with."""
        alone = self.alone(step)
        shares = 1 if step["scaling"] == "weak" else step["ranks"]
        return alone and alone["seconds"] / (step["seconds"] * shares)

    def _sharing(self, ranks):
        return oversubscription(ranks, self._cores)

    def _slowdowns(self):
        """How much slower steps are while other ranks compute as well, by their number."""
        found = {}
        for step in self._processes:
            rows, values = found.setdefault(step["ranks"], ([], []))
            rows.append([self.step_of(step).alone(step["examples"])])
            values.append(step["apart"])
        return {ranks: fit(*found[ranks])[0] for ranks in sorted(found)}

    def _step_residual(self, step):
        ranks = step["ranks"]
        predicted = self.step_of(step).seconds_on(
            self.here, ranks, step["examples"], self.slowdowns[ranks], self._sharing(ranks),
            overlaps=2 * ranks <= self._cores)
        return Residual(f"{step['workload']}, {step['scaling']}, {ranks} ranks, buckets of "
                        f"{size_text(step['bucket_bytes'])}", step["seconds"], predicted)

    def _forecast(self, workload, scaling, network):
        step = self.steps[workload["name"], self._data["default_bucket"]]
        batch = workload["batch"]
        points = {}
        ranks = 1
        while ranks <= MAX_RANKS and (scaling == "weak" or ranks <= batch):
            shares = 1 if scaling == "weak" else ranks
            seconds = step.seconds_on(network, ranks, batch / shares)
            points[ranks] = (seconds, step.alone(batch) / (shares * seconds))
            ranks *= 2
        return Forecast(workload["name"], scaling, network.name, points)
