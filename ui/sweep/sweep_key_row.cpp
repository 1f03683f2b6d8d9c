#include "ui/sweep/sweep_key_row.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/widgets/card.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

using Kind = sweep::SweptKey::Kind;

const run::KeyInfo* infoOf(const QString& key) {
  for (const run::KeyInfo& info : run::configKeys())
    if (QString::fromStdString(info.key) == key) return &info;
  return nullptr;
}

void fillKeys(QComboBox* combo) {
  for (const run::KeyInfo& info : run::configKeys()) {
    if (info.key == "output.dir") continue;  // every run gets a folder of its own
    combo->addItem(labelOf(info), QString::fromStdString(info.key));
    combo->setItemData(combo->count() - 1, QString::fromStdString(info.key), Qt::ToolTipRole);
  }
}

}  // namespace

SweepKeyRow::SweepKeyRow(QWidget* parent)
    : QWidget(parent), key_(new QComboBox), kind_(new QComboBox), values_(new QLineEdit), problem_(makeLabel({}, "error")) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(3);
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  fillKeys(key_);
  key_->setObjectName(QStringLiteral("sweptKey"));
  key_->setAccessibleName(tr("Setting to vary"));
  key_->setToolTip(tr("The key of the configuration for which values are tried"));
  key_->setMaxVisibleItems(24);
  kind_->addItem(tr("each of"), static_cast<int>(Kind::Choice));
  kind_->addItem(tr("evenly between"), static_cast<int>(Kind::Uniform));
  kind_->addItem(tr("by magnitude between"), static_cast<int>(Kind::LogUniform));
  kind_->addItem(tr("whole, between"), static_cast<int>(Kind::Integer));
  kind_->setObjectName(QStringLiteral("sweptKind"));
  kind_->setAccessibleName(tr("How its values are chosen"));
  kind_->setToolTip(tr("Listed values, or drawn ones: evenly, evenly in their logarithm, or whole numbers. Drawing makes the combinations random"));
  values_->setObjectName(QStringLiteral("sweptValues"));
  values_->setAccessibleName(tr("Values"));
  auto* remove = new QToolButton;
  remove->setText(QStringLiteral("✕"));
  remove->setObjectName(QStringLiteral("removeKey"));
  remove->setAccessibleName(tr("Remove this setting"));
  remove->setToolTip(tr("Do not vary this setting"));
  line->addWidget(key_, 5);
  line->addWidget(kind_, 4);
  line->addWidget(values_, 7);
  line->addWidget(remove);
  layout->addLayout(line);
  layout->addWidget(problem_);
  problem_->setWordWrap(true);
  problem_->hide();
  for (QComboBox* combo : {key_, kind_}) {
    combo->setMinimumContentsLength(6);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(combo, &QComboBox::currentIndexChanged, this, [this] {
      showKind();
      emit edited();
    });
  }
  connect(values_, &QLineEdit::textChanged, this, &SweepKeyRow::edited);
  connect(remove, &QToolButton::clicked, this, &SweepKeyRow::removeWanted);
  showKind();
}

void SweepKeyRow::showKind() {
  const run::KeyInfo* info = infoOf(key_->currentData().toString());
  const bool isList = kind_->currentData().toInt() == static_cast<int>(Kind::Choice);
  QString hint = tr("lowest, highest");
  if (isList) {
    QStringList choices;
    for (const std::string& choice : info ? info->choices : std::vector<std::string>{}) choices << QString::fromStdString(choice);
    hint = choices.isEmpty() ? tr("values, with commas between") : choices.join(QStringLiteral(", "));
  }
  values_->setPlaceholderText(hint);
  const QString unit = info && !info->unit.empty() ? tr(" Unit: %1.").arg(QString::fromStdString(info->unit)) : QString();
  values_->setToolTip((isList ? tr("Each is tried, with commas between them. A list as a value goes in brackets: [q_proj, v_proj].")
                              : tr("The lowest and the highest that may be drawn, with a comma between them.")) + unit);
}

void SweepKeyRow::setRow(const SweepRow& row) {
  const QSignalBlocker blockers[] = {QSignalBlocker(key_), QSignalBlocker(kind_), QSignalBlocker(values_)};
  key_->setCurrentIndex(std::max(0, key_->findData(row.key)));
  kind_->setCurrentIndex(std::max(0, kind_->findData(static_cast<int>(row.kind))));
  if (values_->text() != row.values) values_->setText(row.values);
  showKind();
}

SweepRow SweepKeyRow::row() const {
  return {key_->currentData().toString(), static_cast<Kind>(kind_->currentData().toInt()), values_->text()};
}

void SweepKeyRow::setProblem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  values_->setProperty("invalid", !problem.isEmpty());
  values_->style()->unpolish(values_);
  values_->style()->polish(values_);
}

}  // namespace tidemark::ui
