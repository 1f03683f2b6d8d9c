#include "ui/models/recent_paths.h"

#include <QSettings>

namespace tidemark::ui {
namespace {

QString entryOf(const QString& key) { return QStringLiteral("recent/") + key; }

}  // namespace

QStringList RecentPaths::of(const QString& key) const {
  const auto known = lists_.constFind(key);
  if (known != lists_.constEnd()) return *known;
  QStringList list;
  if (!file_.isEmpty()) list = QSettings(file_, QSettings::IniFormat).value(entryOf(key)).toStringList();
  return lists_.insert(key, list.mid(0, kMost)).value();
}

void RecentPaths::note(const QString& key, const QString& path) {
  QStringList list = of(key);
  if (!list.isEmpty() && list.front() == path) return;
  list.removeAll(path);
  list.prepend(path);
  lists_[key] = list.mid(0, kMost);
  if (!file_.isEmpty()) QSettings(file_, QSettings::IniFormat).setValue(entryOf(key), lists_[key]);
}

}  // namespace tidemark::ui
