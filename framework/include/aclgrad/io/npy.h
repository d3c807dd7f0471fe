// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy: one in a .npy file, several by name in a .npz archive.
//
//   const Tensor images = read_npy("images.npy");                 // np.save("images.npy", images)
//   const NamedTensors data = read_npz("data.npz");               // np.savez("data.npz", x=x, y=y)
//   train(data["x"], data["y"]);
//
// The dtypes are float16, float32, float64, int8, int16, int32, int64, uint8 and bool, little
// endian, in C or Fortran order. Of dtypes that there are not here, uint16 becomes int32, uint32
// and uint64 become int64, which must hold the numbers. Reading executes nothing: arrays of Python
// objects are refused, and so are texts, times, complex numbers and records.
#pragma once

#include <filesystem>

#include "aclgrad/io/safetensors.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

/// Throws IoError, which names the file and what is wrong, for one that is damaged, shorter or
/// longer than its header says, of a dtype that there is not here, or of another kind.
Tensor read_npy(const std::filesystem::path& path);

/// All arrays of an archive of np.savez() or np.savez_compressed(), without ".npy", in its order.
/// What cannot be read beside them, texts or objects or a file that is no array, is in
/// NamedTensors::refused: asking for it throws IoError that says why. Throws IoError where nothing
/// can be read, and for an archive that is damaged: a checksum that does not agree, arrays that
/// overlap, or that are said to become more than 1,032 times as large as they are packed, more than
/// which no array can.
NamedTensors read_npz(const std::filesystem::path& path);

/// Writes as write_file_atomically() does. Throws DTypeError for bfloat16, which NumPy has not,
/// IoError when writing fails.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

struct NpzOptions {
  bool compressed = false;  ///< As np.savez_compressed() does.
};

/// Throws ValueError, too, for a name that is empty or given twice, and for more than 65,534
/// tensors, and ShapeError for more than 4 GiB together.
void write_npz(const std::filesystem::path& path, const NamedTensors& tensors,
               const NpzOptions& options = {});

}  // namespace aclgrad
