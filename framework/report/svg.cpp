// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/tensor/plain_text.h"
#include "terminal/characters.h"

namespace aclgrad::report {
namespace {

/// What XML has no way to write: control characters and the two code points that are no characters.
bool is_forbidden_in_xml(std::string_view sequence) {
  if (sequence.size() == 1) {
    const auto c = static_cast<unsigned char>(sequence[0]);
    return c < 0x20 && c != '\t' && c != '\n' && c != '\r';
  }
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

std::string_view escaped(std::string_view sequence) {
  switch (sequence[0]) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return sequence;
  }
}

}  // namespace

std::string_view palette(std::size_t index) {
  constexpr std::array<std::string_view, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                        "#E69F00", "#56B4E9", "#000000"};
  return kColours[index % kColours.size()];
}

Colour parse_colour(std::string_view text) {
  std::uint32_t value = 0;
  const bool shaped = text.size() == 7 && text[0] == '#';
  if (!shaped ||
      std::from_chars(text.data() + 1, text.data() + 7, value, 16).ptr != text.data() + 7) {
    throw ValueError(fmt::format("a colour must be written #RRGGBB, got '{}'", text));
  }
  return {static_cast<double>(value >> 16), static_cast<double>(value >> 8 & 0xFF),
          static_cast<double>(value & 0xFF)};
}

std::string blend(const Colour& from, const Colour& to, double t) {
  const double part = std::isnan(t) ? 0 : std::clamp(t, 0.0, 1.0);
  const auto mix = [part](double a, double b) {
    return static_cast<int>(std::lround(a + (b - a) * part));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(from.red, to.red), mix(from.green, to.green),
                     mix(from.blue, to.blue));
}

std::string xml_escape(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    result +=
        length == 0 || is_forbidden_in_xml(sequence) ? kReplacementCharacter : escaped(sequence);
    text.remove_prefix(sequence.size());
  }
  return result;
}

double text_width(std::string_view text, double size) {
  return 0.58 * size * static_cast<double>(character_count(text));
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string nice_number(double value, int digits) {
  if (value == 0) return "0";  // also the negative zero
  if (value == std::round(value) && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view title) : width_(width) {
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
      "<title>{2}</title>\n",
      coordinate(width), coordinate(height), xml_escape(title));
  rectangle(0, 0, width, height, "#ffffff");
}

void SvgCanvas::rectangle(double x, double y, double width, double height, std::string_view fill,
                          std::string_view stroke, double stroke_width) {
  text_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", coordinate(x),
                  coordinate(y), coordinate(width), coordinate(height), xml_escape(fill));
  if (stroke != "none") {
    text_ += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", xml_escape(stroke),
                         coordinate(stroke_width));
  }
  text_ += "/>\n";
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, std::string_view colour,
                     double stroke_width) {
  text_ += fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" "
      "stroke-width=\"{}\"/>\n",
      coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), xml_escape(colour),
      coordinate(stroke_width));
}

void SvgCanvas::polyline(const std::vector<std::pair<double, double>>& points,
                         std::string_view colour, double stroke_width) {
  text_ += "<polyline fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" points=\"";
  for (const auto& [x, y] : points) {
    text_.append(coordinate(x)).append(",").append(coordinate(y)).append(" ");
  }
  if (text_.back() == ' ') text_.pop_back();
  text_ += fmt::format("\" stroke=\"{}\" stroke-width=\"{}\"/>\n", xml_escape(colour),
                       coordinate(stroke_width));
}

void SvgCanvas::circle(double x, double y, double radius, std::string_view fill,
                       std::string_view stroke) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n",
                       coordinate(x), coordinate(y), coordinate(radius), xml_escape(fill),
                       xml_escape(stroke));
}

void SvgCanvas::text(double x, double y, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle", "end"};
  text_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"",
                       coordinate(x), coordinate(y), coordinate(style.size),
                       xml_escape(style.colour), kAnchors[static_cast<std::size_t>(style.anchor)]);
  if (style.bold) text_ += " font-weight=\"bold\"";
  if (style.rotation != 0) {
    text_ += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(style.rotation),
                         coordinate(x), coordinate(y));
  }
  text_.append(">").append(xml_escape(text)).append("</text>\n");
}

void SvgCanvas::heading(std::string_view text, double y) {
  const double needed = text_width(text, kTitleSize) * 1.08;  // bold is wider
  const double shrink = std::min(1.0, (width_ - 16) / std::max(needed, 1.0));
  this->text(width_ / 2, y, text,
             {.size = kTitleSize * shrink, .anchor = Anchor::middle, .bold = true});
}

void SvgCanvas::raster(
    double left, double top, double cell_width, double cell_height, std::int64_t rows,
    std::int64_t columns,
    const std::function<std::string(std::int64_t row, std::int64_t column)>& colour_of) {
  std::map<std::string, std::string> paths;  // by colour
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0, end = 0; column < columns; column = end) {
      const std::string colour = colour_of(row, column);
      for (end = column + 1; end < columns && colour_of(row, end) == colour;) ++end;
      paths[colour] += fmt::format("M{} {}h{}v1h-{}z", column, row, end - column, end - column);
    }
  }
  text_ += fmt::format(
      "<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({:.8g} {:.8g})\">\n",
      coordinate(left), coordinate(top), cell_width, cell_height);
  for (const auto& [colour, path] : paths) {
    text_ += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", colour, path);
  }
  text_ += "</g>\n";
}

void SvgCanvas::begin_clip(double x, double y, double width, double height) {
  // An inner svg element clips by itself; moving its view back keeps the coordinates.
  text_ += fmt::format(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
      "viewBox=\"{0} {1} {2} {3}\">\n",
      coordinate(x), coordinate(y), coordinate(width), coordinate(height));
}

void SvgCanvas::end_clip() { text_ += "</svg>\n"; }

std::string SvgCanvas::finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace aclgrad::report
