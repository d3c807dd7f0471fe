// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/report.h"
#include "report/svg.h"

namespace aclgrad::report {
namespace {

constexpr Colour kRight = {8, 81, 156};
constexpr Colour kWrong = {217, 72, 1};
// With more rows or columns than the first a map has no numbers, with more than the second a cell
// is that of several: a picture stays one of some hundred kilobytes.
constexpr std::int64_t kMostNumbers = 40;
constexpr std::int64_t kMostCells = 128;

double longest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label, kTextSize));
  return width;
}

void check(const Heatmap& map) {
  const Shape& shape = map.values.shape();
  if (shape.rank() != 2 || static_cast<std::size_t>(shape[0]) != map.row_labels.size() ||
      static_cast<std::size_t>(shape[1]) != map.column_labels.size()) {
    throw ShapeError(fmt::format("values of shape {} do not fit {} row and {} column labels",
                                 to_string(shape), map.row_labels.size(),
                                 map.column_labels.size()));
  }
}

/// How values become colours.
struct Scale {
  double low = 0;
  double high = 1;
  bool counts = false;

  Scale(const Tensor& values, bool confusion) : counts(confusion) {
    bool first = !confusion;  // counts begin at 0 whatever the least of them is
    if (confusion) high = 0;
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      const double value = values.get(i);
      if (!std::isfinite(value)) continue;
      low = first ? value : std::min(low, value);
      high = first ? value : std::max(high, value);
      first = false;
    }
  }

  double operator()(double value) const {
    if (high <= low) return 0;
    const double part = (value - low) / (high - low);
    // The root makes a single error among hundreds of right answers visible.
    return counts ? std::sqrt(std::max(part, 0.0)) : part;
  }
};

std::string colour_of(const Heatmap& map, const Scale& scale, std::int64_t row,
                      std::int64_t column) {
  const double value = map.values.at({row, column});
  return blend(kPaper, map.confusion && row != column ? kWrong : kRight, scale(value));
}

// Cells of `size` by `size` of a map's: counts are added up, other values are means.
Heatmap merged(const Heatmap& map, std::int64_t size) {
  const auto labels_of = [&](const std::vector<std::string>& all) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(size)) {
      labels.push_back(all[i]);
    }
    return labels;
  };
  Heatmap made{.title = map.title,
               .row_title = map.row_title,
               .column_title = fmt::format("{}{}{} in a cell", map.column_title,
                                           map.column_title.empty() ? "" : ", ", size),
               .row_labels = labels_of(map.row_labels),
               .column_labels = labels_of(map.column_labels),
               .confusion = map.confusion};
  const auto rows = std::ssize(made.row_labels), columns = std::ssize(made.column_labels);
  made.values = Tensor::zeros({rows, columns}, DType::float64);
  Tensor counts = Tensor::zeros({rows, columns}, DType::float64);
  const std::int64_t width = map.values.shape()[1];
  for (std::int64_t i = 0; i < map.values.numel(); ++i) {
    const double value = map.values.get(i);
    if (std::isnan(value)) continue;
    const std::int64_t cell = i / width / size * columns + i % width / size;
    made.values.set(cell, made.values.get(cell) + value);
    counts.set(cell, counts.get(cell) + 1);
  }
  if (map.confusion) return made;
  for (std::int64_t i = 0; i < counts.numel(); ++i) {
    made.values.set(i, made.values.get(i) / counts.get(i));  // NaN where there is none
  }
  return made;
}

// Each cell with its number.
void draw_numbers(SvgCanvas& canvas, const Heatmap& map, const Scale& scale, double left,
                  double top, double cell) {
  const std::int64_t rows = map.values.shape()[0], columns = map.values.shape()[1];
  const auto x = [&](std::int64_t column) { return left + cell * static_cast<double>(column); };
  const auto y = [&](std::int64_t row) { return top + cell * static_cast<double>(row); };
  const double size = std::min(kTextSize, cell * 0.36);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const double value = map.values.get(row * columns + column);
      canvas.rectangle(x(column), y(row), cell, cell, colour_of(map, scale, row, column),
                       kGridColour);
      const bool nothing = map.confusion && value == 0;
      canvas.text(x(column) + cell / 2, y(row) + cell / 2 + size * 0.36, nice_number(value, 3),
                  {.size = size,
                   .colour = nothing               ? "#b0b0b0"
                             : scale(value) > 0.55 ? "#ffffff"
                                                   : kInk,
                   .anchor = Anchor::middle});
    }
  }
  for (std::int64_t i = 0; map.confusion && i < std::min(rows, columns); ++i) {
    canvas.rectangle(x(i), y(i), cell, cell, "none", kInk, 1.5);
  }
}

}  // namespace

std::string Heatmap::svg() const {
  check(*this);
  const std::int64_t rows = values.shape()[0], columns = values.shape()[1];
  const std::int64_t most = std::max<std::int64_t>({rows, columns, 1});
  if (most > kMostCells) return merged(*this, (most + kMostCells - 1) / kMostCells).svg();
  const bool has_numbers = most <= kMostNumbers;
  const double cell = has_numbers ? std::clamp(480.0 / static_cast<double>(most), 18.0, 56.0)
                                  : 560.0 / static_cast<double>(most);
  const bool slanted = !has_numbers || longest(column_labels) > cell - 6;
  const double left = 24 + (row_title.empty() ? 0 : 20) + longest(row_labels) + 10;
  const double labels_height = slanted ? longest(column_labels) * 0.75 + 14 : 20;
  const double top = 44 + (column_title.empty() ? 0 : 22) + labels_height;
  const double map_width = cell * static_cast<double>(columns);
  const double map_height = cell * static_cast<double>(rows);
  const double right_margin = 24 + (slanted ? longest(column_labels) * 0.6 : 0);
  const double width = std::max(left + map_width + right_margin,
                                std::min(text_width(title, kTitleSize) * 1.1 + 20, 640.0));
  SvgCanvas canvas(width, top + map_height + 24, title);
  canvas.heading(title, 28);
  canvas.text(left + map_width / 2, 58, column_title, {.size = 13, .anchor = Anchor::middle});
  canvas.text(26, top + map_height / 2, row_title,
              {.size = 13, .anchor = Anchor::middle, .rotation = -90});

  const Scale scale(values, confusion);
  if (has_numbers) {
    draw_numbers(canvas, *this, scale, left, top, cell);
  } else {
    canvas.raster(left, top, cell, cell, rows, columns, [&](std::int64_t row, std::int64_t column) {
      return colour_of(*this, scale, row, column);
    });
    canvas.rectangle(left, top, map_width, map_height, "none", kFaintInk);
  }
  // Labels that there is room for.
  const auto every = static_cast<std::size_t>(std::ceil(1.4 * kTextSize / cell));
  const auto middle = [&](std::size_t i) { return cell * (static_cast<double>(i) + 0.5); };
  for (std::size_t i = 0; i < row_labels.size(); i += every) {
    canvas.text(left - 8, top + middle(i) + 4, row_labels[i], {.anchor = Anchor::end});
  }
  const TextStyle style =
      slanted ? TextStyle{.rotation = -45} : TextStyle{.anchor = Anchor::middle};
  for (std::size_t i = 0; i < column_labels.size(); i += every) {
    canvas.text(left + middle(i), top - 8, column_labels[i], style);
  }
  return std::move(canvas).finish();
}

Tensor confusion_matrix(const Tensor& actual, const Tensor& predicted, std::int64_t classes) {
  return data::confusion_matrix(predicted, actual, classes);
}

Heatmap confusion(const Tensor& actual, const Tensor& predicted, std::int64_t classes) {
  const Tensor counts = confusion_matrix(actual, predicted, classes);
  std::vector<std::string> names;
  double right = 0;
  for (std::int64_t label = 0; label < classes; ++label) {
    names.push_back(std::to_string(label));
    right += counts.get(label * classes + label);
  }
  const double percent =
      100 * right / static_cast<double>(std::max<std::int64_t>(actual.numel(), 1));
  return {.title = fmt::format("{:.1f} % correct", percent),
          .row_title = "true class",
          .column_title = "predicted class",
          .row_labels = names,
          .column_labels = names,
          .values = counts,
          .confusion = true};
}

}  // namespace aclgrad::report
