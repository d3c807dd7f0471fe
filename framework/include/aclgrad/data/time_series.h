// SPDX-License-Identifier: Apache-2.0
// Series of measurements: dates as numbers, gaps filled, windows to learn a forecast from. How they
// fit together: docs/how-to/time-series.md.
//
//   const data::Table table = data::read_table("load.csv");
//   const Tensor times = data::times_of(table.text("time"));
//   const Tensor load = data::fill_gaps(table.numbers({"load"}, {.missing = NAN}),
//                                       {.times = times});
//   const data::Dataset days = data::windows(load, {.length = 24});
//   const data::Split parts = data::split_in_order(days, 0.8);
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/data.h"

namespace aclgrad::data {

/// Seconds since 1970 began in UTC, of a date or a time as ISO 8601 writes it: "2024-03-01",
/// "2024-03-01 12:30", "2024-03-01T12:30:05.25Z", "2024-03-01T12:30:05+02:00". Without a zone it is
/// UTC. Nothing for any other text, and for a day or an hour that there is not.
std::optional<double> time_from_text(std::string_view text);

/// The other way, to the nearest millisecond: "2024-03-01T12:30:05.25", without what is 0 at the
/// end: "2024-03-01". Throws ValueError for a number that is no time of the years 0 to 9999.
std::string text_of_time(double seconds);

/// float64 [n]. Throws ValueError, with row (counted from 1, as Table::numbers() does) and text,
/// for one that is no time.
Tensor times_of(const std::vector<std::string>& texts);

/// How fill_gaps() fills a gap.
enum class Fill {
  linear,  ///< on a line from the number before to the one behind; at the ends the nearest number
  forward  ///< with the number before; a gap at the beginning stays
};

struct FillOptions {
  Fill how = Fill::linear;

  /// When each row was measured, [n], increasing; else they are equally far from each other.
  Tensor times = {};

  /// A gap of more rows stays as it is.
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();
};

/// A series [n], or [n, columns] of several, with a number in the place of every NaN, in its
/// floating dtype. A column of nothing but NaN stays as it is. Throws ShapeError, DTypeError for
/// integers, which have no NaN, and ValueError for times that do not increase or options out of
/// their ranges.
Tensor fill_gaps(const Tensor& series, const FillOptions& options = {});

struct WindowOptions {
  std::int64_t length;     ///< rows of a window, at least 1
  std::int64_t ahead = 1;  ///< rows behind it, which are its labels; 0: there are no labels
  std::int64_t every = 1;  ///< rows from the beginning of a window to that of the next
  std::vector<std::int64_t> targets = {};  ///< columns that labels have; empty: all

  /// Leaves out windows with a NaN in them or in their labels, which else throw.
  bool skip_gaps = false;
};

/// All windows over a series in the order of time: features [m, length, columns], labels [m, ahead,
/// targets] of a series [n, columns]; [m, length] and [m, ahead] of one [n]. Throws ShapeError for
/// another rank and for a series that is shorter than one window and what is ahead; ValueError for
/// options out of their ranges, and with row and column for a NaN.
Dataset windows(const Tensor& series, const WindowOptions& options);

/// Cuts without shuffling: the first round(train_fraction * n) examples to train, the rest to test,
/// or parts of several fractions. Neighbouring windows share rows: where a test must see none that
/// trained, cut the series, and make windows of its parts. Throws as split().
Split split_in_order(const Dataset& dataset, double train_fraction);
std::vector<Dataset> split_in_order(const Dataset& dataset, const std::vector<double>& fractions);

}  // namespace aclgrad::data
