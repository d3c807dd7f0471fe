// SPDX-License-Identifier: Apache-2.0
// A canvas that collects SVG elements, and what the pictures share: colours and text measures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace aclgrad::report {

inline constexpr std::string_view kInk = "#222222";
inline constexpr std::string_view kFaintInk = "#666666";
inline constexpr std::string_view kGridColour = "#e4e4e4";
inline constexpr double kTitleSize = 16;
inline constexpr double kTextSize = 12;

/// Colours of Okabe and Ito, which people with any common colour vision can tell apart.
std::string_view palette(std::size_t index);

struct Colour {
  double red = 0;
  double green = 0;
  double blue = 0;  ///< 0 to 255 each
};

inline constexpr Colour kPaper = {255, 255, 255};

/// "#RRGGBB" to a colour. Throws ValueError for anything else.
Colour parse_colour(std::string_view text);

/// "#rrggbb" of the point at `t` in [0, 1] between two colours; clamped, NaN as 0.
std::string blend(const Colour& from, const Colour& to, double t);

/// Text safe in XML: markup escaped; bytes that are not UTF-8 and characters that XML forbids
/// become the replacement character.
std::string xml_escape(std::string_view text);

/// About how wide a text is, in the units of the font size.
double text_width(std::string_view text, double size);

/// A coordinate with up to two decimals, without needless zeros.
std::string coordinate(double value);

/// A number for people: whole numbers as such, others with up to `digits` significant digits.
std::string nice_number(double value, int digits = 4);

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = kTextSize;
  std::string_view colour = kInk;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double rotation = 0;  ///< degrees about (x, y), clockwise
};

/// Elements in drawing order on a white ground.
class SvgCanvas {
 public:
  SvgCanvas(double width, double height, std::string_view title);

  double width() const noexcept { return width_; }

  void rectangle(double x, double y, double width, double height, std::string_view fill,
                 std::string_view stroke = "none", double stroke_width = 1);
  void line(double x1, double y1, double x2, double y2, std::string_view colour,
            double stroke_width = 1);
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view colour,
                double stroke_width);
  void circle(double x, double y, double radius, std::string_view fill,
              std::string_view stroke = "none");
  void text(double x, double y, std::string_view text, const TextStyle& style = {});

  /// The title in bold across the top, smaller when it would not fit; baseline at y.
  void heading(std::string_view text, double y);

  /// Cells of these sizes, row by row from the top, with hard edges, so that neighbours leave no
  /// seam. Cells of one colour are one path, those beside each other one rectangle in it.
  void raster(double left, double top, double cell_width, double cell_height, std::int64_t rows,
              std::int64_t columns,
              const std::function<std::string(std::int64_t row, std::int64_t column)>& colour_of);

  /// Between these two calls only what lies in the rectangle is seen.
  void begin_clip(double x, double y, double width, double height);
  void end_clip();

  std::string finish() &&;

 private:
  double width_;
  std::string text_;
};

}  // namespace aclgrad::report
