#include "ui/data/problem_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace tidemark::ui {

ProblemCard::ProblemCard(QWidget* parent) : Card(tr("Problems"), parent), none_(makeLabel({}, "body")) {
  auto* lines = new QWidget;
  lines->setObjectName(QStringLiteral("lines"));
  auto* layout = new QVBoxLayout(lines);
  layout->setContentsMargins(0, 0, 6, 0);
  layout->setSpacing(6);
  for (std::size_t i = 0; i < kDataProblems; ++i) {
    entries_[i] = makeEntry(static_cast<DataProblem>(i));
    layout->addWidget(entries_[i].line);
  }
  layout->addWidget(none_);
  layout->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(lines);
  scroll->viewport()->setAutoFillBackground(false);
  lines->setAutoFillBackground(false);
  body()->addWidget(scroll, 1);
  show({}, {});
}

ProblemCard::Entry ProblemCard::makeEntry(DataProblem problem) {
  Entry entry;
  entry.line = new QWidget;
  auto* layout = new QHBoxLayout(entry.line);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(12);
  entry.count = makeLabel({}, "strong");
  entry.count->setMinimumWidth(36);
  entry.count->setAlignment(Qt::AlignRight);
  entry.name = makeLabel({}, "body");
  entry.advice = makeLabel({}, "muted");
  entry.advice->setWordWrap(true);
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  words->addWidget(entry.name);
  words->addWidget(entry.advice);
  layout->addWidget(entry.count, 0, Qt::AlignTop);
  layout->addLayout(words, 1);
  if (static_cast<std::size_t>(problem) >= kRowProblems) return entry;
  entry.jump = new QToolButton;
  entry.jump->setProperty("framed", true);
  entry.jump->setText(tr("Next ›"));
  layout->addWidget(entry.jump);
  connect(entry.jump, &QToolButton::clicked, this, [this, problem] { emit jumpWanted(problem); });
  return entry;
}

void ProblemCard::show(const DataSummary& summary, const RowLimit& limit) {
  bool hasAny = false;
  for (std::size_t i = 0; i < kDataProblems; ++i) {
    const auto problem = static_cast<DataProblem>(i);
    const Entry& entry = entries_[i];
    const int64_t count = summary.count(problem);
    entry.line->setVisible(count > 0);
    if (count == 0) continue;
    hasAny = true;
    entry.count->setText(QLocale().toString(static_cast<qlonglong>(count)));
    entry.name->setText(problemName(problem, limit));
    entry.advice->setText(problemAdvice(problem, limit));
    if (!entry.jump) continue;
    entry.jump->setToolTip(tr("Go to the next row of this kind"));
    entry.jump->setAccessibleName(tr("Next: %1").arg(entry.name->text()));
  }
  none_->setVisible(!hasAny);
  none_->setText(summary.rows == 0 ? tr("Nothing is read yet.") : tr("✓ None found."));
}

}  // namespace tidemark::ui
