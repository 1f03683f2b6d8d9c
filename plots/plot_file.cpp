#include "plots/plot_file.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QFont>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>

#include "plots/plot_frame.h"

namespace tidemark::plots {
namespace {

constexpr int kMargin = 16, kTitleHeight = 26, kLegendHeight = 20, kLegendGap = 18, kMarkWidth = 16, kLeastWidth = 480, kLeastHeight = 240;
constexpr int kDensity = 2;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::plots::PlotFile", text); }

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

// Title, legend and plot, one below the other.
struct Sheet {
  QString title;
  std::vector<LegendEntry> entries;
  LegendLayout legend;
  QSize plotSize, size;
};

Sheet sheetOf(const PlotFrame& plot) {
  Sheet sheet{plot.pictureTitle(), plot.legend(), {}, plot.size().expandedTo({kLeastWidth, kLeastHeight}), {}};
  sheet.legend = layOut(sheet.entries, sheet.plotSize.width());
  sheet.size = sheet.plotSize + QSize(2 * kMargin, 2 * kMargin + kTitleHeight + sheet.legend.height);
  return sheet;
}

void draw(QPainter& painter, PlotFrame& plot, const Sheet& sheet) {
  const auto& [title, entries, legend, plotSize, size] = sheet;
  const PlotTheme theme = PlotTheme::light();
  painter.translate(kMargin, kMargin);
  const QFont titleFont = fontOf(15, QFont::DemiBold);
  painter.setFont(titleFont);
  painter.setPen(theme.text);
  painter.drawText(QRect(0, 0, plotSize.width(), kTitleHeight), Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine,
                   QFontMetrics(titleFont).elidedText(title, Qt::ElideRight, plotSize.width()));
  painter.translate(0, kTitleHeight);
  painter.setFont(fontOf(12, QFont::Normal));
  for (std::size_t i = 0; i < legend.places.size(); ++i) {
    const auto& [rect, text] = legend.places[i];
    drawMark(painter, QRectF(rect.left(), rect.center().y() - 5, 10, 10), entries[i].color, entries[i].shape);
    painter.setPen(theme.text);
    painter.drawText(rect.adjusted(kMarkWidth, 0, 4, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
  }
  painter.translate(0, legend.height);
  plot.drawVector(painter, plotSize);
}

QString writeSvg(QIODevice& file, PlotFrame& plot, const Sheet& sheet) {
  QSvgGenerator svg;
  svg.setOutputDevice(&file);
  svg.setSize(sheet.size);
  svg.setViewBox(QRect(QPoint(), sheet.size));
  svg.setTitle(sheet.title);
  svg.setResolution(96);
  QPainter painter;
  if (!painter.begin(&svg)) return tr("the picture cannot be begun");
  painter.fillRect(QRect(QPoint(), sheet.size), PlotTheme::light().background);
  draw(painter, plot, sheet);
  return {};
}

}  // namespace

std::vector<LegendEntry> spaceLegend() {
  std::vector<LegendEntry> legend;
  for (const auto& [space, name] : {std::pair{Space::Trainable, tr("trainable state")}, std::pair{Space::Static, tr("static cache")},
                                    std::pair{Space::Dynamic, tr("dynamic cache")}, std::pair{Space::Activation, tr("activation")},
                                    std::pair{Space::Workspace, tr("workspace")}}) {
    legend.push_back({name, spaceColor(space), MarkShape::Square});
  }
  return legend;
}

QImage imageOf(PlotFrame& plot) {
  const Sheet sheet = sheetOf(plot);
  QImage image(sheet.size * kDensity, QImage::Format_RGB32);
  image.fill(PlotTheme::light().background);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(kDensity, kDensity);
  draw(painter, plot, sheet);
  return image;
}

QString writePlot(PlotFrame& plot, const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  const bool isSvg = suffix == QLatin1String("svg");
  if (!isSvg && suffix != QLatin1String("png")) return tr("%1: the name must end in .png or .svg").arg(path);
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return tr("%1: %2").arg(path, file.errorString());
  if (isSvg) {
    if (const QString failure = writeSvg(file, plot, sheetOf(plot)); !failure.isEmpty()) return tr("%1: %2").arg(path, failure);
  } else if (!imageOf(plot).save(&file, "PNG")) {
    return tr("%1: the picture cannot be encoded").arg(path);
  }
  return file.commit() ? QString() : tr("%1: %2").arg(path, file.errorString());
}

QString fileNameFor(const QString& title) {
  QString name = title.simplified();
  name.remove(QLatin1Char(','));
  name.replace(QRegularExpression(QStringLiteral("[^\\p{L}\\p{N}_.-]+")), QStringLiteral("-"));
  while (name.startsWith(QLatin1Char('-')) || name.startsWith(QLatin1Char('.'))) name.remove(0, 1);
  return name.isEmpty() ? QStringLiteral("plot") : name.left(120);
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

}  // namespace tidemark::plots
