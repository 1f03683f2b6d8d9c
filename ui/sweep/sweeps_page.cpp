#include "ui/sweep/sweeps_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/sweep/sweep_form_card.h"
#include "ui/sweep/sweep_results_card.h"
#include "ui/widgets/banner.h"

namespace tidemark::ui {

SweepsPage::SweepsPage(QWidget* parent) : QWidget(parent), banner_(new Banner), form_(new SweepFormCard), results_(new SweepResultsCard) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(15, 16, 24, 16);
  layout->setSpacing(12);
  layout->addWidget(makeLabel(tr("Sweeps"), "heading"));
  layout->addWidget(banner_);
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("scroll"));
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidget(form_);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(12);
  columns->addWidget(scroll, 5);
  columns->addWidget(results_, 7);
  layout->addLayout(columns, 1);
  connect(form_, &SweepFormCard::baseWanted, this, &SweepsPage::baseWanted);
  connect(form_, &SweepFormCard::startWanted, this, [this](const sweep::Sweep& sweep) {
    banner_->clear();
    emit startWanted(sweep);
  });
}

void SweepsPage::setBase(const run::RunConfig& base) { form_->form().setBase(base); }

void SweepsPage::setRuns(const std::vector<storage::RunRecord>& runs) { form_->form().setRuns(runs); }

void SweepsPage::setStarting(bool isStarting) { form_->setStarting(isStarting); }

}  // namespace tidemark::ui
