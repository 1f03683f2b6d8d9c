// The state of the new-run form: a text for every key of the configuration, what is wrong with each, and whether the run can
// be started. Not responsible for widgets or for reading files: who checks them reports here.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <vector>

#include "core/run/config.h"
#include "ui/models/edit_history.h"

namespace tidemark::ui {

// What is known about the file that a key names.
struct FileCheck {
  enum class State { Unknown, Checking, Good, Bad };
  State state = State::Unknown;
  QString text;  // Good: what it holds; Bad: what is wrong
};

class RunForm : public QObject {
  Q_OBJECT
 public:
  explicit RunForm(QObject* parent = nullptr);

  QString text(const QString& key) const;
  void setText(const QString& key, const QString& text);
  QString name() const { return name_; }
  void setName(const QString& name);
  QString suggestedName() const;  // from model and rank; used while the name is empty
  void setFileCheck(const QString& key, const FileCheck& check);
  FileCheck fileCheck(const QString& key) const;
  // Takes every key from a configuration, such as that of an earlier run.
  void load(const run::RunConfig& config);
  // Takes every key from a preset but the files' and the run's own.
  void apply(const run::RunConfig& preset);
  void undo();
  void redo();
  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }

  // Empty where nothing is wrong. A required key that was never touched has a problem, but shows none beside the field.
  QString problem(const QString& key) const;
  bool isTouched(const QString& key) const { return touched_.count(key) > 0; }
  bool isReady() const { return blockers().isEmpty(); }
  QStringList blockers() const;  // why it cannot be started, each with its field's label
  const run::RunConfig& config() const { return config_; }
  QString yaml() const;          // of the keys that could be read
  QString fileName() const;      // for the YAML: the run's name, without what file names do not take
  QString commandLine() const;

 signals:
  void changed();
  void keyChanged(const QString& key);

 private:
  void evaluate();
  void restore(const EditHistory::Texts& texts);

  EditHistory history_;
  std::map<QString, QString> texts_;
  std::map<QString, QString> problems_;
  std::map<QString, FileCheck> checks_;
  std::map<QString, bool> touched_;
  QString name_;
  run::RunConfig config_;
};

// One word of a command line for a POSIX shell, quoted only where needed.
QString shellQuoted(const QString& word);

}  // namespace tidemark::ui
