#include "core/report/svg_plot.h"

#include <algorithm>
#include <cmath>

#include "core/report/html_text.h"

namespace tidemark::report {
namespace {

constexpr double kLeft = 64, kRight = 16, kTop = 16, kBottom = 46;
constexpr size_t kColumns = 800;

std::string at(double value) {
  auto text = fixed(value, 1);
  return text.size() > 2 && text.substr(text.size() - 2) == ".0" ? text.substr(0, text.size() - 2) : text;
}

std::string tickText(double value, double step) {
  const int digits = step >= 1 ? 0 : std::min(8, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const auto text = fixed(value, digits);
  return text == "-0" ? "0" : text;
}

std::string textAt(double x, double y, const char* anchor, const std::string& text, const char* kind = "tick") {
  return "<text class=\"" + std::string(kind) + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor +
         "\">" + escape(text) + "</text>";
}

std::string lineAt(double x1, double y1, double x2, double y2, const char* kind) {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) +
         "\" y2=\"" + at(y2) + "\"/>";
}

}  // namespace

std::vector<double> roundTicks(double begin, double end, int count) {
  if (!(end > begin) || !std::isfinite(begin) || !std::isfinite(end)) return {begin};
  const double rough = (end - begin) / std::max(count, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double i = std::ceil(begin / step - 1e-9); i * step <= end + step * 1e-9; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<PlotPoint> decimated(const std::vector<PlotPoint>& points) {
  if (points.size() <= 2 * kColumns) return points;
  std::vector<PlotPoint> kept;
  for (size_t column = 0; column < kColumns; ++column) {
    const auto begin = points.begin() + static_cast<long>(column * points.size() / kColumns);
    const auto end = points.begin() + static_cast<long>((column + 1) * points.size() / kColumns);
    auto [least, greatest] = std::minmax_element(begin, end, [](auto& a, auto& b) { return a.second < b.second; });
    if (greatest < least) std::swap(least, greatest);
    kept.push_back(*least);
    if (greatest != least) kept.push_back(*greatest);
  }
  return kept;
}

SvgPlot::SvgPlot(std::string title, PlotAxes axes) : title_(std::move(title)), axes_(std::move(axes)) {
  if (!(axes_.xEnd > axes_.xBegin)) axes_.xEnd = axes_.xBegin + 1;
  if (!(axes_.yEnd > axes_.yBegin)) axes_.yEnd = axes_.yBegin + 1;
}

double SvgPlot::px(double x) const {
  return kLeft + (x - axes_.xBegin) / (axes_.xEnd - axes_.xBegin) * (axes_.width - kLeft - kRight);
}

double SvgPlot::py(double y) const {
  return axes_.height - kBottom - (y - axes_.yBegin) / (axes_.yEnd - axes_.yBegin) * (axes_.height - kTop - kBottom);
}

std::string SvgPlot::path(const std::vector<PlotPoint>& points) const {
  std::string text;
  for (const auto& [x, y] : points) {
    if (std::isfinite(y)) text += (text.empty() ? "" : " ") + at(px(x)) + "," + at(py(y));
  }
  return text;
}

void SvgPlot::band(const std::vector<PlotPoint>& lower, const std::vector<PlotPoint>& upper, const std::string& color) {
  auto outline = upper;
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  marks_ += "<polygon points=\"" + path(outline) + "\" fill=\"" + color + "\"/>\n";
}

void SvgPlot::line(const std::vector<PlotPoint>& points, const std::string& color) {
  marks_ += "<polyline points=\"" + path(decimated(points)) + "\" fill=\"none\" stroke=\"" + color +
            "\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>\n";
}

void SvgPlot::dots(const std::vector<PlotPoint>& points, const std::string& color) {
  for (const auto& [x, y] : points) {
    if (!std::isfinite(y)) continue;
    marks_ +=
        "<circle class=\"dot\" cx=\"" + at(px(x)) + "\" cy=\"" + at(py(y)) + "\" r=\"4\" fill=\"" + color + "\"/>\n";
  }
}

void SvgPlot::bar(double xBegin, double xEnd, double yBegin, double yEnd, const std::string& color, double opacity,
                  const std::string& tooltip) {
  const double top = std::min(py(yBegin), py(yEnd)), height = std::abs(py(yBegin) - py(yEnd));
  marks_ += "<rect x=\"" + fixed(px(xBegin), 2) + "\" y=\"" + at(top) + "\" width=\"" +
            fixed(px(xEnd) - px(xBegin), 2) + "\" height=\"" + at(height) + "\" fill=\"" + color +
            "\" fill-opacity=\"" + fixed(opacity, 2) + "\"><title>" + escape(tooltip) + "</title></rect>\n";
}

void SvgPlot::horizontal(double y, const std::string& label) {
  overlays_ += lineAt(kLeft, py(y), axes_.width - kRight, py(y), "limit");
  overlays_ += textAt(axes_.width - kRight - 4, py(y) - 5, "end", label, "note");
}

void SvgPlot::vertical(double x, const std::string& label) {
  overlays_ += lineAt(px(x), kTop, px(x), axes_.height - kBottom, "divider");
  overlays_ += textAt(px(x), kTop - 4, "middle", label, "note");
}

std::string SvgPlot::frame() const {
  std::string text;
  const double bottom = axes_.height - kBottom;
  const auto yTicks = roundTicks(axes_.yBegin / axes_.yUnit, axes_.yEnd / axes_.yUnit, 5);
  const double yStep = yTicks.size() > 1 ? yTicks[1] - yTicks[0] : 1;
  for (const double tick : yTicks) {
    const double y = py(tick * axes_.yUnit);
    text += lineAt(kLeft, y, axes_.width - kRight, y, "grid");
    text += textAt(kLeft - 8, y + 4, "end", tickText(axes_.hasAbsoluteTicks ? std::abs(tick) : tick, yStep));
  }
  auto xTicks = axes_.xTicks;
  if (xTicks.empty()) {
    const auto places = roundTicks(axes_.xBegin, axes_.xEnd, axes_.width / 88);
    const double step = places.size() > 1 ? places[1] - places[0] : 1;
    for (const double place : places) xTicks.emplace_back(place, tickText(place, step));
  }
  for (const auto& [x, label] : xTicks) text += textAt(px(x), bottom + 18, "middle", label);
  text += textAt((kLeft + axes_.width - kRight) / 2, axes_.height - 8, "middle", axes_.xLabel, "label");
  const double middle = (kTop + bottom) / 2;
  text += "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(14," + at(middle) + ") rotate(-90)\">" +
          escape(axes_.yLabel) + "</text>";
  return text;
}

std::string SvgPlot::svg() const {
  const double zero = py(std::clamp(0.0, axes_.yBegin, axes_.yEnd));
  return "<svg viewBox=\"0 0 " + std::to_string(axes_.width) + " " + std::to_string(axes_.height) +
         "\" role=\"img\" aria-label=\"" + escape(title_) + "\">\n" + frame() + "\n" + marks_ +
         lineAt(kLeft, zero, axes_.width - kRight, zero, "axis") + overlays_ + "\n</svg>\n";
}

}  // namespace tidemark::report
