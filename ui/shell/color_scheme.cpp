#include "ui/shell/color_scheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace tidemark::ui {
namespace {

// https://flatpak.github.io/xdg-desktop-portal/: org.freedesktop.portal.Settings
const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kSpace = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");
constexpr uint kPrefersDark = 1;

QVariant unwrapped(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value;
}

}  // namespace

ColorSchemeSource::ColorSchemeSource(QObject* parent) : QObject(parent) {}

ColorScheme ColorSchemeSource::scheme() const {
  switch (appearance_) {
    case Appearance::Light: return ColorScheme::Light;
    case Appearance::Dark: return ColorScheme::Dark;
    case Appearance::System: return system_;
  }
  return system_;
}

void ColorSchemeSource::setAppearance(Appearance appearance) {
  const ColorScheme before = scheme();
  appearance_ = appearance;
  if (scheme() != before) emit schemeChanged(scheme());
}

void ColorSchemeSource::listen() {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;  // no desktop session: the user's choice is all there is
  bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
              SLOT(settingChanged(QString, QString, QDBusVariant)));
  QDBusMessage question = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
  question << kSpace << kKey;
  auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
  connect(answer, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
    const QDBusPendingReply<QVariant> reply = *call;
    if (reply.isValid()) takeSystemScheme(reply.value());
    call->deleteLater();
  });
}

void ColorSchemeSource::settingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
  if (space == kSpace && key == kKey) takeSystemScheme(value.variant());
}

void ColorSchemeSource::takeSystemScheme(const QVariant& value) {
  const ColorScheme before = scheme();
  system_ = unwrapped(value).toUInt() == kPrefersDark ? ColorScheme::Dark : ColorScheme::Light;
  if (scheme() != before) emit schemeChanged(scheme());
}

}  // namespace tidemark::ui
