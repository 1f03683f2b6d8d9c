// The models and datasets that were used last, newest first, kept in a small file beside the database.
#pragma once

#include <QMap>
#include <QString>
#include <QStringList>

namespace tidemark::ui {

class RecentPaths {
 public:
  // `file`: an INI file, made when first needed; empty: nothing outlives this object.
  explicit RecentPaths(QString file = {}) : file_(std::move(file)) {}

  QStringList of(const QString& key) const;  // "model", "dataset.train"; at most kMost
  void note(const QString& key, const QString& path);

  static constexpr int kMost = 8;

 private:
  QString file_;
  mutable QMap<QString, QStringList> lists_;  // read so far
};

}  // namespace tidemark::ui
