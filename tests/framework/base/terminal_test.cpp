// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "aclgrad/report.h"
#include "temporary_folder.h"

namespace aclgrad::report {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TEST(TableTest, AlignsTextLeftAndNumbersRight) {
  Table table({"operator", "ns", "share", "note"});
  table.add_row({"geglu", "1234", "9.5%", "a"});
  table.add_row({"élu", "-5", "-", ""});
  EXPECT_EQ(table.to_string(),
            "operator    ns  share  note\n"
            "--------  ----  -----  ----\n"
            "geglu     1234   9.5%  a\n"
            "élu         -5      -\n");
  EXPECT_THAT([&] { table.add_row({"x"}); },
              ThrowsMessage<ValueError>("a row of 1 cells in a table of 4 columns"));
  EXPECT_EQ(Table({"a", "bc"}).to_string(), "a  bc\n-  --\n");
}

TEST(TableTest, NamesThatAreNoTextBreakNoLine) {
  Table table({"a\nb"});
  table.add_row({"\x1b[2J\xFF"});
  table.add_row({"x\u202Ey\u2028z"});
  EXPECT_EQ(table.to_string(), "a b\n-----\n [2J\uFFFD\nx\uFFFDy z\n");
  EXPECT_EQ(progress_line({"t\xC3", 1, 1, 0, "\u2066n"}, {.bar = false}),
            "t\uFFFD 100% 1/1 in 0:00 \uFFFDn");
}

TEST(ProgressLineTest, SaysHowFarAndHowLong) {
  const ProgressStyle plain;
  EXPECT_EQ(progress_line({"train", 5, 10, 7, "loss 0.5"}, plain),
            "train [############------------]  50% 5/10 ETA 0:07 loss 0.5");
  EXPECT_EQ(progress_line({"", 0, 10, 0, ""}, plain),
            "[------------------------]   0% 0/10 ETA --:--");
  EXPECT_EQ(progress_line({"", 10, 10, 3725, ""}, plain),
            "[########################] 100% 10/10 in 1:02:05");
  EXPECT_EQ(progress_line({"", 0, 0, 1, ""}, {.bar = false}), "100% 0/0 in 0:01");
  EXPECT_EQ(progress_line({"", 999, 1000, 999, ""}, {.bar = false}), " 99% 999/1000 ETA 0:01");
  EXPECT_EQ(progress_line({"", 1, 1000000, 1e6, ""}, {.bar = false}), "  0% 1/1000000 ETA --:--");
}

TEST(ProgressLineTest, FitsTheTerminal) {
  const Progress progress{"train", 5, 10, 7, "loss 0.5"};
  EXPECT_EQ(progress_line(progress, {.columns = 59}), "train  50% 5/10 ETA 0:07 loss 0.5");
  EXPECT_EQ(progress_line(progress, {.columns = 12}), "train  50% 5");
  EXPECT_EQ(progress_line({"a\nb", 1, 1, 0, "\x1b[2J"}, {.bar = false}),
            "a b 100% 1/1 in 0:00  [2J");
}

TEST(ProgressLineTest, UnicodeAndColour) {
  const std::string line = progress_line({"t", 1, 2, 1, ""}, {.unicode = true, .colour = true});
  EXPECT_THAT(line, StartsWith("t \x1b[36m━━━━━━━━━━━━╌"));
  EXPECT_THAT(line, EndsWith("╌\x1b[0m  50% 1/2 ETA 0:01"));
  EXPECT_THAT(progress_line({"", 2, 2, 1, ""}, {.colour = true}), HasSubstr("\x1b[32m"));
}

/// Sets an environment variable and puts back what was there.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;
  ~ScopedEnvironment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// What a loop of four steps writes to a file.
std::string written(ProgressMode mode, double line_interval_s = 0) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "out";
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  {
    ProgressBar bar(
        4,
        {.title = "t", .mode = mode, .descriptor = descriptor, .line_interval_s = line_interval_s});
    for (int step = 1; step <= 4; ++step) bar.update(step, "step " + std::to_string(step));
    bar.finish();
    bar.update(2, "too late");
  }
  ::close(descriptor);
  return read_file(path);
}

TEST(ProgressBarTest, LinesInFilesWithoutControlCharacters) {
  const ScopedEnvironment terminal("TERM", "xterm");
  const std::string all = written(ProgressMode::automatic, 0);
  EXPECT_EQ(std::ranges::count(all, '\n'), 4);
  EXPECT_THAT(all, AllOf(StartsWith("t  25% 1/4 ETA 0:00 step 1\n"),
                         EndsWith("t 100% 4/4 in 0:00 step 4\n"), Not(HasSubstr("\x1b")),
                         Not(HasSubstr("\r"))));
}

TEST(ProgressBarTest, LinesKeepTheirDistanceButTheEndsCome) {
  EXPECT_EQ(written(ProgressMode::lines, 1000),
            "t  25% 1/4 ETA 0:00 step 1\nt 100% 4/4 in 0:00 step 4\n");
}

TEST(ProgressBarTest, RedrawsOneLine) {
  const ScopedEnvironment no_colour("NO_COLOR", nullptr);
  const std::string text = written(ProgressMode::redraw);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_THAT(text, AllOf(StartsWith("\rt \x1b[36m"), HasSubstr("25% 1/4"), HasSubstr("\x1b[32m"),
                          EndsWith("100% 4/4 in 0:00 step 4\x1b[K\n")));
}

TEST(ProgressBarTest, DrawsAUnicodeBarWhereverTheLocaleIsUtf8) {
  const ScopedEnvironment all("LC_ALL", nullptr), type("LC_CTYPE", nullptr);
  for (const char* locale : {"C.UTF-8", "C.utf8", "C.utf-8", "de_DE.Utf8@euro", "UTF-8"}) {
    const ScopedEnvironment language("LANG", locale);
    EXPECT_THAT(written(ProgressMode::redraw), HasSubstr("━")) << locale;
  }
  for (const char* locale : {"C", "POSIX", "de_DE.ISO-8859-1", "de_DE@utf8", "C.utf16"}) {
    const ScopedEnvironment language("LANG", locale);
    EXPECT_THAT(written(ProgressMode::redraw), HasSubstr("[##")) << locale;
  }
}

TEST(ProgressBarTest, NoColorAndOff) {
  const ScopedEnvironment no_colour("NO_COLOR", "1");
  EXPECT_THAT(written(ProgressMode::redraw),
              AllOf(Not(HasSubstr("\x1b[36m")), Not(HasSubstr("\x1b[32m")), HasSubstr("\r")));
  EXPECT_EQ(written(ProgressMode::off), "");
  EXPECT_THROW(ProgressBar(-1), ValueError);
}

/// What the bar does by itself on a terminal of this kind.
std::string drawn_on_terminal(const char* kind) {
  const ScopedEnvironment terminal("TERM", kind);
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (controller < 0 || ::grantpt(controller) != 0 || ::unlockpt(controller) != 0) return "no pty";
  const int user = ::open(::ptsname(controller), O_RDWR | O_NOCTTY | O_CLOEXEC);
  {
    ProgressBar bar(2, {.descriptor = user});
    bar.update(2);
  }
  std::string text(4096, '\0');
  const ssize_t size = ::read(controller, text.data(), text.size());
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  ::close(user);
  ::close(controller);
  return text;
}

TEST(ProgressBarTest, AutomaticModeDependsOnTheTerminal) {
  const std::string capable = drawn_on_terminal("xterm");
  if (capable == "no pty") GTEST_SKIP() << "this machine offers no pseudo terminals";
  EXPECT_THAT(capable, AllOf(StartsWith("\r"), HasSubstr("\x1b[K"), HasSubstr("100% 2/2")));
  EXPECT_EQ(drawn_on_terminal("dumb"), "100% 2/2 in 0:00\r\n");
  EXPECT_EQ(drawn_on_terminal(nullptr), "100% 2/2 in 0:00\r\n");
}

TEST(ProgressLine, OfARunThatWentOnCountsTheTimeOfWhatIsNew) {
  const Progress progress{.done = 60, .total = 100, .elapsed_s = 10, .before = 50};
  EXPECT_THAT(progress_line(progress), ::testing::HasSubstr(" 60% 60/100 ETA 0:40"));
  const Progress begun{.done = 50, .total = 100, .elapsed_s = 1, .before = 50};
  EXPECT_THAT(progress_line(begun), ::testing::HasSubstr("ETA --:--"));
}

}  // namespace
}  // namespace aclgrad::report
