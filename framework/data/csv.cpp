// SPDX-License-Identifier: Apache-2.0
// Tables of numbers alone, to which the columns have no names.
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "data/csv_rows.h"
#include "data/number_field.h"

namespace aclgrad::data {
namespace {

constexpr std::size_t kLongestRow = std::size_t{16} << 20;

// bool is stored as a byte because std::vector<bool> has no contiguous elements.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
Tensor read_numbers(const std::filesystem::path& path, const CsvOptions& options) {
  const std::string content = read_file(path);
  CsvRows table(content, options.delimiter, path, "a table of numbers");
  // np.savetxt() writes its header as comments.
  if (!table.skip_comments() && options.header) table.next();
  std::vector<Stored<T>> values;
  std::int64_t rows = 0;
  std::size_t columns = 0;
  for (; table.next(); ++rows) {
    if (table.row_size() > kLongestRow) {
      table.fail(fmt::format("a line of {} bytes is too long for a table", table.row_size()));
    }
    if (rows == 0) columns = table.fields().size();
    for (std::size_t i = 0; i < table.fields().size(); ++i) {
      const std::string_view field = table.fields()[i];
      const std::optional<T> value = number_of_field<T>(field, options.missing);
      if (!value) {
        table.fail(
            fmt::format("column {}: {}", i + 1, no_number(field, options.dtype, options.missing)) +
            (rows == 0 && !options.header ? "; where the first line has names, say .header = true"
                                          : ""));
      }
      values.push_back(static_cast<Stored<T>>(*value));
    }
    if (table.fields().size() != columns) {
      table.fail(
          fmt::format("{} columns where the first row has {}", table.fields().size(), columns));
    }
  }
  if (rows == 0) throw IoError(path.string() + ": there are no rows of numbers");
  Tensor numbers = Tensor::zeros({rows, static_cast<std::int64_t>(columns)}, options.dtype);
  std::memcpy(numbers.bytes(), values.data(), numbers.nbytes());
  return numbers;
}

}  // namespace

Tensor read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  constexpr std::string_view kOfNumbers = "+-.()_\"\r\n";
  const char delimiter = options.delimiter;
  if (kOfNumbers.find(delimiter) != std::string_view::npos || delimiter == 0 ||
      (delimiter >= '0' && delimiter <= '9') ||
      ((delimiter | 32) >= 'a' && (delimiter | 32) <= 'z')) {
    throw ValueError(fmt::format(
        "a delimiter of columns may not be a part of a number or a line, as {:?} is", delimiter));
  }
  return aclgrad::detail::visit_dtype(options.dtype, [&](auto tag) {
    return read_numbers<typename decltype(tag)::type>(path, options);
  });
}

}  // namespace aclgrad::data
