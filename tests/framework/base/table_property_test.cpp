// SPDX-License-Identifier: Apache-2.0
// Random tables of whatever text, written by write_csv() and as others write them, are read as they
// were; and both readers find the same numbers.
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/data/table.h"
#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/random.h"
#include "data/csv_rows.h"
#include "tests/framework/base/temporary_folder.h"

namespace aclgrad::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

const std::string kPieces[] = {"a",    "b c", " ",    "\t",  "\"",   "\"\"", "\r",           "\n",
                               "\r\n", ",",   ";",    "|",   "#",    "'",    "\xEF\xBB\xBF", "{",
                               "\\",   "1",   "-2.5", "\0"s, "\xFF", "ü",    "PAR1",         ":"};
constexpr char kDelimiters[] = {',', ';', '\t', ' ', '|', '#', ':', '\\'};
const std::string kLineEnds[] = {"\n", "\r\n", "\r"};

class TablesOfAnyText : public testing::Test {
 protected:
  std::size_t below(std::size_t bound) { return random_.below(bound); }

  std::string text() {
    std::string made;
    for (std::size_t i = below(5); i > 0; --i) made += kPieces[below(std::size(kPieces))];
    return made;
  }

  Table table() {
    const std::size_t columns = 1 + below(4), rows = below(5);
    Table made;
    for (std::size_t c = 0; c < columns; ++c) {
      // Names of their own, but for empty ones.
      made.names.push_back(below(8) == 0 ? "" : text() + std::to_string(c));
      made.columns.emplace_back();
      for (std::size_t r = 0; r < rows; ++r) made.columns.back().push_back(text());
    }
    return made;
  }

  // As another program might: quotes where they must be and elsewhere, blanks around what is in
  // quotes, and any ends of lines, one kind or several.
  std::string foreign(const Table& table, char delimiter) {
    const bool mixed = below(2) == 0;
    const std::string one_end = kLineEnds[below(3)];
    const std::string blank = delimiter == ' ' ? "\t" : " ";
    std::string made = below(3) == 0 ? "\xEF\xBB\xBF" : "";
    const auto add = [&](const std::string& field, bool is_last) {
      const bool plain = field.find_first_of(" \t\"\r\n\xEF"s + delimiter) == std::string::npos &&
                         (table.names.size() > 1 || !field.empty());
      if (plain && below(2) == 0 && !made.empty()) {
        made += blank + field + (is_last ? "" : blank);
      } else {
        made += below(2) == 0 ? blank : "";
        made += '"';
        for (const char c : field) made += c == '"' ? "\"\"" : std::string(1, c);
        made += '"';
        made += below(2) == 0 ? blank : "";
      }
      made += is_last ? mixed ? kLineEnds[below(3)] : one_end : std::string(1, delimiter);
      // CR and LF are one end where they meet.
      if (made.ends_with("\r") && mixed) made += "\n";
    };
    for (std::size_t r = 0; r <= table.columns[0].size(); ++r) {
      for (std::size_t c = 0; c < table.names.size(); ++c) {
        add(r == 0 ? table.names[c] : table.columns[c][r - 1], c + 1 == table.names.size());
      }
      if (table.names.size() > 1 && below(4) == 0) made += one_end;  // an empty line
    }
    if (below(2) == 0) made.resize(made.find_last_not_of("\r\n") + 1);
    return made;
  }

  RandomSequence random_{7};
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "table.csv";
};

TEST_F(TablesOfAnyText, AreReadAsTheyWereWritten) {
  for (int i = 0; i < 4000; ++i) {
    const char delimiter = kDelimiters[below(std::size(kDelimiters))];
    const Table made = table();
    const std::string content = csv_text(made, delimiter);
    folder_.file("table.csv", content);
    const Table again = read_table(path_, delimiter);
    ASSERT_EQ(again.names, made.names) << i << "\n" << content;
    ASSERT_EQ(again.columns, made.columns) << i << "\n" << content;
  }
}

TEST_F(TablesOfAnyText, KeepNumbersWhateverStandsBetweenThem) {
  const Tensor numbers = Tensor::from({2, 3}, {-1.5, 1e-7, 1.0 / 3, INFINITY, 0, 65504});
  for (const char delimiter : {',', ' ', '\t', '.', '-', 'e', 'n', '1', '5', '#'}) {
    write_csv(path_, numbers, {"a", "b", "c"}, delimiter);
    EXPECT_TRUE(bitwise_equal(read_table(path_, delimiter).numbers({"a", "b", "c"}), numbers))
        << delimiter;
  }
}

TEST_F(TablesOfAnyText, AreReadAsOthersWriteThem) {
  for (int i = 0; i < 4000; ++i) {
    const char delimiter = kDelimiters[below(std::size(kDelimiters))];
    const Table made = table();
    const std::string content = foreign(made, delimiter);
    folder_.file("table.csv", content);
    const Table again = read_table(path_, delimiter);
    ASSERT_EQ(again.names, made.names) << i << "\n" << content;
    ASSERT_EQ(again.columns, made.columns) << i << "\n" << content;
  }
}

// Whatever a file holds, either both refuse it or both find the same bits.
TEST_F(TablesOfAnyText, HaveTheSameNumbersForBothReaders) {
  const std::string numbers[] = {"1",      "-0",   "+7",      "2.5",  "1e400", "9007199254740993",
                                 "nan",    "-inf", "0x1p3",   "300",  "",      " 4 ",
                                 "\" 5\"", "x",    "\"\n6\"", "True", "FALSE", "1e39",
                                 "65520",  "3.0",  "-1"};
  const DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                          DType::int64,   DType::int32,   DType::uint8,   DType::boolean};
  int read_both = 0;
  for (int i = 0; i < 4000; ++i) {
    const char delimiter = kDelimiters[below(5)];
    const std::string end = kLineEnds[below(3)];
    const std::size_t columns = 1 + below(3), rows = 1 + below(3);
    std::string content, names;
    for (std::size_t r = 0; r <= rows; ++r) {
      while (below(4) == 0) content += end;  // an empty line
      for (std::size_t c = 0; c < columns; ++c) {
        std::string field = r == 0 ? "c" + std::to_string(c) : numbers[below(std::size(numbers))];
        if (delimiter == ' ' && field == " 4 ") field = "4";
        content += field + (c + 1 == columns ? end : std::string(1, delimiter));
      }
    }
    folder_.file("table.csv", content);
    NumberOptions options{.dtype = dtypes[below(std::size(dtypes))]};
    if (below(2) == 0) options.missing = 1;
    const auto one = [&]() -> Tensor {
      try {
        return read_csv(path_, {.delimiter = delimiter,
                                .header = true,
                                .dtype = options.dtype,
                                .missing = options.missing});
      } catch (const IoError&) {
        return {};
      }
    }();
    const auto other = [&]() -> Tensor {
      try {
        const Table table = read_table(path_, delimiter);
        return table.rows() == 0 ? Tensor() : table.numbers(table.names, options);
      } catch (const ValueError&) {
        return {};
      }
    }();
    ASSERT_TRUE(bitwise_equal(one, other)) << i << "\n"
                                           << content << to_string(one) << to_string(other);
    read_both += one.numel() > 0;
  }
  EXPECT_GT(read_both, 500);
}

// What NumPy, pandas and spreadsheets write, by the letter.
TEST_F(TablesOfAnyText, OfNumPyPandasAndSpreadsheets) {
  const auto numbers = [&](const std::string& content, const CsvOptions& options = {}) {
    write_file_atomically(path_, content);
    return to_string(read_csv(path_, options));
  };
  // np.savetxt(path, x, header="two lines\nof header", footer="end", delimiter=" ")
  EXPECT_EQ(numbers("# two lines\n# of header\n1.000000e+00 2.000000e+00\nnan -inf\n# end\n",
                    {.delimiter = ' '}),
            "[[1, 2], [nan, -inf]]");
  // header = True does not leave out a row, too.
  EXPECT_EQ(numbers("# x,y\n1,2\n", {.header = true}), "[[1, 2]]");
  EXPECT_EQ(numbers("\n# x,y\n\n1,2\n", {.header = true}), "[[1, 2]]");
  EXPECT_EQ(numbers("\n \nx,y\n1,2\n", {.header = true}), "[[1, 2]]");
  // A name with a line within.
  EXPECT_EQ(numbers("\"size\n(in m)\",b\r\n1,2\r\n", {.header = true}), "[[1, 2]]");
  // df.to_csv(index=True): the index has no name, a NaN is empty, a bool a word.
  EXPECT_EQ(numbers(",a,b\n0,1.5,True\n1,,False\n", {.header = true, .missing = -1}),
            "[[0, 1.5, 1], [1, -1, 0]]");
  // The lines that a program makes which writes "\r\n" into a file that is open for text.
  EXPECT_EQ(numbers("1,2\r\r\n3,4\r\r\n"), "[[1, 2], [3, 4]]");
  EXPECT_EQ(numbers("1;2\r3;4\r", {.delimiter = ';'}), "[[1, 2], [3, 4]]");
  EXPECT_EQ(numbers("1\t\n\t2\n", {.delimiter = '\t', .missing = 0}), "[[1, 0], [0, 2]]");
  // A spreadsheet of one column with an empty cell, and one whose last columns have no names.
  EXPECT_EQ(numbers("1\n\n3\n\n", {.missing = 0}), "[[1], [0], [3]]");
  write_file_atomically(path_, "a,,\r\n1,,\r\n");
  EXPECT_THAT(read_table(path_).names, ElementsAre("a", "", ""));
  EXPECT_EQ(read_table(path_).numbers("a").get(0), 1);
  EXPECT_THROW(read_table(path_).text(""), ValueError);
}

TEST_F(TablesOfAnyText, AreNotWrittenWithTwoColumnsOfOneName) {
  const std::filesystem::path path = folder_.path() / "none.csv";
  EXPECT_THAT(
      [&] {
        write_csv(path, Table{{"a", "a"}, {{}, {}}});
      },
      testing::ThrowsMessage<ValueError>(HasSubstr("two columns are called \"a\"")));
  EXPECT_THROW(write_csv(path, Tensor::zeros({1, 2}), {"b", "b"}), ValueError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace aclgrad::data
