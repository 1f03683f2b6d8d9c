#include "ui/live/run_launcher.h"

#include <QDateTime>
#include <QFileInfo>
#include <QProcess>
#include <algorithm>

#include "core/base/file.h"
#include "core/launch/agent.h"

namespace tidemark::ui {
namespace {

constexpr uint64_t kMostLogBytes = 1 << 20;
constexpr qsizetype kMostMessageChars = 2000;

QString tailOf(const std::filesystem::path& log) {
  const auto text = readFile(log, kMostLogBytes);
  const QString whole = text.ok() ? QString::fromStdString(*text).trimmed() : QString::fromStdString(text.error().message());
  return whole.size() > kMostMessageChars ? QStringLiteral("…") + whole.right(kMostMessageChars) : whole;
}

}  // namespace

RunLauncher::RunLauncher(std::filesystem::path database, QString cli, QObject* parent)
    : QObject(parent), database_(std::move(database)), cli_(std::move(cli)) {}

RunLauncher::~RunLauncher() = default;

Result<std::filesystem::path> RunLauncher::makeFolder() const {
  const QString stamp = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
  const std::filesystem::path folder = database_.parent_path() / "submitted" / stamp.toStdString();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Error{ErrorCode::Io, folder.string(), failure.message()};
  return folder;
}

Result<std::filesystem::path> RunLauncher::writeFile(const char* name, const std::string& content) const {
  TIDEMARK_ASSIGN(const std::filesystem::path folder, makeFolder());
  TIDEMARK_TRY(writeFileAtomically(folder / name, content));
  return folder / name;
}

void RunLauncher::start(const run::RunConfig& config, const QString& name) {
  const auto file = writeFile("config.yaml", run::toYaml(config));
  if (!file.ok()) {
    emit refused(QString::fromStdString(file.error().message()));
    return;
  }
  launch({QStringLiteral("run"), QString::fromStdString(file->string()), QStringLiteral("--name"), name});
}

void RunLauncher::startSweep(const sweep::Sweep& sweep) {
  const auto file = writeFile("sweep.yaml", sweep::toYaml(sweep));
  if (!file.ok()) {
    emit refused(QString::fromStdString(file.error().message()));
    return;
  }
  launch({QStringLiteral("sweep"), QString::fromStdString(file->string())});
}

void RunLauncher::resumeSweep(const storage::SweepRecord& sweep) {
  launch({QStringLiteral("sweep"), QStringLiteral("--resume"), QString::fromStdString(sweep.id)});
}

void RunLauncher::stopSweep(const storage::SweepRecord& sweep) {
  const Status status = launch::requestStop(sweep.agentPid, sweep.agentStartTicks);
  if (!status.ok()) emit refused(QString::fromStdString(status.error().message()));
}

void RunLauncher::resume(const storage::RunRecord& run) {
  launch({QStringLiteral("resume"), QString::fromStdString(run.id)});
}

void RunLauncher::launch(const QStringList& arguments) {
  const auto folder = makeFolder();
  if (!folder.ok()) {
    emit refused(QString::fromStdString(folder.error().message()));
    return;
  }
  Pending pending;
  pending.log = *folder / "output.log";
  const QStringList all = arguments + QStringList{QStringLiteral("--db"), QString::fromStdString(database_.string())};
  auto process = DetachedProcess::start(cli_, all, pending.log);
  if (!process.ok()) {
    emit refused(QString::fromStdString(process.error().message()));
    return;
  }
  pending.process = std::move(process).value();
  const qint64 pid = pending.process->pid();
  // Queued: the object must not be deleted inside its own signal.
  connect(pending.process.get(), &DetachedProcess::finished, this, [this, pid](int code) { ended(pid, code); },
          Qt::QueuedConnection);
  pending_.push_back(std::move(pending));
  emit pendingChanged();
}

void RunLauncher::ended(qint64 pid, int exitCode) {
  const auto isIt = [pid](const Pending& pending) { return pending.process->pid() == pid; };
  std::erase_if(seen_, isIt);
  const auto found = std::find_if(pending_.begin(), pending_.end(), isIt);
  if (found == pending_.end()) return;
  const QString words = tailOf(found->log);
  pending_.erase(found);
  emit pendingChanged();
  if (exitCode == 0) return;  // a run so short that it ended before it was seen; the database tells the rest
  emit refused(words.isEmpty() ? tr("The command ended with code %1 and said nothing.").arg(exitCode) : words);
}

template <typename Record>
void RunLauncher::notice(const std::vector<Record>& records, void (RunLauncher::*seen)(const QString& id)) {
  for (auto it = pending_.begin(); it != pending_.end();) {
    const qint64 pid = it->process->pid();
    const auto record = std::find_if(records.begin(), records.end(), [pid](const Record& r) { return r.agentPid == pid; });
    if (record == records.end()) {
      ++it;
      continue;
    }
    seen_.push_back(std::move(*it));
    it = pending_.erase(it);
    emit pendingChanged();
    emit (this->*seen)(QString::fromStdString(record->id));
  }
}

void RunLauncher::noticeRuns(const std::vector<storage::RunRecord>& runs) { notice(runs, &RunLauncher::started); }

void RunLauncher::noticeSweeps(const std::vector<storage::SweepRecord>& sweeps) { notice(sweeps, &RunLauncher::sweepStarted); }

void RunLauncher::stop(const storage::RunRecord& run) {
  const Status status = launch::requestStop(run.agentPid, run.agentStartTicks);
  if (!status.ok()) emit refused(QString::fromStdString(status.error().message()));
}

void RunLauncher::makeReport(const storage::RunRecord& run) {
  if (reporting_.count(run.id)) return;
  const std::filesystem::path folder = std::filesystem::path(run.directory) / "report";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    emit refused(tr("%1: %2").arg(QString::fromStdString(folder.string()), QString::fromStdString(failure.message())));
    return;
  }
  const QString target = QString::fromStdString((folder / "report.html").string());
  reporting_.insert(run.id);
  auto* process = new QProcess(this);
  process->setProcessChannelMode(QProcess::MergedChannels);
  connect(process, &QProcess::finished, this, [this, process, target, id = run.id](int code, QProcess::ExitStatus status) {
    reporting_.erase(id);
    const QString words = QString::fromUtf8(process->readAll()).trimmed().right(kMostMessageChars);
    process->deleteLater();
    if (status == QProcess::NormalExit && code == 0) {
      emit reportReady(target);
    } else {
      emit refused(tr("The report was not made: %1").arg(words.isEmpty() ? tr("code %1").arg(code) : words));
    }
  });
  connect(process, &QProcess::errorOccurred, this, [this, process, id = run.id](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;  // others end in finished()
    reporting_.erase(id);
    emit refused(tr("%1: %2").arg(cli_, process->errorString()));
    process->deleteLater();
  });
  process->start(cli_, {QStringLiteral("report"), QString::fromStdString(run.id), QStringLiteral("--out"), target,
                        QStringLiteral("--db"), QString::fromStdString(database_.string())});
}

}  // namespace tidemark::ui
