# SPDX-License-Identifier: Apache-2.0
"""What was measured by kernel_times (json.cpp): for each cell, an operation on a dtype, a size, a layout
and a number of threads, the median seconds of a call by contender."""
OURS = "aclgrad"
STORES = ("ordinary stores", "non-temporal stores")


class Cell:
    def __init__(self, measured):
        self.__dict__.update(measured)
        self.is_elementwise = self.group in ("elu", "gelu", "geglu", "other")
        self.is_contiguous = self.layout == "contiguous"
        self.ours = self.seconds.get(OURS)
        peers = sorted(set(self.seconds) - {OURS, *STORES})
        self.best_peer = min(peers, key=self.seconds.get, default=None)
        # Of the memory: the faster of the two.
        self.limit = min((self.seconds[name] for name in STORES if name in self.seconds),
                         default=None)

    def __str__(self):
        return f"{self.operation} {self.dtype} {self.size} {self.layout} threads={self.threads}"

    def rate(self, seconds):
        """Billions of elements in a second."""
        return self.elements / seconds * 1e-9

    def against_peer(self):
        return self.best_peer and self.seconds[self.best_peer] / self.ours


class Cells(list):
    def __init__(self, measured):
        super().__init__(map(Cell, measured))
        self._found = {self._key(cell): cell for cell in self}

    def like(self, cell, **changed):
        """The same cell in another layout or on another number of threads; None if not measured."""
        return self._found.get(self._key(cell, **changed))

    @staticmethod
    def _key(cell, layout=None, threads=None):
        return (cell.operation, cell.dtype, cell.size, layout or cell.layout,
                threads or cell.threads)


def is_plain(cell):
    return cell.is_elementwise and cell.is_contiguous
