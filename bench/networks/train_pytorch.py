#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the networks of the examples with PyTorch, by the same recipes, and prints rows of a table.

The initial weights have the distributions of the examples, but other random numbers, as have the order
of the examples, their shifts and mirrorings, and dropout. The data are those that the examples fetch.
"""
import argparse
import pathlib
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/examples/networks"))
import pytorch_models as models  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
FUNCTIONS = {"elu": F.elu, "relu": F.relu, "hardswish": F.hardswish, "gelu": F.gelu, "geglu": None}
# 1 / sqrt(E f(z)^2) for standard normal z, as aclgrad::init::gain().
GAINS = {"relu": 2 ** 0.5, "elu": 1.245198300700750, "hardswish": 1.736657212723726}


WANTED = []  # activations; all if there are none


def chosen(*activations):
    return [name for name in activations if not WANTED or name in WANTED]


def initialize(model, gain=1):
    """Weights with a standard deviation of gain / sqrt(fan in) in convolutions, 1 / sqrt(fan in) in linear
    layers but those before a ReLU of squeeze-and-excite, 1 / sqrt(width) in embeddings; zero biases.
    Recurrent ones stay as PyTorch makes them."""
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            if "norm" not in name:
                nn.init.zeros_(parameter)
            continue
        if "gru" in name or "lstm" in name:  # uniform in +-1 / sqrt(hidden) already
            continue
        scale = gain if "conv" in name else GAINS["relu"] if "squeeze" in name else 1
        nn.init.normal_(parameter, 0, scale / parameter[0].numel() ** 0.5)
    return model


def idx(path):
    content = path.read_bytes()
    sizes = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(content[3])]
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * content[3])
    return torch.from_numpy(values.reshape(sizes).copy())


def pictures(data):
    """Standardized by the mean and standard deviation of all pixels, and labels; to train on, to test."""
    folder = ROOT / "out" / f"{data}-data"
    sets = []
    for part in ("train", "t10k"):
        sets += [idx(folder / f"{part}-images-idx3-ubyte").float()[:, None] / 255,
                 idx(folder / f"{part}-labels-idx1-ubyte").long()]
    mean, deviation = sets[0].mean(), sets[0].std(unbiased=False)
    sets[0], sets[2] = ((x - mean) / deviation for x in (sets[0], sets[2]))
    return sets


def by_column(sets):
    train, train_labels, test, test_labels = sets
    train, test = train.flatten(1), test.flatten(1)
    mean, deviation = train.mean(0), train.std(0, unbiased=False)
    deviation[deviation == 0] = 1
    return [(train - mean) / deviation, train_labels, (test - mean) / deviation, test_labels]


def shift_and_flip(x):
    """Each picture moved by up to a pixel in both directions, and mirrored with probability 1/2."""
    n, _, height, width = x.shape
    padded = F.pad(x, (1, 1, 1, 1))
    rows = torch.randint(3, (n, 1)) + torch.arange(height)
    columns = torch.randint(3, (n, 1)) + torch.arange(width)
    mirrored = torch.rand(n) < 0.5
    columns[mirrored] = columns[mirrored].flip(1)
    return padded[torch.arange(n)[:, None, None], 0, rows[:, :, None], columns[:, None, :]][:, None]


def percent_right(model, x, labels):
    model.eval()
    with torch.no_grad():
        guesses = torch.cat([model(part).argmax(1) for part in x.split(1000)])
    return 100 * (guesses == labels).double().mean().item()


def classify(model, sets, epochs, optimizer, rate=None, change=None, drop_last=False, batch=128, clip=None):
    """Returns % right after each epoch, and the seconds of a step."""
    x, labels, test, test_labels = sets
    scheduler = rate and torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    curve, seconds, steps = [], 0.0, 0
    for _ in range(epochs):
        model.train()
        began = time.monotonic()
        for chosen in torch.randperm(len(x)).split(batch):
            if drop_last and len(chosen) < batch:
                continue
            examples = x[chosen]
            optimizer.zero_grad()
            F.cross_entropy(model(change(examples) if change else examples), labels[chosen]).backward()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            if scheduler:
                scheduler.step()
            steps += 1
        seconds += time.monotonic() - began
        curve.append(percent_right(model, test, test_labels))
    return curve, seconds / steps


def row(network, model, result, seconds):
    count = sum(p.numel() for p in model.parameters())
    print(f"| {network} | {count:,} | {result} | {1000 * seconds:.1f} |", flush=True)


def percents(curve):
    return ", ".join(f"{value:.2f}" for value in curve[:-1]) + f", **{curve[-1]:.2f}**"


def self_normalizing(quick):
    activations = {"selu": nn.SELU, "relu": nn.ReLU}
    table = np.loadtxt(ROOT / "examples/data/digits.csv", delimiter=",", dtype=np.float32)
    order = np.random.default_rng(1).permutation(len(table))
    cut = int(0.8 * len(table))
    x, labels = torch.from_numpy(table[:, :-1]), torch.from_numpy(table[:, -1]).long()
    digits = by_column([x[order[:cut]], labels[order[:cut]], x[order[cut:]], labels[order[cut:]]])
    for layers in (8, 16, 32):
        for name in chosen(*activations):
            activation = activations[name]
            model = initialize(models.self_normalizing([64] * (layers + 1) + [10], activation, None))
            sgd = torch.optim.SGD(model.parameters(), lr=1e-2)
            curve, seconds = classify(model, digits, 1 if quick else 40, sgd)
            row(f"{layers} layers, {name}", model, f"{curve[-1]:.1f} %", seconds)
    mnist = by_column(pictures("mnist"))
    for name, dropout in (("selu", lambda: nn.AlphaDropout(0.05)), ("relu", lambda: nn.Dropout(0.5)),
                          ("relu", lambda: nn.Dropout(0.05))):
        if not chosen(name):
            continue
        model = initialize(models.self_normalizing([784, 512, 256, 10], activations[name], dropout))
        sgd = torch.optim.SGD(model.parameters(), lr=1e-3)
        curve, seconds = classify(model, mnist, 1 if quick else 20, sgd)
        row(f"784-512-256-10, {name}, {dropout()}", model, f"{curve[-1]:.2f} %", seconds)


def image_network(name, model, data, epochs, rate, decay, augment):
    sets = pictures(data)
    optimizer = torch.optim.AdamW(models.decay_matrices(model, decay), lr=1)
    steps = epochs * (len(sets[0]) // 128)
    curve, seconds = classify(model, sets, epochs, optimizer, models.cosine(rate, 100, steps),
                              shift_and_flip if augment else None, drop_last=True)
    row(f"{name} on {data}", model, percents(curve), seconds)


def convolution(quick):
    for data in ("mnist", "fashion-mnist"):
        clothes = data != "mnist"
        for activation in chosen("elu", "relu"):
            model = initialize(models.Convolution(activation=FUNCTIONS[activation]), GAINS[activation])
            image_network(f"convolution, {activation},", model, data, 1 if quick else 5,
                          4e-3 if clothes else 2e-3, 0.05 if clothes else 0, clothes)


def mobilenet(quick):
    for activation in chosen("hardswish", "relu"):
        # The example scales the convolutions of both for Hardswish.
        model = initialize(models.MobileNet(activation=FUNCTIONS[activation]), GAINS["hardswish"])
        image_network(f"mobilenet, {activation},", model, "fashion-mnist", 1 if quick else 8, 4e-3,
                      0.05, True)


def text():
    content = (ROOT / "out/moby-dick/data.txt").read_bytes().decode()
    alphabet = {c: i for i, c in enumerate(sorted(set(content)))}
    numbers = torch.tensor([alphabet[c] for c in content])
    return numbers[:len(numbers) * 9 // 10], numbers[len(numbers) * 9 // 10:], len(alphabet)


def characters(name, make, quick):
    seen, unseen, count = text()
    model = make(count)
    optimizer = torch.optim.AdamW(models.decay_matrices(model, 0.1), lr=1, betas=(0.9, 0.99))
    steps = 50 if quick else 2000
    rate = models.cosine(1e-3, 100, 2000, 1e-4)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    places = torch.arange(65)
    began = time.monotonic()
    for _ in range(steps):
        windows = seen[torch.randint(len(seen) - 64, (12, 1)) + places]
        optimizer.zero_grad()
        models.cross_entropy(model(windows[:, :-1]), windows[:, 1:]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        scheduler.step()
    seconds = (time.monotonic() - began) / steps
    model.eval()
    starts = torch.arange(0, len(unseen) - 64, 64)[:, None]
    with torch.no_grad():
        losses = [models.cross_entropy(model(part[:, :-1]), part[:, 1:]) * len(part)
                  for part in unseen[starts + places].split(100)]
    row(name, model, f"{(sum(losses) / len(starts)).item():.3f} nats", seconds)


def transformer(quick):
    for activation in chosen("geglu", "gelu", "relu"):
        hidden = 344 if activation == "geglu" else 516
        characters(f"transformer, {activation}", lambda count: initialize(models.Transformer(
            count, hidden=hidden, activation=FUNCTIONS[activation])), quick)


def recurrent(quick):
    model = initialize(models.Recurrent())
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0)

    def sequences(count, length=100):
        numbers = torch.rand(count, length)
        marks = torch.zeros(count, length)
        marks.scatter_(1, torch.randint(length // 2, (count, 1)), 1)
        marks.scatter_(1, torch.randint(length // 2, length, (count, 1)), 1)
        return torch.stack((numbers, marks), 2), (numbers * marks).sum(1, keepdim=True)

    x, sums = sequences(500)
    curve, seconds = [], 0.0
    for step in range(1, 101 if quick else 6001):
        began = time.monotonic()
        batch, wanted = sequences(64)
        optimizer.zero_grad()
        F.mse_loss(model(batch), wanted).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        seconds += time.monotonic() - began
        if step % 100 == 0:
            with torch.no_grad():
                curve.append(F.mse_loss(model(x), sums).item())
            if curve[-1] < 0.002:
                break
    below = next((100 * (i + 1) for i, error in enumerate(curve) if error < 0.01), None)
    row("recurrent, adding", model,
        f"below 0.01 after {below} steps, {curve[-1]:.4f} after {step}", seconds / step)
    characters("recurrent, characters", lambda count: initialize(models.Characters(count)), quick)


def exported(name):
    """The examples that the program of that name has written."""
    return {key: torch.from_numpy(array) for key, array in np.load(ROOT / f"out/{name}.npz").items()}


def translate(quick):
    data = {key: array.long() for key, array in exported("translate").items()}
    model = initialize(models.Translator())
    with torch.no_grad():
        model.letters.weight[0] = 0
    optimizer = torch.optim.AdamW(models.decay_matrices(model, 0.01), lr=1, betas=(0.9, 0.99))
    batches = list(zip(*(data["train_" + part].split(64) for part in ("source", "begun", "target"))))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, models.cosine(2e-3, 100, len(batches)))
    batches = batches[:50] if quick else batches
    began = time.monotonic()
    for source, begun, target in batches:
        optimizer.zero_grad()
        models.cross_entropy(model(torch.cat((source, begun), 1)), target).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        scheduler.step()
    seconds = (time.monotonic() - began) / len(batches)
    model.eval()
    source, target = data["unseen_source"], data["unseen_target"]
    begun = torch.full_like(target, 11)
    with torch.no_grad():
        memory = model.encode(source)
        for place in range(target.shape[1]):
            digits = model.decode(memory, source, begun)[:, place].argmax(1)
            if place + 1 < target.shape[1]:
                begun[:, place + 1] = digits
    written = torch.cat((begun[:, 1:], digits[:, None]), 1)
    right = 100 * (written == target).all(1).double().mean().item()
    row("translate", model, f"{right:.1f} %, greedy", seconds)


def spoken(quick):
    data = exported("spoken")
    sets = [data[key] for key in ("train", "train_labels", "distorted", "distorted_labels")]
    model = initialize(models.Listener(), GAINS["relu"])
    optimizer = torch.optim.AdamW(models.decay_matrices(model, 0.05), lr=1)
    epochs = 1 if quick else 12
    steps = epochs * (len(sets[0]) // 64)
    curve, seconds = classify(model, sets, epochs, optimizer, models.cosine(2e-3, 100, steps),
                              drop_last=True, batch=64, clip=1)
    unheard = percent_right(model, data["unheard"], data["unheard_labels"])
    row("spoken", model, f"{curve[-1]:.1f} % heard, {unheard:.1f} % unheard", seconds)


NETWORKS = {f.__name__: f for f in (self_normalizing, transformer, convolution, recurrent, mobilenet, translate,
                                    spoken)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("networks", nargs="*", metavar="network", default=list(NETWORKS),
                        help=f"of {', '.join(NETWORKS)}; all of them unless named")
    parser.add_argument("--activation", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="an epoch, or a few steps, of each")
    options = parser.parse_args()
    unknown = set(options.networks) - set(NETWORKS)
    if unknown:
        parser.error(f"there is no network {', '.join(sorted(unknown))}; there are {', '.join(NETWORKS)}")
    torch.set_num_threads(options.threads)
    WANTED.extend(options.activation)
    print(f"PyTorch {torch.__version__}, {options.threads} threads, seed {options.seed}\n")
    print("| network | parameters | result | step, ms |\n|---|---|---|---|")
    for name in options.networks:
        torch.manual_seed(options.seed)
        NETWORKS[name](options.quick)


if __name__ == "__main__":
    main()
