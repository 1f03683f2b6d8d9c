#include "ui/sweep/sweep_words.h"

#include <QCoreApplication>

namespace tidemark::ui {
namespace {

using storage::PointState;
using storage::SweepStatus;

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::SweepWords", text); }

}  // namespace

QString stateText(PointState state) {
  switch (state) {
    case PointState::Waiting: return tr("○ Waiting");
    case PointState::Running: return tr("● Running");
    case PointState::Completed: return tr("✓ Completed");
    case PointState::StoppedEarly: return tr("◆ Stopped early");
    case PointState::Failed: return tr("✕ Failed");
    case PointState::Refused: return tr("✕ Refused");
    case PointState::Stopped: return tr("■ Stopped");
  }
  return {};
}

QColor stateColor(PointState state) {
  switch (state) {
    case PointState::Running: return QColor(0x2A, 0x9D, 0x8F);
    case PointState::Completed: return QColor(0x36, 0x92, 0x5E);
    case PointState::StoppedEarly: return QColor(0xC0, 0x80, 0x20);
    case PointState::Failed:
    case PointState::Refused: return QColor(0xD0, 0x4F, 0x38);
    case PointState::Waiting:
    case PointState::Stopped: return QColor(0x80, 0x88, 0x96);
  }
  return {};
}

QString statusText(SweepStatus status) {
  switch (status) {
    case SweepStatus::Running: return tr("● Running");
    case SweepStatus::Completed: return tr("✓ Completed");
    case SweepStatus::Stopped: return tr("■ Stopped");
    case SweepStatus::Lost: return tr("? Lost");
  }
  return {};
}

QString objectiveText(const std::string& objective) {
  if (objective == nameOf(sweep::Objective::Loss)) return tr("Training loss");
  if (objective == nameOf(sweep::Objective::TokensPerSecond)) return tr("Tokens/s");
  return tr("Evaluation loss");
}

bool isGreaterBetter(const std::string& objective) { return objective == nameOf(sweep::Objective::TokensPerSecond); }

int64_t bestPoint(const std::vector<storage::SweepPoint>& points, const std::string& objective) {
  return storage::bestPoint(points, isGreaterBetter(objective) ? storage::Wanted::Greatest : storage::Wanted::Least);
}

}  // namespace tidemark::ui
