// SPDX-License-Identifier: Apache-2.0
// MNIST, and what comes in files of its format: Fashion-MNIST.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_MNIST_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_MNIST_H_

#include <aclgrad/data.h>

#include <filesystem>
#include <string>

namespace mnist {

inline constexpr std::int64_t kSide = 28;
inline constexpr std::int64_t kPixels = kSide * kSide;
inline constexpr std::int64_t kClasses = 10;

// The four IDX files of a folder, under their usual names: train-images-idx3-ubyte,
// train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte. Features [n, 784]
// scaled to [0, 1], labels [n] as int64. Throws aclgrad::IoError, naming the file, for one that is
// missing, damaged, of another shape, or holds a label above 9, and then how to get them.
aclgrad::data::Split load(const std::filesystem::path& folder, const std::string& advice = {});

}  // namespace mnist

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_MNIST_H_
