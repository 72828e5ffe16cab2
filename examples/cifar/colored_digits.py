#!/usr/bin/env python3
"""MNIST's digits as files of CIFAR-10's binary version, for machines that CIFAR-10 itself cannot be had on.

    colored_digits.py MNIST_FOLDER OUT_FOLDER

Each digit has a color of its own on a ground of another one, in the middle of 32 x 32 pixels: the first 50,000 are the five
batches of training images, MNIST's test images are the test batch.
"""
import gzip
import pathlib
import random
import sys


def bytes_of(folder, name, header):
    path = folder / name
    data = path.read_bytes() if path.exists() else gzip.open(f"{path}.gz").read()
    return data[header:]


def colors(draw):
    """Of a ground and of a digit, which differ enough to be told apart."""
    while True:
        ground, digit = [[draw.randrange(256) for _ in range(3)] for _ in range(2)]
        if sum(abs(a - b) for a, b in zip(ground, digit)) >= 200:
            return ground, digit


def record(label, pixels, draw):
    """A label and its image: red, green and blue of all pixels, one after the other."""
    ground, digit = colors(draw)
    out = bytearray([label])
    for channel in range(3):
        ramp = bytes(ground[channel] + (digit[channel] - ground[channel]) * v // 255 for v in range(256))
        border = bytes([ground[channel]])
        out += border * 64
        for row in range(28):
            out += border * 2 + pixels[28 * row:28 * row + 28].translate(ramp) + border * 2
        out += border * 64
    return bytes(out)


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    for part, files in (("train", [f"data_batch_{i}.bin" for i in range(1, 6)]), ("t10k", ["test_batch.bin"])):
        images = bytes_of(source, f"{part}-images-idx3-ubyte", 16)
        labels = bytes_of(source, f"{part}-labels-idx1-ubyte", 8)
        for n, file in enumerate(files):
            (target / file).write_bytes(b"".join(
                record(labels[i], images[784 * i:784 * i + 784], draw) for i in range(10000 * n, 10000 * n + 10000)))


if __name__ == "__main__":
    main()
