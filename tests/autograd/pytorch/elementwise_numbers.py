# SPDX-License-Identifier: Apache-2.0
"""Cases of numbers.json for elementwise functions (write_numbers.py)."""
import torch


def between(low, high, *shape):
    """Multiples of 1/16, none of them a bound."""
    drawn = low + (high - low) * torch.rand(shape, dtype=torch.float64)
    return (drawn * 16).round().clamp(low * 16 + 1, high * 16 - 1) / 16


def functions(case, results_only):
    torch.manual_seed(9)
    for name, low, high in (("square", -3, 3), ("exp2", -3, 3), ("expm1", -3, 3), ("log1p", -1, 4), ("log2", 0, 5),
                            ("log10", 0, 5), ("tan", -1, 4), ("atan", -4, 4), ("asin", -1, 1), ("acos", -1, 1),
                            ("sinh", -3, 3), ("cosh", -3, 3), ("asinh", -4, 4), ("acosh", 1, 5), ("atanh", -1, 1),
                            ("sinc", -3, 3), ("erfc", -3, 3), ("erfinv", -1, 1), ("lgamma", 0, 6), ("frac", -5, 5),
                            ("floor", -5, 5), ("ceil", -5, 5), ("trunc", -5, 5), ("round", -5, 5)):
        case(name, getattr(torch, name), [between(low, high, 3, 4)])
    case("sinc near 0", lambda x: torch.sinc(x / 64), [torch.tensor([0.0, 1.0, -2.0, 3.5], dtype=torch.float64)])
    results_only("digamma", torch.digamma, [between(-1, 6, 3, 4)])
    results_only("round halves", torch.round, [torch.tensor([-1.5, -0.5, 0.5, 1.5, 2.5], dtype=torch.float64)])
    for decimals in (1, -1):
        case(f"round {decimals}", lambda x: torch.round(x * 8, decimals=decimals), [between(-5, 5, 3, 4)])

    left, right = between(-6, 6, 3, 4), between(0, 3, 4)
    right[::2] *= -1
    for name in ("atan2", "logaddexp", "logaddexp2", "fmod", "remainder", "copysign"):
        case(name, getattr(torch, name), [left.clone(), right.clone()])
    for name in ("fmod", "remainder"):
        case(f"{name} number", lambda x: getattr(torch, name)(x, -1.75), [left.clone()])
    case("remainder of a number", lambda x: torch.remainder(torch.tensor(5.5, dtype=torch.float64), x), [right.clone()])
    for mode in ("floor", "trunc"):
        case(f"div {mode}", lambda x, y: torch.div(x, y, rounding_mode=mode), [left.clone(), right.clone()])
        case(f"div {mode} number", lambda x: torch.div(x, -1.75, rounding_mode=mode), [left.clone()])
    case("xlogy", torch.xlogy, [torch.tensor([[0.0, 1.5, -2.0, 0.0]], dtype=torch.float64), between(0, 3, 3, 4)])
    case("xlogy of 0", lambda x: torch.xlogy(x, torch.tensor([0.0, -1.0, 2.0], dtype=torch.float64)),
         [torch.zeros(3, dtype=torch.float64)])
    case("lerp", torch.lerp, [draw_like(left), draw_like(left), between(-1, 2, 3, 4)])
    case("lerp number", lambda a, b: torch.lerp(a, b, 0.75), [draw_like(left), draw_like(left)])
    case("pow of a number", lambda x: torch.pow(1.5, x), [between(-3, 3, 3, 4)])

    low, high = between(-3, 1, 3, 4), between(-1, 3, 4)
    case("clamp tensors", torch.clamp, [between(-4, 4, 3, 4), low, high])
    case("clamp below", lambda x, low: torch.clamp(x, min=low), [between(-4, 4, 3, 4), low.detach().clone()])
    case("clamp above", lambda x, high: torch.clamp(x, max=high), [between(-4, 4, 3, 4), high.detach().clone()])


def draw_like(of):
    return between(-4, 4, *of.shape)


def truth(results_only):
    torch.manual_seed(10)
    some, others = (torch.randint(-1, 2, (3, 4)).double() for _ in range(2))
    results_only("logic", lambda a, b: tuple(f(a, b).long() for f in (torch.logical_and, torch.logical_or,
                                                                     torch.logical_xor)), [some, others])
    results_only("logical_not", lambda a: torch.logical_not(a).long(), [some])
    results_only("isclose", lambda a, b: torch.isclose(a, b, rtol=0.25, atol=0.5).long(), [some, others * 1.5])
    results_only("heaviside", torch.heaviside, [some, others])
    results_only("signbit", lambda a: torch.signbit(a).long(), [some])
    whole, bits = torch.randint(-100, 100, (3, 4)), torch.randint(-100, 100, (4,))
    results_only("bitwise", lambda a, b: (a & b, a | b, a ^ b, ~a, a & 12, a | 12, a ^ 12), [whole, bits])
    results_only("shifts", lambda a, b: (torch.bitwise_left_shift(a, b), torch.bitwise_right_shift(a, b)),
                 [whole, torch.tensor([0, 1, 5, 40])])
    results_only("gcd", torch.gcd, [whole, bits])
    results_only("whole quotients", lambda a, b: (torch.div(a, b, rounding_mode="floor"),
                                                  torch.div(a, b, rounding_mode="trunc"), torch.remainder(a, b),
                                                  torch.fmod(a, b), a.square()), [whole, bits | 1])
