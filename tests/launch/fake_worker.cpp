// Plays a rank: carries out the commands in SCRIPTS/script-RANK, one a line, where SCRIPTS is TIDEMARK_FAKE_SCRIPTS or else
// the run directory. For the tests of the agent and the command line.
//   event JSON   a whole line into the event pipe        raw TEXT     the same without a newline
//   log TEXT     a line on stderr                        sleep MS     exit N     kill SIGNUM     ignore SIGNUM
//   on_term N    exit with N at SIGTERM                  environment  appends RUN_DIR/environment-RANK
//   fork | fork_away   a child that sleeps for an hour, in this process group | in a session of its own
//   pid          appends the own pid to RUN_DIR/pids     touch NAME   creates RUN_DIR/NAME
//   await NAME   waits until RUN_DIR/NAME is there
//   exit_unless N TEXT   exit with N unless RUN_DIR/config.yaml holds TEXT
//   given TEXT | VERB REST   only if the configuration contains TEXT
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "(unset)";
}

const std::string directory = variable("TIDEMARK_RUN_DIR");
volatile sig_atomic_t exitCodeAtTerm = 0;

void writeEvents(const std::string& text) {
  const int handle = std::atoi(variable("TIDEMARK_EVENT_FD").c_str());
  for (size_t done = 0; done < text.size();) {
    const auto count = ::write(handle, text.data() + done, text.size() - done);
    if (count <= 0) _exit(98);
    done += static_cast<size_t>(count);
  }
}

void appendPid(pid_t pid) {
  std::ofstream(directory + "/pids", std::ios::app) << pid << "\n";
}

void leaveChild(bool isAway) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (isAway) ::setsid();
    for (;;) ::sleep(3600);
  }
  appendPid(child);
}

void dumpEnvironment(const std::string& rank) {
  std::ofstream file(directory + "/environment-" + rank);
  for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
                           "OMP_NUM_THREADS", "TIDEMARK_RUN_DIR", "TIDEMARK_EVENT_FD", "TIDEMARK_RESUME", "PATH"}) {
    file << name << "=" << variable(name) << "\n";
  }
}

void exitUnless(const std::string& rest) {
  std::ifstream file(directory + "/config.yaml");
  const std::string config{std::istreambuf_iterator<char>(file), {}};
  const size_t space = rest.find(' ');
  if (config.find(rest.substr(space + 1)) == std::string::npos) ::_exit(std::atoi(rest.c_str()));
}

void carryOut(const std::string& verb, const std::string& rest, const std::string& rank) {
  if (verb == "event") writeEvents(rest + "\n");
  if (verb == "raw") writeEvents(rest);
  if (verb == "log") std::cerr << rest << std::endl;
  if (verb == "sleep") ::usleep(static_cast<useconds_t>(std::atoi(rest.c_str())) * 1000);
  if (verb == "exit") ::_exit(std::atoi(rest.c_str()));
  if (verb == "kill") ::kill(::getpid(), std::atoi(rest.c_str()));
  if (verb == "ignore") ::signal(std::atoi(rest.c_str()), SIG_IGN);
  if (verb == "on_term") {
    exitCodeAtTerm = std::atoi(rest.c_str());
    ::signal(SIGTERM, [](int) { ::_exit(exitCodeAtTerm); });
  }
  if (verb == "environment") dumpEnvironment(rank);
  if (verb == "fork") leaveChild(false);
  if (verb == "fork_away") leaveChild(true);
  if (verb == "pid") appendPid(::getpid());
  if (verb == "await") {
    while (::access((directory + "/" + rest).c_str(), F_OK) != 0) ::usleep(10'000);
  }
  if (verb == "exit_unless") exitUnless(rest);
  if (verb == "touch") std::ofstream(directory + "/" + rest) << "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || ::access(argv[1], R_OK) != 0) return 97;
  const auto rank = variable("RANK");
  std::ifstream file(argv[1]);
  const std::string configuration{std::istreambuf_iterator<char>(file), {}};
  const char* scripts = std::getenv("TIDEMARK_FAKE_SCRIPTS");
  std::ifstream script((scripts ? scripts : directory) + "/script-" + rank);
  for (std::string line; std::getline(script, line);) {
    std::istringstream words(line);
    std::string verb, rest;
    words >> verb >> std::ws;
    std::getline(words, rest);
    if (verb == "given") {
      const auto bar = rest.find(" | ");
      if (configuration.find(rest.substr(0, bar)) == std::string::npos) continue;
      std::istringstream inner(rest.substr(bar + 3));
      inner >> verb >> std::ws;
      std::getline(inner, rest);
    }
    carryOut(verb, rest, rank);
  }
  return 0;
}
