// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/data/time_series.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "io/shown.h"
#include "tensor/option.h"

namespace aclgrad::data {
namespace {

constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;

// A text, taken from the left. What is missing makes it unsound, and stays so.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : rest_(text) {}

  bool take(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char character) { sound_ = take({&character, 1}) && sound_; }

  std::int64_t digits(std::size_t count, std::int64_t most) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char digit = i < rest_.size() ? rest_[i] : '\0';
      sound_ = digit >= '0' && digit <= '9' && sound_;
      number = 10 * number + (digit - '0');
    }
    rest_.remove_prefix(std::min(count, rest_.size()));
    sound_ = number <= most && sound_;
    return number;
  }

  // Digits behind the point; a double keeps some 7 of them.
  double fraction() {
    double value = 0, place = 0.1;
    const std::size_t before = rest_.size();
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1)) {
      value += place * (rest_[0] - '0');
      place /= 10;
    }
    sound_ = rest_.size() != before && sound_;
    return value;
  }

  bool is_next_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  bool is_sound() const { return sound_; }
  bool is_over() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool sound_ = true;
};

std::int64_t columns_of(const Tensor& series, const char* who) {
  if (series.rank() == 1) return 1;
  if (series.rank() == 2) return series.shape()[1];
  throw ShapeError(
      fmt::format("{} needs a series [n] or [n, columns], got shape {}", who, series.shape()));
}

// Of the rows; without times, their numbers.
std::vector<double> times_of_rows(const Tensor& times, std::int64_t rows) {
  std::vector<double> all;
  if (times.numel() == 0 && rows != 0) {
    for (std::int64_t row = 0; row < rows; ++row) all.push_back(static_cast<double>(row));
    return all;
  }
  if (times.shape() != Shape{rows}) {
    throw ShapeError(
        fmt::format("fill_gaps: {} rows need times [{}], got shape {}", rows, rows, times.shape()));
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const double time = times.get(row);
    if (!std::isfinite(time) || (row > 0 && time <= all.back())) {
      throw ValueError(fmt::format("fill_gaps: times must increase, but row {} has {} behind {}",
                                   row, time, row > 0 ? all.back() : 0));
    }
    all.push_back(time);
  }
  return all;
}

// One column, with its rows `step` apart.
void fill_column(std::span<double> values, std::size_t step, const std::vector<double>& times,
                 const FillOptions& options) {
  const auto at = [&](std::size_t row) -> double& { return values[row * step]; };
  const std::size_t rows = times.size();
  for (std::size_t begin = 0; begin < rows; ++begin) {
    if (!std::isnan(at(begin))) continue;
    std::size_t end = begin;
    while (end < rows && std::isnan(at(end))) ++end;
    const bool has_before = begin > 0, has_behind = end < rows && options.how == Fill::linear;
    const bool stays = static_cast<std::int64_t>(end - begin) > options.longest;
    for (std::size_t row = begin; row < end && !stays; ++row) {
      if (has_before && has_behind) {
        const double share = (times[row] - times[begin - 1]) / (times[end] - times[begin - 1]);
        at(row) = (1 - share) * at(begin - 1) + share * at(end);
      } else if (has_before || has_behind) {
        at(row) = has_before ? at(begin - 1) : at(end);
      }
    }
    begin = end;
  }
}

}  // namespace

std::optional<double> time_from_text(std::string_view text) {
  using namespace std::chrono;
  TimeText rest(text);
  const auto y = static_cast<int>(rest.digits(4, 9999));
  rest.expect('-');
  const auto m = static_cast<unsigned>(rest.digits(2, 12));
  rest.expect('-');
  const auto d = static_cast<unsigned>(rest.digits(2, 31));
  std::int64_t seconds = 0;
  double fraction = 0;
  if (rest.take("T ")) {
    seconds = kHour * rest.digits(2, 23);
    rest.expect(':');
    seconds += kMinute * rest.digits(2, 59);
    if (rest.take(":")) {
      seconds += rest.digits(2, 59);
      if (rest.take(".,")) fraction = rest.fraction();
    }
    if (!rest.take("Z") && !rest.is_over()) {  // then how far the zone is ahead
      const bool ahead = rest.take("+");
      if (!ahead) rest.expect('-');
      std::int64_t zone = kHour * rest.digits(2, 23);
      if (rest.take(":") || rest.is_next_digit()) zone += kMinute * rest.digits(2, 59);
      seconds -= ahead ? zone : -zone;
    }
  }
  if (!rest.is_sound() || !rest.is_over()) return std::nullopt;
  const year_month_day date{year(y), month(m), day(d)};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return static_cast<double>(days * kDay + seconds) + fraction;
}

std::string text_of_time(double seconds) {
  using namespace std::chrono;
  constexpr double kFirst = -62'167'219'200, kEnd = 253'402'300'800;  // of years 0 and 10000
  const double rounded = std::round(seconds * 1000);
  if (!(seconds >= kFirst && rounded < kEnd * 1000)) {
    throw ValueError(
        fmt::format("{} seconds from 1970 on is no time of the years 0 to 9999", seconds));
  }
  const auto all = static_cast<std::int64_t>(rounded);
  const std::int64_t whole = all / 1000 - (all % 1000 < 0), thousandths = all - 1000 * whole;
  const std::int64_t days = whole / kDay - (whole % kDay < 0), rest = whole - days * kDay;
  const year_month_day date{sys_days(std::chrono::days(days))};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (rest == 0 && thousandths == 0) return text;
  text += fmt::format("T{:02}:{:02}", rest / kHour, rest / kMinute % 60);
  if (rest % kMinute == 0 && thousandths == 0) return text;
  text += fmt::format(":{:02}", rest % kMinute);
  if (thousandths == 0) return text;
  text += fmt::format(".{:03}", thousandths);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

Tensor times_of(const std::vector<std::string>& texts) {
  Tensor times = Tensor::zeros({std::ssize(texts)}, DType::float64);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::optional<double> time = time_from_text(texts[row]);
    if (!time) {
      throw ValueError(fmt::format("row {}: expected a time as 2024-03-01T12:30:00, found {}",
                                   row + 1, aclgrad::detail::shown(texts[row])));
    }
    times.data<double>()[row] = *time;
  }
  return times;
}

Tensor fill_gaps(const Tensor& series, const FillOptions& options) {
  const auto columns = static_cast<std::size_t>(columns_of(series, "fill_gaps"));
  if (!is_floating(series.dtype())) {
    throw DTypeError(
        fmt::format("fill_gaps: a series with gaps is floating, got {}", series.dtype()));
  }
  aclgrad::detail::require_at_least("fill_gaps", "longest", options.longest, 0);
  const std::vector<double> times = times_of_rows(options.times, series.shape()[0]);
  Tensor filled = series.to(DType::float64);
  for (std::size_t column = 0; column < columns && !times.empty(); ++column) {
    fill_column(filled.data<double>().subspan(column), columns, times, options);
  }
  return filled.to(series.dtype());
}

Dataset windows(const Tensor& series, const WindowOptions& options) {
  const std::int64_t columns = columns_of(series, "windows"), rows = series.shape()[0];
  aclgrad::detail::require_at_least("windows", "length", options.length, 1);
  aclgrad::detail::require_at_least("windows", "ahead", options.ahead, 0);
  aclgrad::detail::require_at_least("windows", "every", options.every, 1);
  if (options.length > rows || options.ahead > rows - options.length) {
    throw ShapeError(fmt::format("windows of {} rows and {} ahead are longer than a series of {}",
                                 options.length, options.ahead, rows));
  }
  std::vector<std::int64_t> targets = options.targets;
  for (std::int64_t column = 0; column < columns && options.targets.empty(); ++column) {
    targets.push_back(column);
  }
  for (const std::int64_t target : targets) {
    if (target >= 0 && target < columns) continue;
    throw ValueError(
        fmt::format("windows: there is no column {} in a series of {}", target, columns));
  }
  const Tensor table = series.reshape({rows, columns});
  // Row by row, whether it has a NaN.
  std::vector<std::int64_t> gaps_before(static_cast<std::size_t>(rows) + 1);
  for (std::int64_t row = 0; row < rows; ++row) {
    bool is_gap = false;
    for (std::int64_t column = 0; column < columns && is_floating(series.dtype()); ++column) {
      if (!std::isnan(table.get(row * columns + column))) continue;
      is_gap = true;
      if (!options.skip_gaps) {
        throw ValueError(
            fmt::format("windows: row {}, column {} is nan: fill_gaps() fills it, "
                        ".skip_gaps leaves out windows with it",
                        row, column));
      }
    }
    gaps_before[static_cast<std::size_t>(row) + 1] =
        gaps_before[static_cast<std::size_t>(row)] + is_gap;
  }
  std::vector<std::int64_t> seen, ahead;
  std::int64_t count = 0;
  for (std::int64_t begin = 0; begin <= rows - options.length - options.ahead;
       begin += options.every) {
    const std::int64_t end = begin + options.length + options.ahead;
    if (gaps_before[static_cast<std::size_t>(begin)] !=
        gaps_before[static_cast<std::size_t>(end)]) {
      continue;
    }
    ++count;
    for (std::int64_t row = begin; row < end; ++row) {
      (row < begin + options.length ? seen : ahead).push_back(row);
    }
  }
  const bool is_one = series.rank() == 1;
  Dataset made;
  made.features = take_rows(table, seen);
  made.features = made.features.reshape(is_one ? Shape{count, options.length}
                                               : Shape{count, options.length, columns});
  if (options.ahead == 0) return made;
  Tensor labels = take_rows(table, ahead);
  if (!options.targets.empty()) {
    labels = take_rows(labels.transpose(0, 1), targets).transpose(0, 1);
  }
  made.labels = labels.reshape(is_one ? Shape{count, options.ahead}
                                      : Shape{count, options.ahead, std::ssize(targets)});
  return made;
}

}  // namespace aclgrad::data
