# SPDX-License-Identifier: Apache-2.0
"""torch_museum.py LIBRARY [NUMBER ...]: torch.autograd.gradcheck on the exhibits of a
libwrong_gradients.so (wrong_gradients.h), as those use it who wrap a kernel in an autograd.Function.

Prints a line for each of the ways to call it: its name, a tab, its settings. Then for each exhibit its
number and, for each way, whether the right backward is blamed (1 or 0) under the usual attributes and
under those that show the mistake, then the same of the wrong one, if there is one. Exit status 77:
PyTorch is not installed.
"""
import ctypes
import math
import sys
import warnings

try:
    import torch
except ImportError:
    print("PyTorch (python3-torch) is not installed", file=sys.stderr)
    sys.exit(77)

VERSION = torch.__version__.split("a")[0]
WAYS = (
    (f"PyTorch {VERSION}", "gradcheck, its defaults: step 1e-6, tolerances 1e-5 and 1e-3", {}),
    ("PyTorch, fast", "gradcheck(fast_mode=True), its defaults", {"fast_mode": True}),
)
MOST_ELEMENTS = 5000  # more no checker of single elements is asked about
MOST_ATTRIBUTES, MOST_ARRAYS, MOST_RANK = 6, 6, 4
INTEGER, NO_GRADIENT, STRIDED = 1, 2, 16


class Attribute(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("usual", ctypes.c_double), ("shows", ctypes.c_double),
                ("low", ctypes.c_double), ("high", ctypes.c_double), ("whole", ctypes.c_int)]


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("flags", ctypes.c_int), ("low", ctypes.c_double),
                ("high", ctypes.c_double), ("rank", ctypes.c_int), ("shape", ctypes.c_int64 * MOST_RANK)]

    def dims(self):
        return list(self.shape[:self.rank])


def pointers(tensors):
    return (ctypes.c_void_p * MOST_ARRAYS)(*[None if t is None else t.data_ptr() for t in tensors])


class Exhibit:
    """One of them under some attributes: its arrays, random inputs, and both directions on tensors."""

    def __init__(self, library, number, values, is_right):
        self.library, self.number, self.is_right = library, number, is_right
        self.values = (ctypes.c_double * MOST_ATTRIBUTES)(*values)
        inputs, outputs = (Array * MOST_ARRAYS)(), (Array * MOST_ARRAYS)()
        counts = ctypes.c_int(), ctypes.c_int()
        library.wgDescribe(number, self.values, inputs, ctypes.byref(counts[0]), outputs,
                           ctypes.byref(counts[1]))
        self.inputs, self.outputs = inputs[:counts[0].value], outputs[:counts[1].value]

    def elements(self):
        return sum(math.prod(array.dims()) for array in self.inputs)

    def draw(self, seed):
        tensors = []
        for k, array in enumerate(self.inputs):
            is_whole = bool(array.flags & INTEGER)
            tensor = torch.zeros(array.dims(), dtype=torch.int64 if is_whole else torch.float64)
            self.library.wgDraw(self.number, self.values, ctypes.c_uint64(seed), k,
                                ctypes.c_void_p(tensor.data_ptr()))
            tensors.append(tensor.requires_grad_(not array.flags & (INTEGER | NO_GRADIENT)))
        return tensors

    def forward(self, inputs):
        results = [torch.zeros(array.dims(), dtype=torch.float64) for array in self.outputs]
        self.library.wgForward(self.number, self.values, pointers(inputs), pointers(results))
        return results

    def backward(self, inputs, results, upstream):
        """A gradient for each input, None where it has none."""
        kept, strides = [], []
        for array, gradient in zip(self.outputs, upstream):
            if array.flags & NO_GRADIENT:
                gradient = None
            elif gradient is None:
                gradient = torch.zeros(array.dims(), dtype=torch.float64)
            elif not array.flags & STRIDED:
                gradient = gradient.contiguous()
            kept.append(gradient)
            strides.append(None if gradient is None else (ctypes.c_int64 * MOST_RANK)(*gradient.stride()))
        places = (ctypes.c_void_p * MOST_ARRAYS)(
            *[None if s is None else ctypes.cast(s, ctypes.c_void_p).value for s in strides])
        gradients = [None if array.flags & (INTEGER | NO_GRADIENT) else
                     torch.zeros(array.dims(), dtype=torch.float64) for array in self.inputs]
        self.library.wgBackward(self.number, int(self.is_right), self.values, pointers(inputs),
                                pointers(results), pointers(kept), places, pointers(gradients))
        return gradients


class Call(torch.autograd.Function):
    @staticmethod
    def forward(ctx, exhibit, *inputs):
        results = exhibit.forward(inputs)
        ctx.exhibit = exhibit
        ctx.save_for_backward(*inputs)
        ctx.results = [result.clone() for result in results]
        ctx.mark_non_differentiable(*[result for result, array in zip(results, exhibit.outputs)
                                      if array.flags & NO_GRADIENT])
        ctx.set_materialize_grads(False)
        return tuple(results)

    @staticmethod
    def backward(ctx, *upstream):
        inputs = [x.detach().clone() for x in ctx.saved_tensors]
        results = [result.clone() for result in ctx.results]
        return (None, *ctx.exhibit.backward(inputs, results, upstream))


def is_blamed(library, number, values, is_right, settings):
    exhibit = Exhibit(library, number, values, is_right)
    if exhibit.elements() > MOST_ELEMENTS:
        return False
    torch.manual_seed(0)
    try:
        torch.autograd.gradcheck(lambda *inputs: Call.apply(exhibit, *inputs), exhibit.draw(1), **settings)
    except (RuntimeError, ValueError):  # GradcheckError is a RuntimeError
        return True
    return False


def main():
    library = ctypes.CDLL(sys.argv[1])
    warnings.simplefilter("ignore")
    for name, settings, _ in WAYS:
        print(name, settings, sep="\t")
    for number in [int(number) for number in sys.argv[2:]] or range(library.wgCount()):
        attributes = (Attribute * MOST_ATTRIBUTES)()
        attributes = attributes[:library.wgAttributes(number, attributes)]
        points = [a.usual for a in attributes], [a.shows for a in attributes]
        sides = (True, False) if number < library.wgExhibits() else (True,)
        print(number, *["".join(str(int(is_blamed(library, number, values, is_right, settings)))
                                for is_right in sides for values in points) for _, _, settings in WAYS],
              sep="\t", flush=True)


main()
