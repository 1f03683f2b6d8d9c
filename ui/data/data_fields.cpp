#include "ui/data/data_fields.h"

#include <QFileInfo>
#include <QGridLayout>

#include "core/text/dataset_settings.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

const QString kModel = QStringLiteral("model");
const QString kTrain = QStringLiteral("dataset.train");
const QString kLength = QStringLiteral("dataset.max_seq_length");
const QString kTruncation = QStringLiteral("dataset.truncation");

struct Place {
  QString key;
  int row, column, span;
};

const std::vector<Place>& places() {
  static const std::vector<Place> all{{kModel, 0, 0, 2},
                                      {kTrain, 0, 2, 2},
                                      {QStringLiteral("dataset.format"), 1, 0, 1},
                                      {QStringLiteral("dataset.train_on"), 1, 1, 1},
                                      {kLength, 1, 2, 1},
                                      {kTruncation, 1, 3, 1}};
  return all;
}

const run::KeyInfo& infoOf(const QString& key) {
  for (const run::KeyInfo& info : run::configKeys())
    if (QString::fromStdString(info.key) == key) return info;
  qFatal("no such key: %s", qUtf8Printable(key));
}

std::string valueOf(const run::RunConfig& config, const QString& key) {
  for (const auto& [name, value] : run::flatten(config))
    if (QString::fromStdString(name) == key) return value;
  return {};
}

}  // namespace

DataFields::DataFields(QWidget* parent) : Card({}, parent) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(8);
  for (int i = 0; i < 4; ++i) grid->setColumnStretch(i, 1);
  for (const Place& place : places()) {
    auto* editor = new FieldEditor(infoOf(place.key));
    fields_[place.key] = editor;
    editor->setText(QString::fromStdString(valueOf(config_, place.key)));
    grid->addWidget(editor, place.row, place.column, 1, place.span);
    connect(editor, &FieldEditor::edited, this, [this, key = place.key](const QString& text) { takeKey(key, text); });
  }
  body()->addLayout(grid);
}

void DataFields::takeKey(const QString& key, const QString& text) {
  const bool isPath = key == kModel || key == kTrain;
  QString value = text.trimmed();
  if (isPath && !value.isEmpty() && QFileInfo(value).isRelative() && QFileInfo::exists(value)) {
    value = QFileInfo(value).absoluteFilePath();
  }
  const Status status = run::setKey(config_, key.toStdString(), value.toStdString());
  const bool isEmptyPath = isPath && value.isEmpty();
  field(key)->setProblem(status.ok() || isEmptyPath ? QString() : QString::fromStdString(status.error().detail));
  if (isEmptyPath) (key == kModel ? config_.model : config_.dataset.train).clear();
  if (key != kLength && key != kTruncation) emit sourceChanged();
  else if (status.ok()) emit limitChanged();
}

void DataFields::load(const run::RunConfig& config) {
  config_ = config;
  for (const auto& [key, editor] : fields_) {
    editor->setText(QString::fromStdString(valueOf(config_, key)));
    editor->setProblem({});
  }
}

void DataFields::takePath(const QString& path) {
  const QFileInfo file(path);
  const bool isModel = file.isDir() || file.suffix().toLower() == QLatin1String("gguf");
  const QString key = isModel ? kModel : kTrain;
  field(key)->setText(file.absoluteFilePath());
  takeKey(key, file.absoluteFilePath());
}

RowLimit DataFields::limit() const {
  const text::DatasetSettings settings = text::datasetSettings(config_);
  return {settings.maxSequenceLength, settings.truncation};
}

FieldEditor* DataFields::field(const QString& key) const {
  const auto found = fields_.find(key);
  return found == fields_.end() ? nullptr : found->second;
}

}  // namespace tidemark::ui
