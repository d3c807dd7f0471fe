# SPDX-License-Identifier: Apache-2.0
"""torch_gradcheck.py LIBRARY [NUMBER|NAME ...]: torch.autograd.gradcheck on the mutants of a
libgradcheck_mutants.so (mutants_c.h), as those use it who wrap a kernel in an autograd.Function.

Prints a line for each of the ways to call it: its name, a tab, its settings. Then for each mutant its
number and, for each way, 1 where it is blamed or 0, with tabs between them. Exit status 77: PyTorch is
not installed.
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
    (f"PyTorch {VERSION}", "gradcheck, float64, its defaults: step 1e-6, tolerances 1e-5 and 1e-3", 64, {}),
    ("PyTorch, fast", "gradcheck(fast_mode=True), float64, its defaults", 64, {"fast_mode": True}),
    ("PyTorch, float32", "gradcheck, float32: step 1e-3, tolerances 1e-2", 32,
     {"eps": 1e-3, "atol": 1e-2, "rtol": 1e-2}),
)
DTYPES = {32: torch.float32, 64: torch.float64}


class Mutant:
    """One of them in a dtype: shapes, random inputs, and both directions on tensors."""

    def __init__(self, library, number, bits):
        self.library = library
        self.dtype = DTYPES[bits]
        self.handle = ctypes.c_void_p(library.aclgradMutantOpen(number, bits))
        self.shapes = [self._shape(library.aclgradMutantShape, k) for k in range(self._inputs())]
        self.result_shape = self._shape(library.aclgradMutantResultShape)
        self.has_gradient = [bool(library.aclgradMutantHasGradient(self.handle, k))
                             for k in range(len(self.shapes))]

    def close(self):
        self.library.aclgradMutantClose(self.handle)

    def _inputs(self):
        return self.library.aclgradMutantInputs(self.handle)

    def _shape(self, function, *which):
        shape = (ctypes.c_int64 * 8)()
        return list(shape[:function(self.handle, *which, shape)])

    @staticmethod
    def _buffer(tensor):
        return (ctypes.c_double * tensor.numel())(*tensor.detach().double().flatten().tolist())

    def _tensor(self, buffer, shape):
        return torch.tensor(list(buffer), dtype=torch.float64).to(self.dtype).reshape(shape)

    @staticmethod
    def _pointers(buffers):
        pointer = ctypes.POINTER(ctypes.c_double)
        return (pointer * len(buffers))(*[None if b is None else ctypes.cast(b, pointer) for b in buffers])

    def draw(self, seed):
        inputs = []
        for k, shape in enumerate(self.shapes):
            buffer = (ctypes.c_double * math.prod(shape))()
            self.library.aclgradMutantDraw(self.handle, ctypes.c_uint64(seed), k, buffer)
            inputs.append(self._tensor(buffer, shape).requires_grad_(self.has_gradient[k]))
        return inputs

    def forward(self, inputs):
        result = (ctypes.c_double * math.prod(self.result_shape))()
        self.library.aclgradMutantForward(self.handle, self._pointers([self._buffer(x) for x in inputs]), result)
        return self._tensor(result, self.result_shape)

    def backward(self, inputs, upstream, wanted):
        """A gradient for each input, None where there is none or it is not wanted."""
        given = [self._buffer(x) for x in inputs]
        arriving = self._buffer(upstream)
        places = [k for k, has in enumerate(self.has_gradient) if has]
        outputs = [(ctypes.c_double * math.prod(self.shapes[k]))() if wanted[k] else None for k in places]
        failure = self.library.aclgradMutantBackward(self.handle, self._pointers(given), arriving,
                                                     self._pointers(outputs))
        if failure:
            raise RuntimeError(failure.decode())
        with torch.no_grad():  # what the kernel wrote to is the caller's memory
            for tensor, buffer in zip([*inputs, upstream], [*given, arriving]):
                after = self._tensor(buffer, tensor.shape)
                if tensor.is_contiguous() and not torch.equal(after, tensor.to(self.dtype)):
                    tensor.copy_(after)
        gradients = [None] * len(inputs)
        for k, output in zip(places, outputs):
            if output is not None:
                gradients[k] = self._tensor(output, self.shapes[k])
        return gradients


class Call(torch.autograd.Function):
    @staticmethod
    def forward(ctx, mutant, *inputs):
        ctx.mutant = mutant
        ctx.save_for_backward(*inputs)
        return mutant.forward(inputs)

    @staticmethod
    def backward(ctx, upstream):
        wanted = ctx.needs_input_grad[1:]
        return (None, *ctx.mutant.backward(ctx.saved_tensors, upstream, wanted))


def is_blamed(library, number, bits, settings):
    mutant = Mutant(library, number, bits)
    torch.manual_seed(0)
    try:
        torch.autograd.gradcheck(lambda *inputs: Call.apply(mutant, *inputs), mutant.draw(1), **settings)
    except (RuntimeError, ValueError):  # GradcheckError is a RuntimeError
        return True
    finally:
        mutant.close()
    return False


def main():
    library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)  # operators are found by name
    library.aclgradMutantOpen.restype = ctypes.c_void_p
    library.aclgradMutantBackward.restype = ctypes.c_char_p
    library.aclgradMutantName.restype = ctypes.c_char_p
    warnings.simplefilter("ignore")  # that float32 is not what gradcheck is made for
    for name, settings, _, _ in WAYS:
        print(name, settings, sep="\t")
    names = [library.aclgradMutantName(k).decode() for k in range(library.aclgradMutantCount())]
    numbers = [int(each) if each.isdigit() else names.index(each) for each in sys.argv[2:]] or range(len(names))
    for number in numbers:
        blamed = [int(is_blamed(library, number, bits, settings)) for _, _, bits, settings in WAYS]
        print(number, *blamed, sep="\t", flush=True)


main()
