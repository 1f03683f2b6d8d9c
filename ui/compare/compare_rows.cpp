#include "ui/compare/compare_rows.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/run/config.h"
#include "ui/models/run_status.h"

namespace tidemark::ui {
namespace {

const QString kNone = QStringLiteral("–");

QString tr(const char* text) { return QCoreApplication::translate("tidemark::ui::CompareRows", text); }

CompareCell textCell(const std::optional<std::string>& value) {
  if (!value) return {.text = kNone, .plain = {}};
  const QString text = QString::fromStdString(*value);
  bool isNumber = false;
  text.toDouble(&isNumber);
  return {.text = text.simplified(), .plain = text, .isNumber = isNumber};
}

CompareCell numberCell(const ResultKind& kind, const std::optional<double>& value) {
  if (!value) return {.text = kNone, .plain = {}};
  return {.text = plots::measureText(kind.measure, *value),
          .plain = std::isfinite(*value) ? QString::number(*value, 'g', QLocale::FloatingPointShortest) : QString(), .isNumber = true};
}

CompareCell spreadCell(const ResultKind& kind, const std::vector<double>& values) {
  const auto spread = spreadOf(values);
  if (!spread) return {.text = kNone, .plain = {}};
  CompareCell cell = numberCell(kind, spread->mean);
  cell.text = tr("%1 ± %2").arg(cell.text, plots::measureText(kind.measure, spread->deviation));
  cell.plain = tr("%1 ± %2").arg(cell.plain, QString::number(spread->deviation, 'g', 6));
  return cell;
}

bool mayNameBest(const ResultKind& kind, const Comparison& comparison) {
  if (kind.better == Better::Neither) return false;
  if (kind.rests == Rests::OnTrainingLoss) return comparison.isTrainingLossComparable;
  return kind.rests != Rests::OnEvaluationLoss || comparison.isEvaluationLossComparable;
}

// Whose figures stay as they are, and come from training as far as it was meant to go, or as far as a person wanted.
bool mayBeBest(const ComparedRun& run) {
  return run.record.status == storage::RunStatus::Completed || run.record.status == storage::RunStatus::Stopped;
}

// All that share the best value; none where all runs are equal, or fewer than two that have ended have the result. While
// others still go, it is the best so far.
void markBest(const ResultKind& kind, const Comparison& comparison, const std::vector<std::optional<double>>& values, CompareRow& row) {
  std::vector<double> known;
  bool isProvisional = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ComparedRun& run = *comparison.runs[i];
    isProvisional = isProvisional || isActive(run.record.status);
    if (mayBeBest(run) && values[i] && std::isfinite(*values[i])) known.push_back(*values[i]);
  }
  if (known.size() < 2) return;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  if (*least == *most) return;
  const double best = kind.better == Better::Lower ? *least : *most;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != best || !mayBeBest(*comparison.runs[i])) continue;
    row.cells[i].isBest = true;
    row.cells[i].text = (isProvisional ? tr("%1 · best so far") : tr("%1 · best")).arg(row.cells[i].text);
  }
}

CompareRow resultRow(const ResultKind& kind, const Comparison& comparison) {
  CompareRow row{.kind = CompareRow::Kind::Result, .title = kind.name, .key = kind.key, .help = kind.help};
  std::vector<std::optional<double>> values;
  for (const auto& run : comparison.runs) {
    values.push_back(kind.value(*run));
    row.cells.push_back(numberCell(kind, values.back()));
  }
  if (mayNameBest(kind, comparison)) markBest(kind, comparison, values, row);
  for (const SeedGroup& group : comparison.groups) {
    std::vector<double> members;
    for (const std::size_t run : group.runs) {
      if (values[run]) members.push_back(*values[run]);
    }
    row.cells.push_back(spreadCell(kind, members));
  }
  return row;
}

CompareRow statusRow(const Comparison& comparison) {
  CompareRow row{.kind = CompareRow::Kind::Result, .title = tr("status"), .key = QStringLiteral("status"), .help = tr("What the run does now, or how it ended")};
  for (const auto& run : comparison.runs) {
    const storage::RunStatus status = run->record.status;
    row.cells.push_back({.text = statusSymbol(status) + QLatin1Char(' ') + statusWord(status), .plain = QString::fromLatin1(storage::statusName(status))});
  }
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) row.cells.push_back({.text = kNone, .plain = {}});
  return row;
}

QString helpOf(const std::string& key) {
  for (const run::KeyInfo& info : run::configKeys()) {
    if (info.key == key) return QString::fromStdString(info.unit.empty() ? info.help : info.help + " (" + info.unit + ")");
  }
  if (key == "chat template") return tr("Digest of the template in the model's files");
  if (key == "prepared data") return tr("Digest of the token ids and loss masks that were trained and evaluated on");
  if (key == "vocabulary") return tr("Tokens that the model knows");
  return {};
}

CompareRow settingRow(const SettingRow& setting, const Comparison& comparison) {
  CompareRow row{.kind = CompareRow::Kind::Setting, .title = QString::fromStdString(setting.key), .key = QString::fromStdString(setting.key),
                 .help = helpOf(setting.key), .isWarned = setting.breaksComparison};
  for (const auto& value : setting.values) row.cells.push_back(textCell(value));
  for (const SeedGroup& group : comparison.groups) {
    const auto& first = setting.values[group.runs.front()];
    const bool isShared = std::all_of(group.runs.begin(), group.runs.end(), [&](std::size_t run) { return setting.values[run] == first; });
    row.cells.push_back(isShared ? textCell(first) : CompareCell{.text = tr("varies"), .plain = QStringLiteral("varies")});
  }
  return row;
}

std::vector<CompareColumn> columnsOf(const Comparison& comparison, const std::vector<int>& marks) {
  std::vector<CompareColumn> columns;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const storage::RunRecord& run = comparison.runs[i]->record;
    const QString name = QString::fromStdString(run.name).simplified();
    columns.push_back({.title = name, .runId = QString::fromStdString(run.id),
                       .help = name + QLatin1Char('\n') + QString::fromStdString(run.model), .mark = marks[i]});
  }
  for (const SeedGroup& group : comparison.groups) {
    QStringList names;
    for (const std::size_t run : group.runs) names << QString::fromStdString(comparison.runs[run]->record.name).simplified();
    columns.push_back({.title = tr("%1 seeds: %2").arg(group.runs.size()).arg(group.name), .runId = {},
                       .help = tr("Mean and standard deviation over the runs that differ by their seed only:") + QLatin1Char('\n') + names.join(QLatin1Char('\n'))});
  }
  return columns;
}

QString guarded(const QString& text, bool isNumber) {
  const bool isFormula = !isNumber && !text.isEmpty() && QStringLiteral("=+-@\t\r\n").contains(text[0]);
  return isFormula ? QLatin1Char('\'') + text : text;
}

QString written(const QString& text, bool isNumber, TableFormat format) {
  QString cell = guarded(text, isNumber);
  if (format == TableFormat::Tsv) return cell.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\r'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
  if (!cell.contains(QLatin1Char(',')) && !cell.contains(QLatin1Char('"')) && !cell.contains(QLatin1Char('\n')) && !cell.contains(QLatin1Char('\r'))) return cell;
  return QLatin1Char('"') + cell.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

}  // namespace

CompareTable tableOf(const Comparison& comparison, const std::vector<int>& marks, SettingsShown shown) {
  CompareTable table{.columns = columnsOf(comparison, marks), .rows = {}};
  CompareRow settings{.kind = CompareRow::Kind::Section, .title = shown == SettingsShown::All ? tr("Settings") : tr("Settings that differ")};
  table.rows.push_back(settings);
  for (const SettingRow& setting : comparison.settings) {
    if (!setting.differs) ++table.equalSettings;
    if (setting.differs || shown == SettingsShown::All) table.rows.push_back(settingRow(setting, comparison));
  }
  if (table.rows.size() == 1) table.rows.front().title = tr("No setting differs");
  table.rows.push_back({.kind = CompareRow::Kind::Section, .title = tr("Results")});
  for (const ResultKind& kind : resultKinds()) table.rows.push_back(resultRow(kind, comparison));
  table.rows.push_back(statusRow(comparison));
  return table;
}

QString tableText(const CompareTable& table, TableFormat format, const std::vector<int>& chosen) {
  const QString separator = format == TableFormat::Csv ? QStringLiteral(",") : QStringLiteral("\t");
  const QString end = format == TableFormat::Csv ? QStringLiteral("\r\n") : QStringLiteral("\n");
  QStringList head{QStringLiteral("key")};
  for (const CompareColumn& column : table.columns) head << written(column.title, false, format);
  QString text = head.join(separator) + end;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const CompareRow& row = table.rows[i];
    const bool isChosen = chosen.empty() || std::find(chosen.begin(), chosen.end(), static_cast<int>(i)) != chosen.end();
    if (row.kind == CompareRow::Kind::Section || !isChosen) continue;
    QStringList line{written(row.key, false, format)};
    for (const CompareCell& cell : row.cells) line << written(cell.plain, cell.isNumber, format);
    text += line.join(separator) + end;
  }
  return text;
}

}  // namespace tidemark::ui
