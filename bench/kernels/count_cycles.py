#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the cycles that a processor needs for the innermost loops of proven kernels.

Takes each loop out of a built operator library and has llvm-mca schedule it: cycles for one element,
where all data is in the nearest cache. For processors that are not at hand, beside times on those
that are. LLVM 19 gives znver5 the units of znver4, whose 512-bit operations take two turns, and counts
too little for gathers; ratios of two loops of one kind mean more than single figures.
"""

import argparse
import re
import subprocess
import sys

# A kernel's name, a pattern of its loop's mangled name (the first that is found counts, so that
# older libraries can be read as well), and the bytes of an element.
RUN = r".*3runILNS1_\d+(?:StoreModeE0|PathE0)E.*"


def kernel(element, body, operands="Lm2ELm1E"):
    """The loop of a formula over elements of that type, for 512-bit vectors."""
    return rf"N_AVX3\d+(?:NativeMap|StoredMap)I{element}{operands}{body}{RUN}"


FLOAT, BF16 = "f", r"NS0_\d+Bfloat(?:16)?E"
PLAIN, FACTORS = r"[^t]*?4FormE0E", r"[^t]*?4FormE1E"
KERNELS = [
    ("SELU backward, FLOAT", 4, [
        kernel(FLOAT, rf".*?30elu_backward_of_result_formulaIL{FACTORS}"),
        kernel(FLOAT, r"NS1_9Described.*?20selu_backward_stored")]),
    ("ELU backward, FLOAT", 4, [
        kernel(FLOAT, rf".*?20elu_backward_formulaIL{PLAIN}"),
        kernel(FLOAT, r"NS1_9Described.*?15elu_plain_decayILb1E")]),
    ("Hardswish backward, FLOAT", 4, [
        kernel(FLOAT, r".*?18hardswish_backward"),
        kernel(FLOAT, r"NS1_9Described.*?15backward_storedIZNS\w_\d+hardswish")]),
    ("SELU backward, BF16", 2, [
        kernel(BF16, rf".*?30elu_backward_of_result_formulaIL{FACTORS}"),
        kernel(BF16, r"NS1_9Described.*?20selu_backward_stored")]),
    ("ELU backward, BF16", 2, [
        kernel(BF16, r".*?24elu_backward_in_bfloat16"),
        kernel(BF16, r".*?NS1_12TableFormula.*?12elu_backward"),
        kernel(BF16, r"NS1_9Described.*?NS1_6Tabled.*?13EluParameters")]),
    ("GEGLU backward, BF16", 2, [
        kernel(BF16, r".*?NS1_12TableFormula.*?GeluErf", "Lm4ELm2E"),
        kernel(BF16, r".*?NS1_6Tabled.*?GeluErf", "Lm4ELm2E")]),
    ("Hardswish backward, BF16", 2, [
        kernel(BF16, r".*?18hardswish_backward"),
        kernel(BF16, r"NS1_9Described.*?15backward_storedIZNS\w_\d+hardswish")]),
]
PROCESSORS = ("znver4", "znver5", "sapphirerapids")


def output_of(*command, given=None):
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def instructions(library, symbol):
    """(address, text) of a function's instructions, in the order in which they lie."""
    lines = output_of("objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", library)
    found = re.findall(r"^\s+([0-9a-f]+):\t(\S.*?)\s*(?:#.*)?$", lines, re.M)
    return [(int(address, 16), text) for address, text in found]


def innermost_loops(code):
    """The ranges of code that end in a jump back to their beginning and have no such range inside."""
    places = {address: i for i, (address, _) in enumerate(code)}
    loops = []
    for i, (_, text) in enumerate(code):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", text)
        begin = places.get(int(jump[1], 16)) if jump else None
        if begin is not None and begin <= i:
            loops.append((begin, i))
    return [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]


def bytes_stored(loop):
    """By vector stores to other memory than the stack."""
    widths = {"z": 64, "y": 32, "x": 16}
    total = 0
    for text in loop:
        store = re.match(r"vmov\w+\s+%([xyz])mm\d+,(?:-?0x[0-9a-f]+)?\((%\w+)", text)
        if store and store[2] != "%rsp":
            total += widths[store[1]]
    return total


def hot_loop(library, symbol):
    """The innermost loop that stores most; of several such ones the first."""
    code = instructions(library, symbol)
    loops = [[text for _, text in code[a : b + 1]] for a, b in innermost_loops(code)]
    return max(loops, key=bytes_stored, default=[])


def cycles(loop, processor):
    """Of one turn of the loop; jumps go nowhere, as the model takes none."""
    text = "\n".join(re.sub(r"^(j\w+)\s.*", r"\1 0", line) for line in loop)
    report = output_of("llvm-mca-19", "-mtriple=x86_64", f"-mcpu={processor}", "-iterations=200",
                       given=text + "\n")
    return int(re.search(r"Total Cycles:\s+(\d+)", report)[1]) / 200


def row(library, symbols, kernel_of_row, verbose):
    name, element_bytes, patterns = kernel_of_row
    symbol = next((s for p in patterns for s in symbols if re.search(p, s)), None)
    loop = hot_loop(library, symbol) if symbol else []
    elements = bytes_stored(loop) // element_bytes
    if elements == 0:
        return [name] + ["-"] * (1 + len(PROCESSORS))
    if verbose:
        print(f"\n{name}: {symbol}", *loop, sep="\n    ", file=sys.stderr)
    return [name, f"{len(loop) / elements:.2f}"] + [
        f"{cycles(loop, processor) / elements:.3f}" for processor in PROCESSORS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="+", metavar="NAME=LIBRARY",
                        help="a column's title and a built libopapi.so")
    parser.add_argument("--only", default="", help="kernels whose name contains this text")
    parser.add_argument("--loops", action="store_true", help="print the loops, to standard error")
    options = parser.parse_args()
    titles = ["kernel", "library", "instructions", *PROCESSORS]
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    libraries = [(*each.split("=", 1), ) for each in options.libraries]
    symbols = {path: re.findall(r" [tT] (\S+)$", output_of("nm", path), re.M)
               for _, path in libraries}
    for each in KERNELS:
        if options.only not in each[0]:
            continue
        for title, path in libraries:
            name, *figures = row(path, symbols[path], each, options.loops)
            print("| " + " | ".join([name, title, *figures]) + " |")


if __name__ == "__main__":
    main()
