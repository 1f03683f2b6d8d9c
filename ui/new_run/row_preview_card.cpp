#include "ui/new_run/row_preview_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/data/token_view.h"

namespace tidemark::ui {

RowPreviewCard::RowPreviewCard(QWidget* parent)
    : Card(tr("Row"), parent), tokens_(new TokenView), problem_(makeLabel({}, "muted")), previous_(new QToolButton), next_(new QToolButton) {
  previous_->setArrowType(Qt::LeftArrow);
  previous_->setObjectName(QStringLiteral("previousRow"));
  previous_->setToolTip(tr("The row before this one"));
  next_->setArrowType(Qt::RightArrow);
  next_->setObjectName(QStringLiteral("nextRow"));
  next_->setToolTip(tr("The row after this one"));
  for (QToolButton* button : {previous_, next_}) {
    button->setAccessibleName(button->toolTip());
    header()->addWidget(button);
  }
  problem_->setWordWrap(true);
  tokens_->setMinimumHeight(70);
  body()->addWidget(problem_);
  body()->addWidget(tokens_, 1);
  connect(previous_, &QToolButton::clicked, this, [this] { emit rowWanted(index_ - 1); });
  connect(next_, &QToolButton::clicked, this, [this] { emit rowWanted(index_ + 1); });
  clear();
}

void RowPreviewCard::clear() {
  index_ = rowCount_ = 0;
  setTitle(tr("Row"));
  setCaption({});
  tokens_->setTokens({});
  problem_->setText(tr("The rows of the data are shown here, as tokens of the chosen model."));
  problem_->show();
  showButtons();
}

void RowPreviewCard::show(const PreviewedRow& row, int64_t rowCount) {
  if (!row.isThere) return clear();
  index_ = row.index;
  rowCount_ = rowCount;
  const QString number = QLocale().toString(static_cast<qlonglong>(row.index + 1));
  setTitle(rowCount > 0 ? tr("Row %1 of %2").arg(number, QLocale().toString(static_cast<qlonglong>(rowCount))) : tr("Row %1").arg(number));
  setCaption(row.row.problem.isEmpty() ? tr("loss on the coloured tokens") : QString());
  problem_->setText(row.row.problem);
  problem_->setVisible(!row.row.problem.isEmpty());
  tokens_->setTokens(row.row.tokens);
  showButtons();
}

void RowPreviewCard::setLimit(const RowLimit& limit) { tokens_->setLimit(limit); }

void RowPreviewCard::setTheme(const plots::PlotTheme& theme) { tokens_->setTheme(theme); }

void RowPreviewCard::showButtons() {
  previous_->setEnabled(rowCount_ > 0 && index_ > 0);
  next_->setEnabled(rowCount_ > 0 && index_ + 1 < rowCount_);
}

}  // namespace tidemark::ui
