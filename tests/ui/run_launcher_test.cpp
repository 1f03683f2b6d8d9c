#include "ui/live/run_launcher.h"

#include <gtest/gtest.h>

#include <csignal>
#include <unistd.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/launch/agent.h"

namespace tidemark::ui {
namespace {

// A stand-in for tidemark-cli: a shell script, so that every ending can be had at will.
class RunLauncherTest : public testing::Test {
 protected:
  QString script(const QByteArray& body) {
    const QString path = folder_.filePath(QStringLiteral("cli"));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + body);
    file.close();
    EXPECT_TRUE(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    return path;
  }
  std::filesystem::path database() const { return folder_.filePath(QStringLiteral("db")).toStdString(); }
  QByteArray readFile(const QString& name) const {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QTemporaryDir folder_;
};

TEST_F(RunLauncherTest, ARefusalIsToldInTheCommandsOwnWords) {
  RunLauncher launcher(database(), script("echo 'training.learning_rate: must be at least 0' >&2\nexit 2\n"));
  QSignalSpy refused(&launcher, &RunLauncher::refused);
  launcher.start({}, QStringLiteral("x"));
  EXPECT_TRUE(launcher.isStarting());
  ASSERT_TRUE(refused.wait(10'000));
  EXPECT_EQ(refused[0][0].toString(), "training.learning_rate: must be at least 0");
  EXPECT_FALSE(launcher.isStarting());
}

TEST_F(RunLauncherTest, AMissingCommandIsTold) {
  RunLauncher launcher(database(), folder_.filePath(QStringLiteral("no-such-program")));
  QSignalSpy refused(&launcher, &RunLauncher::refused);
  launcher.start({}, QStringLiteral("x"));
  ASSERT_EQ(refused.count(), 1);
  EXPECT_TRUE(refused[0][0].toString().contains("no-such-program"));
}

TEST_F(RunLauncherTest, PassesConfigurationNameAndDatabaseAsWords) {
  const QString name = QStringLiteral("it's $(touch x) \"q\" -rf");
  RunLauncher launcher(database(), script("for a in \"$@\"; do echo \"$a\"; done > \"$(dirname \"$0\")/words\"\nexit 5\n"));
  QSignalSpy refused(&launcher, &RunLauncher::refused);
  run::RunConfig config;
  config.model = "/m.gguf";
  launcher.start(config, name);
  ASSERT_TRUE(refused.wait(10'000));
  const QList<QByteArray> words = readFile(QStringLiteral("words")).trimmed().split('\n');
  ASSERT_EQ(words.size(), 6);
  EXPECT_EQ(words[0], "run");
  EXPECT_EQ(words[2], "--name");
  EXPECT_EQ(words[3], name.toUtf8());
  EXPECT_EQ(words[4], "--db");
  const auto parsed = run::loadConfig(words[1].toStdString(), {});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->config.model, "/m.gguf");
}

TEST_F(RunLauncherTest, TheRunIsRecognisedInTheDatabaseAndOutlivesTheLauncher) {
  const QString cli = script("echo $$ > \"$(dirname \"$0\")/pid\"\nexec sleep 60\n");
  pid_t pid = 0;
  {
    RunLauncher launcher(database(), cli);
    QSignalSpy started(&launcher, &RunLauncher::started);
    launcher.start({}, QStringLiteral("x"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return readFile(QStringLiteral("pid")).endsWith('\n'); }, 10'000));
    pid = readFile(QStringLiteral("pid")).trimmed().toInt();
    ASSERT_GT(pid, 0);
    EXPECT_EQ(getsid(pid), pid) << "a session of its own";
    storage::RunRecord other, mine;
    other.id = "other";
    other.agentPid = pid + 1;
    mine.id = "mine";
    mine.agentPid = pid;
    launcher.noticeRuns({other});
    EXPECT_EQ(started.count(), 0);
    launcher.noticeRuns({other, mine});
    ASSERT_EQ(started.count(), 1);
    EXPECT_EQ(started[0][0].toString(), "mine");
    EXPECT_FALSE(launcher.isStarting());
  }
  EXPECT_EQ(kill(pid, 0), 0) << "it must live on";
  kill(pid, SIGKILL);
}

TEST_F(RunLauncherTest, StoppingAProcessThatIsGoneIsTold) {
  RunLauncher launcher(database(), script("exit 0\n"));
  QSignalSpy refused(&launcher, &RunLauncher::refused);
  storage::RunRecord run;
  run.agentPid = 1;
  run.agentStartTicks = 1;  // process 1 lives, but did not start then
  launcher.stop(run);
  EXPECT_EQ(refused.count(), 1);
}

TEST_F(RunLauncherTest, AFailedReportIsTold) {
  RunLauncher launcher(database(), script("echo 'no such run' >&2\nexit 2\n"));
  QSignalSpy refused(&launcher, &RunLauncher::refused);
  storage::RunRecord run;
  run.id = "r";
  run.directory = folder_.filePath(QStringLiteral("run")).toStdString();
  launcher.makeReport(run);
  launcher.makeReport(run);  // an impatient second click
  ASSERT_TRUE(refused.wait(10'000));
  EXPECT_TRUE(refused[0][0].toString().contains("no such run"));
  EXPECT_FALSE(refused.wait(300)) << "one report, one answer";
}

}  // namespace
}  // namespace tidemark::ui
