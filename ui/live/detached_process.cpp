#include "ui/live/detached_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <cstring>
#include <string>
#include <vector>

extern char** environ;

namespace tidemark::ui {
namespace {

Error systemError(const std::string& subject, int code) { return {ErrorCode::Io, subject, std::strerror(code)}; }

// posix_spawn's two settings objects, released whatever happens.
struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Result<std::unique_ptr<DetachedProcess>> DetachedProcess::start(const QString& program, const QStringList& arguments,
                                                                const std::filesystem::path& log) {
  std::vector<std::string> words{program.toStdString()};
  for (const QString& argument : arguments) words.push_back(argument.toStdString());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&settings.files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&settings.files, STDOUT_FILENO, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int failure = posix_spawn(&pid, words[0].c_str(), &settings.files, &settings.attributes, argv.data(), environ);
  if (failure != 0) return systemError("starting " + words[0], failure);
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0) return systemError("watching " + words[0], errno);
  return std::unique_ptr<DetachedProcess>(new DetachedProcess(pid, descriptor));
}

DetachedProcess::DetachedProcess(qint64 pid, int descriptor)
    : pid_(pid), descriptor_(descriptor), notifier_(new QSocketNotifier(descriptor, QSocketNotifier::Read, this)) {
  connect(notifier_, &QSocketNotifier::activated, this, &DetachedProcess::reap);
}

DetachedProcess::~DetachedProcess() {
  delete notifier_;
  close(descriptor_);
}

void DetachedProcess::reap() {
  int status = 0;
  if (waitpid(static_cast<pid_t>(pid_), &status, WNOHANG) != static_cast<pid_t>(pid_)) return;
  notifier_->setEnabled(false);
  emit finished(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace tidemark::ui
