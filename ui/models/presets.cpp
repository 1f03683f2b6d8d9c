#include "ui/models/presets.h"

#include <QCoreApplication>
#include <QFile>

// A static library's resources are linked only if they are asked for, which must be done outside any namespace.
static void loadPresetResources() { Q_INIT_RESOURCE(workbench); }

namespace tidemark::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::Preset", text); }

run::RunConfig readPreset(const QString& name) {
  QFile file(QStringLiteral(":/tidemark/presets/%1.yaml").arg(name));
  if (!file.open(QIODevice::ReadOnly)) qFatal("the preset %s is missing", qUtf8Printable(name));
  return run::parseConfig(file.readAll().toStdString()).config;
}

std::vector<Preset> readPresets() {
  loadPresetResources();
  return {{tr("Quick look"), tr("Ten steps on two CPU ranks, to see whether everything works"), readPreset(QStringLiteral("quick_look"))},
          {tr("Small model on the CPU"), tr("Two CPU ranks, 512 tokens, 200 steps"), readPreset(QStringLiteral("cpu"))},
          {tr("One GPU"), tr("One GPU, 1,024 tokens, 500 steps"), readPreset(QStringLiteral("one_gpu"))},
          {tr("Four GPUs"), tr("Four GPUs of one machine, 2,048 tokens, 1,000 steps"), readPreset(QStringLiteral("four_gpus"))},
          {tr("Little memory"), tr("256 tokens one sequence at a time; remote weights are gathered each time"),
           readPreset(QStringLiteral("little_memory"))}};
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = readPresets();
  return all;
}

bool isKeptByPresets(const QString& key) {
  return key == QLatin1String("model") || key == QLatin1String("dataset.train") || key == QLatin1String("dataset.eval") ||
         key == QLatin1String("dataset.format") || key.startsWith(QLatin1String("output.dir"));
}

}  // namespace tidemark::ui
