#include "ui/models/run_status.h"

#include <QCoreApplication>

namespace tidemark::ui {

using storage::RunStatus;

namespace {
QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::RunStatus", text); }
}  // namespace

QString statusWord(RunStatus status) {
  switch (status) {
    case RunStatus::Queued: return tr("Queued");
    case RunStatus::Running: return tr("Running");
    case RunStatus::Stopping: return tr("Stopping");
    case RunStatus::Completed: return tr("Completed");
    case RunStatus::Stopped: return tr("Stopped");
    case RunStatus::Failed: return tr("Failed");
    case RunStatus::Lost: return tr("Lost");
  }
  return {};
}

QString statusSymbol(RunStatus status) {
  switch (status) {
    case RunStatus::Queued: return QStringLiteral("○");
    case RunStatus::Running: return QStringLiteral("●");
    case RunStatus::Stopping: return QStringLiteral("◐");
    case RunStatus::Completed: return QStringLiteral("✓");
    case RunStatus::Stopped: return QStringLiteral("■");
    case RunStatus::Failed: return QStringLiteral("✕");
    case RunStatus::Lost: return QStringLiteral("?");
  }
  return {};
}

QColor statusColor(RunStatus status) {
  switch (status) {
    case RunStatus::Running: return QColor(0x2A, 0x9D, 0x8F);
    case RunStatus::Completed: return QColor(0x36, 0x92, 0x5E);
    case RunStatus::Stopping:
    case RunStatus::Lost: return QColor(0xC0, 0x80, 0x20);
    case RunStatus::Failed: return QColor(0xD0, 0x4F, 0x38);
    case RunStatus::Queued:
    case RunStatus::Stopped: return QColor(0x80, 0x88, 0x96);
  }
  return {};
}

bool isActive(RunStatus status) {
  return status == RunStatus::Queued || status == RunStatus::Running || status == RunStatus::Stopping;
}

bool canResume(RunStatus status) {
  return status == RunStatus::Stopped || status == RunStatus::Failed || status == RunStatus::Lost;
}

}  // namespace tidemark::ui
