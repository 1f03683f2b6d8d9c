// Whether the desktop prefers light or dark, asked of the desktop portal over D-Bus (Qt 6.4 does not tell), with the user's
// own choice before it. Never blocks: until the portal answers the last known scheme holds.
#pragma once

#include <QObject>
#include <QVariant>

#include "ui/shell/theme.h"

class QDBusVariant;

namespace tidemark::ui {

enum class Appearance { System, Light, Dark };

class ColorSchemeSource : public QObject {
  Q_OBJECT
 public:
  explicit ColorSchemeSource(QObject* parent = nullptr);

  ColorScheme scheme() const;
  Appearance appearance() const { return appearance_; }
  void setAppearance(Appearance appearance);
  // Asks the portal and listens to its changes.
  void listen();

 signals:
  void schemeChanged(tidemark::ui::ColorScheme scheme);

 private slots:
  void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

 private:
  void takeSystemScheme(const QVariant& value);

  Appearance appearance_ = Appearance::System;
  ColorScheme system_ = ColorScheme::Light;
};

}  // namespace tidemark::ui
