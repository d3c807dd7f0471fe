// SPDX-License-Identifier: Apache-2.0
#include "io/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace aclgrad::detail {
namespace {

using namespace std::string_view_literals;

// What helps.
enum class Cure { unpack, convert_arrays, convert_table, other };

struct Kind {
  std::string_view beginning;
  std::string_view what;
  Cure cure;
  std::string_view remedy = {};  // for others
};

constexpr std::string_view kPyTorch = "a file of PyTorch (torch.save)";
constexpr std::string_view kReadPth = "read_pth() reads its tensors";

constexpr Kind kKinds[] = {
    {"\x1F\x8B"sv, "compressed with gzip", Cure::unpack},
    {"BZh"sv, "compressed with bzip2", Cure::unpack},
    {"\xFD"
     "7zXZ\0"sv,
     "compressed with xz", Cure::unpack},
    {"\x28\xB5\x2F\xFD"sv, "compressed with zstd", Cure::unpack},
    {"\x93NUMPY"sv, "an array of NumPy (.npy)", Cure::other, "read_npy() reads it"},
    {"\x89HDF\r\n"sv, "an HDF5 file, as Keras writes them", Cure::convert_arrays},
    {"GGUF"sv, "a GGUF file", Cure::convert_arrays},
    {"\x80\x02\x8A\nl\xFC\x9C"sv, kPyTorch, Cure::other,
     "torch.load() it and torch.save() it again, as PyTorch does since 1.6"},
    {"\x80\x02"sv, "a pickle of Python", Cure::convert_arrays},
    {"\x80\x03"sv, "a pickle of Python", Cure::convert_arrays},
    {"\x80\x04"sv, "a pickle of Python", Cure::convert_arrays},
    {"\x80\x05"sv, "a pickle of Python", Cure::convert_arrays},
    {"PAR1"sv, "a Parquet file", Cure::convert_table},
    {"ARROW1"sv, "an Arrow file", Cure::convert_table},
    {"\xD0\xCF\x11\xE0"sv, "a spreadsheet or another document of an office program",
     Cure::convert_table},
    {"\xFF\xFE"sv, "text in UTF-16", Cure::other, "save it as UTF-8"},
    {"\xFE\xFF"sv, "text in UTF-16", Cure::other, "save it as UTF-8"},
    {"\x89PNG"sv, "a PNG picture", Cure::other, "data::read_png() reads it"},
    {"\xFF\xD8\xFF"sv, "a JPEG picture", Cure::other,
     "convert it to PNG, which data::read_png() reads"},
    {"version https://git-lfs"sv, "only the pointer to a file in Git's large file storage",
     Cure::other, "`git lfs pull` fetches the file itself"},
    {"<!DOCTYPE"sv, "a page of the web", Cure::other, "download the file itself"},
    {"<!doctype"sv, "a page of the web", Cure::other, "download the file itself"},
    {"<html"sv, "a page of the web", Cure::other, "download the file itself"},
};

std::string remedy_of(const Kind& kind, Expected expected) {
  const bool table = expected == Expected::table;
  if (kind.cure == Cure::unpack) return "unpack it first";
  if (kind.cure == Cure::other) return std::string(kind.remedy);
  if (kind.cure == Cure::convert_table || table) {
    return table ? "save its table as CSV, in Python with to_csv() of pandas or savetxt() of NumPy"
                 : "save its table as CSV, which data::read_csv() reads";
  }
  return "save its arrays with save_file() of Python's safetensors, which load_safetensors() reads";
}

// A ZIP archive begins with the name of its first file.
Kind kind_of_archive(std::string_view beginning) {
  constexpr std::size_t kNameSize = 26, kName = 30;
  if (beginning.find("/data.pkl") != std::string_view::npos) {
    return {"", kPyTorch, Cure::other, kReadPth};
  }
  std::string_view name;
  if (beginning.size() > kName) {
    name = beginning.substr(kName, static_cast<std::uint8_t>(beginning[kNameSize]));
  }
  if (name.ends_with(".npy")) {
    return {"", "an archive of NumPy (.npz)", Cure::other, "read_npz() reads it"};
  }
  if (name == "[Content_Types].xml" || name.starts_with("xl/")) {
    return {"", "a spreadsheet (.xlsx)", Cure::convert_table};
  }
  return {"", "a ZIP archive", Cure::unpack};
}

Kind kind_of(std::string_view beginning, Expected expected) {
  if (beginning.starts_with("PK\x03\x04")) return kind_of_archive(beginning);
  const auto found = std::ranges::find_if(
      kKinds, [&](const Kind& kind) { return beginning.starts_with(kind.beginning); });
  if (found != std::end(kKinds)) return *found;
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && beginning[first] == '{') {
    if (beginning.find("\"weight_map\"") != std::string_view::npos) {
      return {"", "the index of a model in several files", Cure::other,
              "load_safetensors() reads the files that it names"};
    }
    return {"", "JSON text", Cure::convert_table};
  }
  // The length of a header, of at most 100 MB, then the header.
  if (expected != Expected::tensors && beginning.size() > 9 &&
      beginning.substr(4).starts_with("\0\0\0\0{"sv)) {
    return {"", "a safetensors file", Cure::other, "load_safetensors() reads it"};
  }
  if (expected != Expected::idx && beginning.size() > 4 && beginning.starts_with("\0\0"sv) &&
      beginning[2] >= 8 && beginning[2] <= 14 && beginning[3] > 0 && beginning[3] < 9) {
    return {"", "an IDX file, as those of MNIST", Cure::other, "data::read_idx() reads it"};
  }
  return {};
}

}  // namespace

std::string other_kind(std::string_view beginning, Expected expected) {
  const Kind kind = kind_of(beginning, expected);
  if (kind.what.empty()) return {};
  return fmt::format("it is {}: {}", kind.what, remedy_of(kind, expected));
}

}  // namespace aclgrad::detail
