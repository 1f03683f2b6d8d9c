#include "ui/data/row_card.h"

#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/token_chip.h"
#include "ui/data/token_view.h"

namespace tidemark::ui {
namespace {

QPlainTextEdit* makeText(const QString& name) {
  auto* text = new QPlainTextEdit;
  text->setReadOnly(true);
  text->setProperty("code", true);
  text->setAccessibleName(name);
  text->setTabChangesFocus(true);
  text->setLineWrapMode(QPlainTextEdit::WidgetWidth);
  text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  return text;
}

}  // namespace

RowCard::RowCard(QWidget* parent)
    : Card(tr("Row"), parent), tabs_(new QTabBar), problem_(makeLabel({}, "error")), stack_(new QStackedWidget),
      tokens_(new TokenView), text_(makeText(tr("Text of the row"))), source_(makeText(tr("Line in the file"))) {
  tabs_->addTab(tr("Tokens"));
  tabs_->addTab(tr("Text"));
  tabs_->addTab(tr("Source"));
  tabs_->setTabToolTip(0, tr("The tokens of the row, with those that carry loss"));
  tabs_->setTabToolTip(1, tr("The text that the chat template makes of the row"));
  tabs_->setTabToolTip(2, tr("The line as it stands in the file"));
  tabs_->setAccessibleName(tr("How the row is shown"));
  tabs_->setExpanding(false);
  auto* legend = new TokenLegend;
  problem_->setWordWrap(true);
  problem_->hide();
  for (QWidget* view : {static_cast<QWidget*>(tokens_), static_cast<QWidget*>(text_), static_cast<QWidget*>(source_)}) stack_->addWidget(view);
  body()->addWidget(tabs_);
  body()->addWidget(problem_);
  body()->addWidget(stack_, 1);
  body()->addWidget(legend);
  connect(tabs_, &QTabBar::currentChanged, this, [this, legend](int index) {
    stack_->setCurrentIndex(index);
    legend->setVisible(index == static_cast<int>(View::Tokens));
  });
  connect(tabs_, &QTabBar::tabBarClicked, this, [this](int index) {
    if (index >= 0) chosen_ = static_cast<View>(index);
  });
  clear();
}

void RowCard::clear() {
  row_ = {};
  showView();
  setTitle(tr("Row"));
  setCaption({});
}

void RowCard::announce(int64_t line) {
  setTitle(tr("Line %1").arg(QLocale().toString(line)));
  setCaption(tr("being read…"));
}

void RowCard::show(const ShownRow& row) {
  row_ = row;
  showView();
  setTitle(tr("Line %1").arg(QLocale().toString(row.line)));
  showCaption();
}

void RowCard::showView() {
  tokens_->setTokens(row_.tokens);
  const QString more = tr("\n… the rest is not shown");
  text_->setPlainText(row_.isTextCut ? row_.text + more : row_.text);
  source_->setPlainText(row_.isSourceCut ? row_.source + more : row_.source);
  problem_->setText(row_.problem);
  problem_->setVisible(!row_.problem.isEmpty());
  const bool hasTokens = !row_.tokens.empty() || row_.source.isEmpty();
  for (const View view : {View::Tokens, View::Text}) tabs_->setTabEnabled(static_cast<int>(view), hasTokens);
  // A row without tokens has only its source; the next one is shown as before.
  tabs_->setCurrentIndex(static_cast<int>(hasTokens ? chosen_ : View::Source));
}

void RowCard::setView(View view) {
  chosen_ = view;
  tabs_->setCurrentIndex(static_cast<int>(view));
}

void RowCard::showCaption() {
  if (row_.tokenCount == 0) return setCaption({});
  const int64_t limit = limit_.maxSequenceLength;
  const auto within = static_cast<std::ptrdiff_t>(std::min<int64_t>(limit, static_cast<int64_t>(row_.tokens.size())));
  const auto targets = std::count_if(row_.tokens.begin(), row_.tokens.begin() + within, [](const ShownToken& t) { return t.hasLoss; });
  const bool isWhole = row_.tokenCount == static_cast<int64_t>(row_.tokens.size());
  QStringList parts{tr("%1 tokens").arg(QLocale().toString(static_cast<qlonglong>(row_.tokenCount)))};
  if (isWhole || limit <= static_cast<int64_t>(row_.tokens.size())) parts << tr("%1 with loss").arg(QLocale().toString(static_cast<qlonglong>(targets)));
  if (!isWhole) parts << tr("the first %1 are shown").arg(QLocale().toString(static_cast<qlonglong>(row_.tokens.size())));
  setCaption(parts.join(QStringLiteral(" · ")));
}

void RowCard::setLimit(const RowLimit& limit) {
  limit_ = limit;
  tokens_->setLimit(limit);
  showCaption();
}

void RowCard::setTheme(const plots::PlotTheme& theme) { tokens_->setTheme(theme); }

}  // namespace tidemark::ui
