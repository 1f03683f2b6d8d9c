#include "ui/compare/curves_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/compare/card_tools.h"

namespace tidemark::ui {
namespace {

constexpr int kDefaultSmoothing = 60;  // percent

}  // namespace

CurvesCard::CurvesCard(QWidget* parent)
    : Card(tr("Curves"), parent),
      what_(makeChoice(tr("Curve"), {tr("Loss"), tr("Evaluation loss"), tr("Tokens/s"), tr("Learning rate"), tr("Peak memory"), tr("Remote bytes")},
                       tr("What is drawn: losses in nats per target token, memory and remote bytes of rank 0"))),
      over_(makeChoice(tr("X axis"), {tr("over steps"), tr("over tokens"), tr("over time")},
                       tr("Optimizer steps, tokens trained on, or training time without evaluations"))),
      smoothing_(new QSlider(Qt::Horizontal)), smoothingText_(makeLabel({}, "muted")), plot_(new plots::OverlayPlot) {
  makeTools();
  plot_->setAccessibleName(tr("Curves of the runs"));
  body()->addWidget(plot_, 1);
  body()->addWidget(makeSmoothing());
  layout()->setContentsMargins(16, 8, 12, 8);
  for (QComboBox* combo : {what_, over_}) connect(combo, &QComboBox::currentIndexChanged, this, &CurvesCard::showCurves);
}

void CurvesCard::makeTools() {
  auto* saveButton = makeSaveButton(tr("Save the curves"));
  for (QWidget* widget : std::initializer_list<QWidget*>{what_, over_, saveButton}) header()->addWidget(widget);
  header()->setSpacing(8);
  connect(saveButton, &QToolButton::clicked, this, [this] { plot_->askWhereToSave(); });
}

QWidget* CurvesCard::makeSmoothing() {
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  QLabel* label = makeLabel(tr("smoothing"), "muted");
  label->setBuddy(smoothing_);
  smoothing_->setRange(0, 99);
  smoothing_->setFixedWidth(200);
  smoothing_->setAccessibleName(tr("Smoothing"));
  smoothing_->setToolTip(tr("Weight of earlier steps in the strong line, in percent; the faint line is what was measured"));
  for (QWidget* widget : std::initializer_list<QWidget*>{label, smoothing_, smoothingText_}) layout->addWidget(widget);
  layout->addStretch(1);
  connect(smoothing_, &QSlider::valueChanged, this, [this](int percent) {
    plot_->setSmoothing(percent / 100.0);
    smoothingText_->setText(tr("%1 %").arg(percent));
  });
  smoothing_->setValue(kDefaultSmoothing);
  return row;
}

void CurvesCard::show(const ComparedRuns& runs, const std::vector<int>& marks) {
  runs_ = runs;
  marks_ = marks;
  showCurves();
}

void CurvesCard::showCurves() {
  const auto what = static_cast<CurveOf>(what_->currentIndex());
  smoothing_->setEnabled(what != CurveOf::EvaluationLoss);  // its few points are drawn as they are
  plot_->setPictureTitle(tr("%1 %2").arg(what_->currentText(), over_->currentText()));
  plot_->setSeries(curvesOf(runs_, marks_, what, static_cast<CurveOver>(over_->currentIndex())));
}

void CurvesCard::setTheme(const plots::PlotTheme& theme) { plot_->setTheme(theme); }

}  // namespace tidemark::ui
