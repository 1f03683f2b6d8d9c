#include "ui/pages/learning_tab.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QVBoxLayout>

#include "plots/curve_plot.h"
#include "plots/quantity.h"
#include "ui/models/run_figures.h"
#include "ui/widgets/card.h"

namespace tidemark::ui {
namespace {

constexpr int kDefaultSmoothing = 60;  // percent
constexpr std::size_t kEvaluationsShown = 8;

QString dataText(const RunDetail& detail) {
  if (!detail.dataset) return LearningTab::tr("The data has not been prepared yet.");
  const run::DatasetEvent& data = *detail.dataset;
  QStringList parts{LearningTab::tr("%1 training rows").arg(plots::countText(static_cast<double>(data.trainRows))),
                    LearningTab::tr("%1 evaluation rows").arg(plots::countText(static_cast<double>(data.evalRows))),
                    LearningTab::tr("%1 training tokens").arg(plots::countText(static_cast<double>(data.trainTokens)))};
  if (data.droppedLong > 0) parts << LearningTab::tr("%1 rows too long, left out").arg(data.droppedLong);
  if (data.truncated > 0) parts << LearningTab::tr("%1 rows cut").arg(data.truncated);
  if (data.withoutLoss > 0) parts << LearningTab::tr("%1 rows without loss").arg(data.withoutLoss);
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

LearningTab::LearningTab(QWidget* parent)
    : QWidget(parent), card_(new Card(tr("Loss and throughput"))), curves_(new plots::CurvePlot),
      smoothing_(new QSlider(Qt::Horizontal)), smoothingText_(makeLabel({}, "muted")), data_(makeLabel({}, "body")),
      evaluations_(makeLabel({}, "body")) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(12);
  layout->addWidget(card_, 1);
  card_->setCaption(tr("— loss   ◇ evaluation loss   - - tokens/s"));
  card_->body()->addWidget(curves_, 1);
  auto* row = new QHBoxLayout;
  QLabel* label = makeLabel(tr("smoothing"), "muted");
  label->setBuddy(smoothing_);
  smoothing_->setRange(0, 99);
  smoothing_->setFixedWidth(220);
  smoothing_->setAccessibleName(tr("Smoothing"));
  smoothing_->setToolTip(tr("Weight of earlier steps in the strong line, in percent; the faint line is what was measured"));
  row->addWidget(label);
  row->addWidget(smoothing_);
  row->addWidget(smoothingText_);
  row->addStretch(1);
  card_->body()->addLayout(row);
  connect(smoothing_, &QSlider::valueChanged, this, [this](int percent) {
    curves_->setSmoothing(percent / 100.0);
    smoothingText_->setText(tr("%1 %").arg(percent));
  });
  smoothing_->setValue(kDefaultSmoothing);
  auto* facts = new QHBoxLayout;
  facts->setSpacing(12);
  auto* dataCard = new Card(tr("Data"));
  auto* evaluationCard = new Card(tr("Evaluation"));
  dataCard->body()->addWidget(data_, 1, Qt::AlignTop);
  evaluationCard->body()->addWidget(evaluations_, 1, Qt::AlignTop);
  for (QLabel* text : {data_, evaluations_}) text->setWordWrap(true);
  facts->addWidget(dataCard, 1);
  facts->addWidget(evaluationCard, 1);
  layout->addLayout(facts);
}

void LearningTab::show(const RunDetail& detail, const std::vector<run::StepEvent>& steps) {
  curves_->setSeries(curvesOf(steps, detail.evaluations));
  data_->setText(dataText(detail));
  QStringList lines;
  const auto& all = detail.evaluations;
  const std::size_t first = all.size() > kEvaluationsShown ? all.size() - kEvaluationsShown : 0;
  for (std::size_t i = first; i < all.size(); ++i) {
    lines << tr("step %1: loss %2").arg(plots::countText(static_cast<double>(all[i].step)), plots::decimalText(all[i].loss, 4));
  }
  evaluations_->setText(lines.isEmpty() ? tr("No evaluation yet.") : lines.join(QStringLiteral("   ·   ")));
}

void LearningTab::setTheme(const plots::PlotTheme& theme) { curves_->setTheme(theme); }

}  // namespace tidemark::ui
