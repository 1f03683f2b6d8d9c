// Settings to begin with for common machines. They lie in resources/presets as configurations without model and data.
#pragma once

#include <QString>
#include <vector>

#include "core/run/config.h"

namespace tidemark::ui {

struct Preset {
  QString name, help;
  run::RunConfig config;
};

const std::vector<Preset>& presets();

// What a preset leaves as it is: the files, and where the run goes.
bool isKeptByPresets(const QString& key);

}  // namespace tidemark::ui
