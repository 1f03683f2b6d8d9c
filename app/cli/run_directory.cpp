#include "app/cli/run_directory.h"

#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <utility>

#include "app/cli/words.h"
#include "storage/run_store.h"

namespace tidemark::cli {
namespace fs = std::filesystem;

fs::path defaultRunDirectory(const std::string& runId) {
  return storage::RunStore::defaultPath().parent_path() / "runs" / runId;
}

Result<RunDirectory> RunDirectory::create(const fs::path& path) {
  std::error_code error;
  auto absolute = fs::absolute(path).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();  // "folder/"
  if (fs::exists(absolute, error)) {
    const bool isUsable = fs::is_directory(absolute, error) && fs::is_empty(absolute, error) && !error;
    if (isUsable) return RunDirectory(absolute, {});
    return Error{
        ErrorCode::InvalidConfig, absolute.string(),
        "the run directory must be new or empty; give another output.dir, or go on with `tidemark-cli resume`"};
  }
  fs::path firstNew = absolute;
  while (firstNew.has_relative_path() && !fs::exists(firstNew.parent_path(), error)) firstNew = firstNew.parent_path();
  RunDirectory directory(absolute, firstNew);
  fs::create_directories(absolute, error);
  if (error) return Error{ErrorCode::Io, absolute.string(), error.message()};
  return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      firstNew_(std::move(other.firstNew_)),
      isKept_(std::exchange(other.isKept_, true)) {}

RunDirectory::~RunDirectory() {
  if (!isKept_) discard();
}

void RunDirectory::discard() const {
  std::error_code error;
  if (!firstNew_.empty()) {
    fs::remove_all(path_, error);
    for (auto folder = path_; folder != firstNew_;) {  // parents that create() made, as long as they are empty
      folder = folder.parent_path();
      fs::remove(folder, error);
    }
    return;
  }
  for (const auto& entry : fs::directory_iterator(path_, error)) fs::remove_all(entry.path(), error);
}

InterruptGuard::InterruptGuard(const RunDirectory& directory) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  watcher_ = std::thread([this, set, &directory] {
    const timespec interval{0, 50'000'000};
    while (!isOver_) {
      if (::sigtimedwait(&set, nullptr, &interval) < 0) continue;
      directory.discard();
      say("Interrupted before the run had started; nothing is left behind.");
      ::_exit(static_cast<int>(run::ExitCode::Stopped));
    }
  });
}

InterruptGuard::~InterruptGuard() {
  isOver_ = true;
  watcher_.join();
}

}  // namespace tidemark::cli
