// SPDX-License-Identifier: Apache-2.0
// Showing results: pictures as self-contained SVG text. Progress and tables of text are in
// terminal.h. A picture is a plain struct to fill in (members carry a default, so any of them may
// be left out); svg() draws it, write_file_atomically (aclgrad/io/file.h) stores it. All texts may
// hold any characters. Colours are SVG colours such as "#0072B2" or "tomato"; an empty colour takes
// the next one of a palette that colour-blind people can tell apart.
//
//   report::LineChart chart{.title = "Training", .x_label = "epoch", .y_label = "loss"};
//   chart.series.push_back({.name = "train", .x = epochs, .y = losses});
//   write_file_atomically("training.svg", chart.svg());
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/tensor.h"
#include "aclgrad/terminal.h"

namespace aclgrad::report {

struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  bool log_y = false;  ///< decades; values that are not positive are left out
  double width = 720;  ///< this and the next above 0, up to 20,000
  double height = 440;

  /// Of a series with thousands of points it draws the lowest and the highest of those that lie
  /// beside each other. Throws ValueError for a size outside its range.
  std::string svg() const;
};

/// A table of numbers in colours; with more than 40 rows or columns the colours alone, with more
/// than 128 a cell for several of them, as is then said at the top: the sum of counts, the mean of
/// other values. Throws ShapeError when labels or values do not fit.
struct Heatmap {
  std::string title = {};
  std::string row_title = {};
  std::string column_title = {};
  std::vector<std::string> row_labels = {};
  std::vector<std::string> column_labels = {};
  Tensor values = {};      ///< [rows, columns]
  bool confusion = false;  ///< counts: diagonal framed and blue, everything beside it orange

  std::string svg() const;
};

/// data::confusion_matrix(), whose arguments stand in another order: counts[i][j] says how many
/// examples of class i were taken for class j.
Tensor confusion_matrix(const Tensor& actual, const Tensor& predicted, std::int64_t classes);

/// confusion_matrix() as a picture: classes by their numbers, and how many in a hundred were right.
Heatmap confusion(const Tensor& actual, const Tensor& predicted, std::int64_t classes);

/// One image of an ImageGrid.
struct GridImage {
  Tensor pixels = {};  ///< [height, width]
  std::string caption = {};
  std::string colour = {};  ///< of the caption; dark grey when empty
};

/// Small grey images with captions. Throws ShapeError for images that are not rank 2.
struct ImageGrid {
  std::string title = {};
  std::vector<GridImage> images = {};
  int columns = 8;
  double light = 0;  ///< the value drawn white
  double dark = 1;   ///< the value drawn black; smaller than `light` for light ink on dark ground

  std::string svg() const;
};

/// The images [n, ..., height, width], or [n, pixels] where they are square, that were taken for
/// another class than theirs, `most` of them at most, with both classes. Throws ShapeError for
/// tensors that do not fit together.
ImageGrid mistakes(const Tensor& images, const Tensor& actual, const Tensor& predicted,
                   std::size_t most = 60);

/// A function of two variables as a coloured plane, with clouds of points on it.
struct DecisionMap {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::array<double, 2> x_range = {-1, 1};
  std::array<double, 2> y_range = {-1, 1};
  Tensor field = {};  ///< [rows, columns] at the centres of equal cells, row 0 at the lowest y; may
                      ///< be empty
  std::array<double, 2> field_range = {0, 1};  ///< values drawn in the first and second colour
  std::array<std::string, 2> field_colours = {"#0072B2", "#D55E00"};  ///< in hexadecimal
  std::vector<Series> points = {};  ///< an empty colour takes the field's colours in turn

  std::string svg() const;
};

}  // namespace aclgrad::report
