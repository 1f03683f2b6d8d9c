// Texts in columns on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::cli {

// Columns that a line takes on a terminal: none for combining marks, two for wide (East Asian) characters and emojis.
size_t columnsOf(const std::string& line);

// At most `columns` wide, cut with an ellipsis, without control characters and line breaks.
std::string elided(const std::string& text, size_t columns);

// Columns as wide as their widest cell, one text for each row. Cells are made one line.
std::vector<std::string> tableLines(const std::vector<std::vector<std::string>>& rows);
// The same on stdout.
void printTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace tidemark::cli
