#include "ui/compare/plot_file.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QFont>
#include <QImage>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "plots/plot_frame.h"

namespace tidemark::ui {
namespace {

constexpr int kMargin = 16, kTitleHeight = 26, kLegendHeight = 20, kLegendGap = 18, kMarkWidth = 16, kLeastWidth = 480, kLeastHeight = 240;
constexpr int kDensity = 2;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::PlotFile", text); }

QFont fontOf(int pixels, QFont::Weight weight) {
  QFont font;
  font.setPixelSize(pixels);
  font.setWeight(weight);
  return font;
}

// Legend entries row by row; each at most as wide as the picture.
struct LegendLayout {
  struct Place {
    QRect rect;
    QString text;
  };
  std::vector<Place> places;
  int height = 0;
};

LegendLayout layOut(const std::vector<LegendEntry>& legend, int width) {
  LegendLayout layout;
  const QFontMetrics metrics(fontOf(12, QFont::Normal));
  int x = 0, y = 0;
  for (const LegendEntry& entry : legend) {
    const QString text = metrics.elidedText(entry.name, Qt::ElideRight, width - kMarkWidth);
    const int needed = kMarkWidth + metrics.horizontalAdvance(text);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kLegendHeight;
    }
    layout.places.push_back({QRect(x, y, needed, kLegendHeight), text});
    x += needed + kLegendGap;
  }
  layout.height = legend.empty() ? 0 : y + kLegendHeight;
  return layout;
}

void draw(QPainter& painter, plots::PlotFrame& plot, const PlotPicture& picture, const QSize& plotSize, const LegendLayout& legend) {
  const plots::PlotTheme theme = plots::PlotTheme::light();
  painter.translate(kMargin, kMargin);
  const QFont titleFont = fontOf(15, QFont::DemiBold);
  painter.setFont(titleFont);
  painter.setPen(theme.text);
  painter.drawText(QRect(0, 0, plotSize.width(), kTitleHeight), Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine,
                   QFontMetrics(titleFont).elidedText(picture.title, Qt::ElideRight, plotSize.width()));
  painter.translate(0, kTitleHeight);
  painter.setFont(fontOf(12, QFont::Normal));
  for (std::size_t i = 0; i < legend.places.size(); ++i) {
    const auto& [rect, text] = legend.places[i];
    plots::drawMark(painter, QRectF(rect.left(), rect.center().y() - 5, 10, 10), picture.legend[i].color, picture.legend[i].shape);
    painter.setPen(theme.text);
    painter.drawText(rect.adjusted(kMarkWidth, 0, 4, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
  }
  painter.translate(0, legend.height);
  plot.drawVector(painter, plotSize);
}

template <typename Draw>
Status writeSvg(QIODevice& file, const QSize& size, const QString& title, Draw drawAll) {
  QSvgGenerator svg;
  svg.setOutputDevice(&file);
  svg.setSize(size);
  svg.setViewBox(QRect(QPoint(), size));
  svg.setTitle(title);
  svg.setResolution(96);
  QPainter painter;
  if (!painter.begin(&svg)) return Error{ErrorCode::Io, "", "the picture cannot be begun"};
  painter.fillRect(QRect(QPoint(), size), plots::PlotTheme::light().background);
  drawAll(painter);
  painter.end();
  return {};
}

template <typename Draw>
Status writePng(QIODevice& file, const QSize& size, Draw drawAll) {
  QImage image(size * kDensity, QImage::Format_RGB32);
  image.fill(plots::PlotTheme::light().background);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(kDensity, kDensity);
  drawAll(painter);
  painter.end();
  if (!image.save(&file, "PNG")) return Error{ErrorCode::Io, "", "the picture cannot be encoded"};
  return {};
}

}  // namespace

std::vector<LegendEntry> spaceLegend() {
  using plots::Space;
  std::vector<LegendEntry> legend;
  for (const auto& [space, name] : {std::pair{Space::Trainable, tr("trainable state")}, std::pair{Space::Static, tr("static cache")},
                                    std::pair{Space::Dynamic, tr("dynamic cache")}, std::pair{Space::Activation, tr("activation")},
                                    std::pair{Space::Workspace, tr("workspace")}}) {
    legend.push_back({name, plots::spaceColor(space), plots::MarkShape::Square});
  }
  return legend;
}

std::vector<LegendEntry> runLegend(const ComparedRuns& runs, const std::vector<int>& marks) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    legend.push_back({QString::fromStdString(runs[i]->record.name).simplified(), plots::runColor(marks[i], plots::PlotTheme::light()), plots::runShape(marks[i])});
  }
  return legend;
}

Status writePlot(plots::PlotFrame& plot, const PlotPicture& picture, const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix != QLatin1String("png") && suffix != QLatin1String("svg")) {
    return Error{ErrorCode::Unsupported, path.toStdString(), "the name must end in .png or .svg"};
  }
  const QSize plotSize = plot.size().expandedTo({kLeastWidth, kLeastHeight});
  const LegendLayout legend = layOut(picture.legend, plotSize.width());
  const QSize size = plotSize + QSize(2 * kMargin, 2 * kMargin + kTitleHeight + legend.height);
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
  const auto drawAll = [&](QPainter& painter) { draw(painter, plot, picture, plotSize, legend); };
  const Status drawn = suffix == QLatin1String("svg") ? writeSvg(file, size, picture.title, drawAll) : writePng(file, size, drawAll);
  if (!drawn.ok()) return drawn.error().within(path.toStdString());
  if (!file.commit()) return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
  return {};
}

void askForPlotFile(QWidget* parent, const QString& suggestedName, const std::function<void(const QString& path)>& chosen) {
  auto* dialog = new QFileDialog(parent, tr("Save the plot"), suggestedName + QStringLiteral(".png"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters({tr("PNG picture (*.png)"), tr("SVG drawing (*.svg)")});
  dialog->setDefaultSuffix(QStringLiteral("png"));
  QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.contains(QLatin1String("svg")) ? QStringLiteral("svg") : QStringLiteral("png"));
  });
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
  dialog->open();
}

}  // namespace tidemark::ui
