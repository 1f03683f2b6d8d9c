// The comparison as a table of texts: settings and results downwards, runs and the groups that differ by their seed across.
#pragma once

#include <QString>
#include <vector>

#include "ui/compare/comparison.h"
#include "ui/compare/results.h"

namespace tidemark::ui {

struct CompareCell {
  QString text = {};          // on the screen
  QString plain = {};         // in copied tables: numbers without unit and grouping; empty where there is no value
  bool isNumber = false;
  bool isBest = false;
};

struct CompareRow {
  enum class Kind { Section, Setting, Result };
  Kind kind = Kind::Setting;
  QString title = {};         // on the screen
  QString key = {};           // in copied tables
  QString help = {};
  bool isWarned = false; // runs that differ here are not strictly comparable
  std::vector<CompareCell> cells = {};  // none in a section
};

struct CompareColumn {
  QString title = {};
  QString runId = {};         // empty: a group
  QString help = {};
  int mark = -1;         // see plots/run_mark.h; -1: a group
};

enum class SettingsShown { Different, All };

struct CompareTable {
  std::vector<CompareColumn> columns;
  std::vector<CompareRow> rows;
  int equalSettings = 0;  // hidden ones or not
};

// `marks`: one for each run of the comparison.
CompareTable tableOf(const Comparison& comparison, const std::vector<int>& marks, SettingsShown shown);

// For spreadsheets: RFC 4180, or tabs between cells that hold none. Texts that a spreadsheet would take for a formula get
// an apostrophe first. Sections are left out. `chosen`: rows; empty: all.
enum class TableFormat { Tsv, Csv };
QString tableText(const CompareTable& table, TableFormat format, const std::vector<int>& chosen = {});

}  // namespace tidemark::ui
