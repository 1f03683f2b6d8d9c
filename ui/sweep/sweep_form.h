// The state of the form for a new sweep: what is tried for which key, how runs are judged, what is wrong, how many runs there
// are and how long they take. Not responsible for widgets, nor for the configuration that the runs share.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <optional>
#include <vector>

#include "core/sweep/sweep.h"
#include "storage/run_store.h"

namespace tidemark::ui {

// One key with what is tried for it, as typed.
struct SweepRow {
  QString key;  // "training.learning_rate"
  sweep::SweptKey::Kind kind = sweep::SweptKey::Kind::Choice;
  QString values;  // "1e-4, 2e-4"; or the lowest and the highest
};

class SweepForm : public QObject {
  Q_OBJECT
 public:
  explicit SweepForm(QObject* parent = nullptr);

  void setBase(const run::RunConfig& base);
  const run::RunConfig& base() const { return sweep_.base; }
  const std::vector<SweepRow>& rows() const { return rows_; }
  void addRow();  // with the first usual key that is not there yet
  void removeRow(std::size_t row);
  void setRow(std::size_t row, const SweepRow& content);  // values that are drawn make the sweep random
  void setName(const QString& name);
  void setMode(sweep::Mode mode);  // a grid lists its values: what was to be drawn is to be listed then
  void setCount(int count);
  void setSeeds(int seeds);
  void setAtOnce(int atOnce);
  void setObjective(sweep::Objective objective);
  void setStopping(const sweep::EarlyStopping& stopping);
  // Finished and running ones, from which the time is estimated; newest first.
  void setRuns(const std::vector<storage::RunRecord>& runs);

  const sweep::Sweep& sweep() const { return sweep_; }
  bool isReady() const { return problems_.isEmpty(); }
  QStringList problems() const { return problems_; }
  QString rowProblem(std::size_t row) const;  // empty: none, or nothing was typed yet
  int64_t runCount() const { return runCount_; }  // 0 while there are problems
  QString timeText() const;  // "about 12 min, as fast as “first”"

 signals:
  void changed();
  void rowsChanged();  // one came or went

 private:
  struct Speed {
    std::string model;
    double secondsPerToken = 0;
    QString name;
    int64_t ranks = 0;
  };
  void evaluate();
  const Speed* speedOf() const;
  void change(bool isOther);

  sweep::Sweep sweep_;
  std::vector<SweepRow> rows_;
  QStringList problems_;
  std::map<QString, QString> rowProblems_;  // by key
  std::vector<Speed> speeds_;
  std::map<std::string, Speed> knownSpeeds_;  // by run
  int64_t runCount_ = 0;
  double tokens_ = 0;  // of all runs together
};

// "1e-4, [q_proj, v_proj]": split at commas outside brackets.
std::vector<std::string> splitValues(const QString& text);

}  // namespace tidemark::ui
