// Text from a dataset made fit for the screen: every character that would be invisible, move others or turn the reading
// direction is shown by its name. Line ends and tabs stay unless said otherwise.
#pragma once

#include <QString>
#include <string_view>

namespace tidemark::ui {

QString visibleText(const QString& text);
// The first words as one line of at most `most` characters.
QString visibleStart(std::string_view utf8, qsizetype most);
// One token: line ends, tabs and spaces are shown too, and bytes that are no whole character as \xE2.
QString visibleToken(std::string_view bytes);

}  // namespace tidemark::ui
