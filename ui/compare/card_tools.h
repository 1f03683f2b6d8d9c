// The small tools in the headers of the comparison's cards.
#pragma once

#include <QString>
#include <QStringList>

class QComboBox;
class QToolButton;

namespace tidemark::ui {

QComboBox* makeChoice(const QString& name, const QStringList& choices, const QString& toolTip);
QToolButton* makeSaveButton(const QString& name);

}  // namespace tidemark::ui
