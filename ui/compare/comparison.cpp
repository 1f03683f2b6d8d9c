#include "ui/compare/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/sha256.h"
#include "ui/compare/comparability.h"

namespace tidemark::ui {
namespace {

constexpr std::size_t kDigestLength = 10;

using Values = std::vector<std::optional<std::string>>;

// Where files and connections are; it changes no figure.
bool isPlace(const std::string& key) { return key == "output.dir" || key == "parallel.master_port"; }

bool areEqual(const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](const auto& value) { return value == values.front(); });
}

SettingRow makeRow(const std::string& key, Values values) {
  SettingRow row{key, std::move(values)};
  row.differs = !areEqual(row.values) && !isPlace(key);
  return row;
}

// Every key that any of the runs has, in the order of the first run that has it.
std::vector<std::string> keysOf(const ComparedRuns& runs) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const auto& run : runs) {
    for (const auto& setting : run->settings) {
      if (seen.insert(setting.first).second) keys.push_back(setting.first);
    }
  }
  return keys;
}

std::string digestOf(const std::string& text) {
  Sha256 hash;
  hash.add(std::span<const char>(text));
  return toHex(hash.finish()).substr(0, kDigestLength);
}

template <typename Find>
Values valuesOf(const ComparedRuns& runs, Find find) {
  Values values;
  for (const auto& run : runs) values.push_back(find(*run));
  return values;
}

// What is not known (yet) of a run differs from nothing.
SettingRow makeFoundOutRow(const std::string& key, Values values) {
  std::set<std::string> known;
  for (const auto& value : values) {
    if (value) known.insert(*value);
  }
  return {.key = key, .values = std::move(values), .differs = known.size() > 1};
}

// What no key of the configuration says, and losses depend on.
void addFoundOut(Comparison& comparison) {
  using Found = std::optional<std::string>;
  comparison.settings.push_back(makeFoundOutRow("chat template", valuesOf(comparison.runs, [](const ComparedRun& run) {
    if (!run.chatTemplate) return Found();
    return Found(run.chatTemplate->empty() ? "none" : digestOf(*run.chatTemplate));
  })));
  comparison.settings.push_back(makeFoundOutRow("prepared data", valuesOf(comparison.runs, [](const ComparedRun& run) {
    return run.dataset && !run.dataset->hash.empty() ? Found(run.dataset->hash.substr(0, kDigestLength)) : Found();
  })));
  comparison.settings.push_back(makeFoundOutRow("vocabulary", valuesOf(comparison.runs, [](const ComparedRun& run) {
    return run.model && run.model->vocabularySize > 0 ? Found(std::to_string(run.model->vocabularySize)) : Found();
  })));
}

// Runs with the same text here differ by their seed only.
std::string settingsButSeed(const ComparedRun& run) {
  std::string text;
  for (const auto& [key, value] : run.settings) {
    if (key != "training.seed" && !isPlace(key)) text += key + '\0' + value + '\0';
  }
  return text;
}

std::vector<SeedGroup> findGroups(const ComparedRuns& runs) {
  std::map<std::string, std::size_t> places;
  std::vector<SeedGroup> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->settings.empty()) continue;  // nothing is known of how it was made
    const auto [place, isNew] = places.try_emplace(settingsButSeed(*runs[i]), groups.size());
    if (isNew) groups.push_back({QString::fromStdString(runs[i]->record.name).simplified(), {}});
    groups[place->second].runs.push_back(i);
  }
  std::erase_if(groups, [](const SeedGroup& group) { return group.runs.size() < 2; });
  return groups;
}

}  // namespace

Comparison compareRuns(ComparedRuns runs) {
  Comparison comparison;
  comparison.runs = std::move(runs);
  if (comparison.runs.empty()) return comparison;
  for (const std::string& key : keysOf(comparison.runs)) {
    comparison.settings.push_back(makeRow(key, valuesOf(comparison.runs, [&](const ComparedRun& run) { return settingOf(run, key); })));
  }
  addFoundOut(comparison);
  comparison.groups = findGroups(comparison.runs);
  judgeComparability(comparison);
  return comparison;
}

}  // namespace tidemark::ui
