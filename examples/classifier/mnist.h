// SPDX-License-Identifier: Apache-2.0
// MNIST, and what comes in files of its format: Fashion-MNIST.
#pragma once

#include <aclgrad/data.h>

#include <string>

namespace mnist {

inline constexpr std::int64_t kSide = 28;
inline constexpr std::int64_t kPixels = kSide * kSide;
inline constexpr std::int64_t kClasses = 10;

// The four IDX files of a folder, under their usual names: train-images-idx3-ubyte,
// train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte; or "mnist" or
// "fashion" for where ./dev puts them. Features [n, 784] scaled to [0, 1], labels [n] as int64.
// Throws aclgrad::IoError, naming the file, for one that is missing, damaged, of another shape, or
// holds a label above 9, and then how to get them.
aclgrad::data::Split load(
    const std::string& data,
    const std::string& advice =
        "`./dev convolution` fetches MNIST, `./dev mobilenet` Fashion-MNIST.");

// load() as images [n, 1, 28, 28], moved to mean 0 and standard deviation 1 by what all pixels to
// train on have.
aclgrad::data::Split load_images(const std::string& data);

// For data::BatchOptions: pictures of clothes moved by up to a pixel, and mirrored, at random.
aclgrad::data::Dataset shift_and_flip(aclgrad::data::Dataset batch, const aclgrad::Random& random);

}  // namespace mnist
