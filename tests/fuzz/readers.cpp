// SPDX-License-Identifier: Apache-2.0
// Files of any content: they are read, or there is one clear error.
#include "aclgrad/data.h"
#include "aclgrad/data/images.h"
#include "aclgrad/data/table.h"
#include "aclgrad/error.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/io/npy.h"
#include "aclgrad/io/pth.h"
#include "aclgrad/io/safetensors.h"
#include "aclgrad/run_report.h"
#include "data/csv_rows.h"
#include "io/zip.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_file.h"
#include "tests/support/png_chunk.h"

namespace aclgrad::fuzz {
namespace {

// Every byte of it is there.
void touch(const Tensor& tensor) {
  unsigned sum = 0;
  for (size_t i = 0; i < tensor.nbytes(); ++i) sum += std::to_integer<unsigned>(tensor.bytes()[i]);
  volatile unsigned kept = sum;
  (void)kept;
}

template <class Read>
void read(Read read_file) {
  try {
    read_file();
  } catch (const Error& error) {
    require(*error.what() != '\0', "an error says what is wrong");
  }
}

}  // namespace

void fuzz_safetensors(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] {
    for (const auto& [name, tensor] : load_safetensors(file.path()).tensors) touch(tensor);
  });
}

void fuzz_checkpoint(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] { load_checkpoint(file.path()); });
}

void fuzz_csv(const uint8_t* bytes, size_t size) {
  if (size == 0) return;
  const MemoryFile file(bytes + 1, size - 1);
  constexpr DType kDtypes[] = {DType::float32, DType::float64, DType::int32, DType::int64,
                               DType::uint8};
  data::CsvOptions options;
  options.header = (bytes[0] & 1) != 0;
  options.delimiter = (bytes[0] & 2) != 0 ? ';' : ',';
  options.dtype = kDtypes[(bytes[0] >> 2) % std::size(kDtypes)];
  read([&] { touch(data::read_csv(file.path(), options)); });
}

void fuzz_run_page(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] {
    const std::vector<RunRecord> runs(2, read_run(file.path()));
    require(!compare_runs("both", runs).empty(), "a page that compares what was read");
  });
}

void fuzz_idx(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] { touch(data::read_idx(file.path())); });
}

void fuzz_npy(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] { touch(read_npy(file.path())); });
}

void fuzz_npz(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] {
    const NamedTensors tensors = read_npz(file.path());
    for (const auto& [name, tensor] : tensors) touch(tensor);
    for (const auto& [name, why] : tensors.refused) require(!why.empty(), "a refusal says why");
  });
}

void fuzz_pth(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] {
    for (const auto& [name, tensor] : read_pth(file.path())) touch(tensor);
  });
}

// In an archive whose checksums agree, with one storage of 64 bytes.
void fuzz_pickle(const uint8_t* bytes, size_t size) {
  detail::ZipWriter archive;
  archive.add("a/data.pkl", {reinterpret_cast<const char*>(bytes), size}, /*deflated=*/false);
  archive.add("a/data/0", std::string(64, '\1'), /*deflated=*/false);
  const std::string whole = std::move(archive).finish();
  fuzz_pth(reinterpret_cast<const uint8_t*>(whole.data()), whole.size());
}

void fuzz_png(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  read([&] { touch(data::read_png(file.path())); });
}

// A header, how long palette and opacities are, these, and rows: packed, and with right checksums.
void fuzz_pixels(const uint8_t* bytes, size_t size) {
  constexpr size_t kHeader = 13;
  if (size < kHeader + 2) return;
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  const auto take = [&](size_t count) {
    const std::string part(rest.substr(0, count));
    rest.remove_prefix(part.size());
    return part;
  };
  std::string png(kPngSignature);
  png += png_chunk("IHDR", take(kHeader));
  const std::string sizes = take(2);
  png += png_chunk("PLTE", take(static_cast<uint8_t>(sizes[0])));
  if (sizes[1] != 0) png += png_chunk("tRNS", take(static_cast<uint8_t>(sizes[1])));
  png += png_chunk("IDAT", zlib_packed(rest)) + png_chunk("IEND", "");
  fuzz_png(reinterpret_cast<const uint8_t*>(png.data()), png.size());
}

// What was read is written and read again, the same, with every delimiter.
void fuzz_table(const uint8_t* bytes, size_t size) {
  const MemoryFile file(bytes, size);
  for (const char delimiter : {',', ';', '\t', ' ', '#'}) {
    read([&] {
      const data::Table table = data::read_table(file.path(), delimiter);
      for (const std::string& name : table.names) {
        read([&] { touch(table.numbers(name, {.missing = 0})); });
      }
      const MemoryFile copy(data::csv_text(table, delimiter));
      const data::Table again = data::read_table(copy.path(), delimiter);
      require(again.names == table.names && again.columns == table.columns,
              "a table that was written is read again");
    });
  }
}

}  // namespace aclgrad::fuzz
