#include "ui/shell/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QStyleFactory>

// A static library's resources are linked only if they are asked for, which must be done outside any namespace.
static void loadResources() { Q_INIT_RESOURCE(workbench); }

namespace tidemark::ui {
namespace {

struct Colors {
  QString window, sidebar, card, cardBorder, text, muted, accent, accentText, accentHover, selection, field, fieldBorder, error,
      errorBack, warningBack, warningBorder, noteBack, track, alternate, hover, icons;
};

Colors colorsFor(ColorScheme scheme) {
  if (scheme == ColorScheme::Light) {
    return {.window = "#F5F7F9", .sidebar = "#ECEEF2", .card = "#FFFFFF", .cardBorder = "#DDE2EA", .text = "#1C1F26",
            .muted = "#5F6776", .accent = "#2254D8", .accentText = "#FFFFFF", .accentHover = "#1B46B8", .selection = "#DBE4F8",
            .field = "#FFFFFF", .fieldBorder = "#CBD2DD", .error = "#B3361F", .errorBack = "#FDEBE7", .warningBack = "#FFF4DF",
            .warningBorder = "#EBC879", .noteBack = "#E7EEFC", .track = "#DDE1E8", .alternate = "#FAFBFC", .hover = "#F0F3F8",
            .icons = "light"};
  }
  return {.window = "#181B21", .sidebar = "#13161B", .card = "#20242C", .cardBorder = "#343A46", .text = "#ECEFF4",
          .muted = "#A3ACBA", .accent = "#7DA2FF", .accentText = "#10131A", .accentHover = "#9AB7FF", .selection = "#2B3A5E",
          .field = "#191D24", .fieldBorder = "#454D5B", .error = "#FF9580", .errorBack = "#3B2420", .warningBack = "#3A3120",
          .warningBorder = "#7A6330", .noteBack = "#22304F", .track = "#343A46", .alternate = "#232831", .hover = "#2A303A",
          .icons = "dark"};
}

// @name@ stands for a colour. Sizes are in pixels at scale 1; Qt scales them with the screen.
const char* const kSheet = R"(
QWidget#page, QScrollArea#scroll, QWidget#scrolled { background: @window@; border: none; }
QWidget#sidebar { background: @sidebar@; }
QFrame[card="true"] { background: @card@; border: 1px solid @cardBorder@; border-radius: 7px; }
QLabel { background: transparent; color: @text@; border: none; }
QLabel[role="muted"] { color: @muted@; font-size: 12px; }
QLabel[role="error"] { color: @error@; font-size: 12px; }
QLabel[role="strong"] { font-size: 14px; font-weight: 600; }
QLabel[role="heading"] { font-size: 19px; font-weight: 700; }
QLabel[role="figure"] { font-size: 20px; font-weight: 700; }
QLabel[role="value"] { font-weight: 600; }
QLabel[role="section"] { color: @muted@; font-size: 12px; }
QLabel[role="brand"] { font-size: 18px; font-weight: 700; }
QPushButton { background: @card@; color: @text@; border: 1px solid @cardBorder@; border-radius: 6px; padding: 6px 18px; }
QPushButton:hover { background: @hover@; }
QPushButton:focus { border: 2px solid @accent@; padding: 5px 17px; }
QPushButton:disabled { color: @muted@; background: @window@; }
QPushButton[primary="true"] { background: @accent@; color: @accentText@; border: 1px solid @accent@; font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentHover@; }
QPushButton[primary="true"]:focus { border: 2px solid @text@; }
QPushButton[primary="true"]:disabled { background: @track@; border-color: @track@; color: @muted@; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px 8px; color: @text@; }
QToolButton[framed="true"] { background: @card@; border: 1px solid @fieldBorder@; padding: 5px 10px; }
QToolButton[framed="true"]:hover { background: @hover@; }
QToolButton::menu-indicator { image: none; }
QToolButton:hover { background: @hover@; }
QToolButton:focus { border: 1px solid @accent@; }
QToolButton[link="true"] { color: @accent@; padding: 0 4px; font-size: 12px; }
QLineEdit, QComboBox, QPlainTextEdit { background: @field@; color: @text@; border: 1px solid @fieldBorder@; border-radius: 5px;
  padding: 5px 8px; selection-background-color: @accent@; selection-color: @accentText@; }
QLineEdit:focus, QComboBox:focus, QPlainTextEdit:focus { border: 1px solid @accent@; }
QLineEdit[invalid="true"], QComboBox[invalid="true"] { border: 1px solid @error@; }
QLineEdit, QComboBox { min-height: 18px; }
QComboBox { padding-right: 20px; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/tidemark/icons/arrow-@icons@.png); width: 12px; height: 12px; }
QComboBox QLineEdit { border: none; padding: 0; background: transparent; }
QComboBox QAbstractItemView { background: @card@; color: @text@; selection-background-color: @selection@; selection-color: @text@;
  border: 1px solid @cardBorder@; }
QPlainTextEdit[code="true"], QLineEdit[code="true"] { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace; font-size: 12px; }
QTableView { background: @card@; alternate-background-color: @alternate@; border: none; gridline-color: transparent;
  selection-background-color: @selection@; selection-color: @text@; color: @text@; }
QTableView::item { padding: 0 8px; }
QHeaderView::section { background: @card@; color: @muted@; border: none; border-bottom: 1px solid @cardBorder@; padding: 10px 3px 5px 3px;
  font-size: 12px; }
QHeaderView { background: @card@; border: none; }
QHeaderView::section:vertical { padding: 5px 3px 0 3px; border-bottom: none; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: border; subcontrol-position: top center; width: 10px; height: 8px; }
QTableCornerButton::section { background: @card@; border: none; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @text@; padding: 6px 2px; margin-right: 26px; border-bottom: 3px solid transparent; }
QTabBar::tab:selected { color: @accent@; font-weight: 600; border-bottom: 3px solid @accent@; }
QTabBar::tab:focus { color: @accent@; }
QProgressBar { background: @track@; border: none; border-radius: 4px; max-height: 8px; min-height: 8px; }
QProgressBar::chunk { background: @accent@; border-radius: 4px; }
QSlider::groove:horizontal { background: @track@; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @track@; height: 4px; border-radius: 2px; }
QSlider::handle:horizontal { background: @accent@; width: 14px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:focus { border: 2px solid @text@; width: 10px; }
QSlider::handle:horizontal:disabled { background: @muted@; }
QFrame#banner { border-radius: 6px; border: 1px solid @cardBorder@; background: @noteBack@; }
QFrame#banner[severity="warning"] { background: @warningBack@; border-color: @warningBorder@; }
QFrame#banner[severity="error"] { background: @errorBack@; border-color: @error@; }
QToolTip { background: @card@; color: @text@; border: 1px solid @cardBorder@; padding: 4px; }
QMenu { background: @card@; color: @text@; border: 1px solid @cardBorder@; padding: 4px; }
QMenu::item { padding: 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: @selection@; }
QMenu::item:disabled { color: @muted@; }
QMenu::separator { height: 1px; background: @cardBorder@; margin: 4px 6px; }
QCheckBox { color: @text@; padding: 6px 0; background: transparent; spacing: 8px; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid @fieldBorder@; border-radius: 4px; background: @field@; }
QCheckBox::indicator:checked { background: @accent@; border-color: @accent@; image: url(:/tidemark/icons/tick-@icons@.png); }
QCheckBox::indicator:focus { border: 1px solid @text@; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar::handle:vertical { background: @fieldBorder@; border-radius: 4px; min-height: 30px; margin: 1px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle:horizontal { background: @fieldBorder@; border-radius: 4px; min-width: 30px; margin: 1px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

}  // namespace

QPalette paletteFor(ColorScheme scheme) {
  const Colors c = colorsFor(scheme);
  QPalette palette;
  palette.setColor(QPalette::Window, QColor(c.window));
  palette.setColor(QPalette::WindowText, QColor(c.text));
  palette.setColor(QPalette::Base, QColor(c.field));
  palette.setColor(QPalette::AlternateBase, QColor(c.alternate));
  palette.setColor(QPalette::Text, QColor(c.text));
  palette.setColor(QPalette::PlaceholderText, QColor(c.muted));
  palette.setColor(QPalette::Button, QColor(c.card));
  palette.setColor(QPalette::ButtonText, QColor(c.text));
  palette.setColor(QPalette::BrightText, QColor(c.error));
  palette.setColor(QPalette::Highlight, QColor(c.selection));
  palette.setColor(QPalette::HighlightedText, QColor(c.text));
  palette.setColor(QPalette::ToolTipBase, QColor(c.card));
  palette.setColor(QPalette::ToolTipText, QColor(c.text));
  palette.setColor(QPalette::Link, QColor(c.accent));
  palette.setColor(QPalette::Mid, QColor(c.cardBorder));
  palette.setColor(QPalette::Midlight, QColor(c.track));
  palette.setColor(QPalette::Dark, QColor(c.muted));
  palette.setColor(QPalette::Disabled, QPalette::WindowText, QColor(c.muted));
  palette.setColor(QPalette::Disabled, QPalette::Text, QColor(c.muted));
  palette.setColor(QPalette::Disabled, QPalette::ButtonText, QColor(c.muted));
  return palette;
}

QString styleSheetFor(ColorScheme scheme) {
  const Colors c = colorsFor(scheme);
  QString sheet = QString::fromLatin1(kSheet);
  const std::pair<const char*, const QString&> values[] = {
      {"@window@", c.window}, {"@sidebar@", c.sidebar}, {"@card@", c.card}, {"@cardBorder@", c.cardBorder}, {"@text@", c.text},
      {"@muted@", c.muted}, {"@accent@", c.accent}, {"@accentText@", c.accentText}, {"@accentHover@", c.accentHover},
      {"@selection@", c.selection}, {"@field@", c.field}, {"@fieldBorder@", c.fieldBorder}, {"@error@", c.error},
      {"@errorBack@", c.errorBack}, {"@warningBack@", c.warningBack}, {"@warningBorder@", c.warningBorder},
      {"@icons@", c.icons}, {"@noteBack@", c.noteBack}, {"@track@", c.track}, {"@alternate@", c.alternate}, {"@hover@", c.hover}};
  for (const auto& [name, value] : values) sheet.replace(QString::fromLatin1(name), value);
  return sheet;
}

plots::PlotTheme plotThemeFor(ColorScheme scheme) {
  return scheme == ColorScheme::Dark ? plots::PlotTheme::dark() : plots::PlotTheme::light();
}

void applyTheme(QApplication& application, ColorScheme scheme) {
  loadResources();
  application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QFont font = application.font();
  if (QFontDatabase::hasFamily(QStringLiteral("Inter"))) font.setFamily(QStringLiteral("Inter"));
  font.setPixelSize(14);
  application.setFont(font);
  application.setPalette(paletteFor(scheme));
  application.setStyleSheet(styleSheetFor(scheme));
}

}  // namespace tidemark::ui
