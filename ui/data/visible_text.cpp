#include "ui/data/visible_text.h"

#include <QChar>
#include <QList>

#include "core/text/aligned_text.h"

namespace tidemark::ui {
namespace {

constexpr char32_t kJoiner = 0x200D, kNonJoiner = 0x200C;

QString named(char32_t code) {
  return QStringLiteral("⟨U+%1⟩").arg(static_cast<uint>(code), 4, 16, QLatin1Char('0')).toUpper();
}

// Joiners are part of how many scripts and emoji are written.
bool isHidden(char32_t code) {
  if (code == kJoiner || code == kNonJoiner) return false;
  switch (QChar::category(code)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_Surrogate:
    case QChar::Other_PrivateUse:
    case QChar::Other_NotAssigned:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph: return true;
    default: return false;
  }
}

QString fromCode(char32_t code) { return QString::fromUcs4(&code, 1); }

}  // namespace

QString visibleText(const QString& text) {
  QString shown;
  shown.reserve(text.size());
  for (const uint code : text.toUcs4()) {
    if (code == '\n' || code == '\t') shown += QChar(code);
    else if (code == '\r') shown += QStringLiteral("␍");
    else if (isHidden(code)) shown += named(code);
    else shown += fromCode(code);
  }
  return shown;
}

QString visibleStart(std::string_view utf8, qsizetype most) {
  // A character takes four bytes at most; white space may shrink.
  const std::string_view beginning = utf8.substr(0, static_cast<size_t>(most) * 8);
  QString line = visibleText(QString::fromUtf8(beginning.data(), static_cast<qsizetype>(beginning.size())).simplified());
  const bool isWhole = beginning.size() == utf8.size() && line.size() <= most;
  if (isWhole) return line;
  qsizetype end = std::min(line.size(), most - 1);
  if (end > 0 && line.at(end - 1).isHighSurrogate()) --end;
  return line.left(end) + QStringLiteral("…");
}

QString visibleToken(std::string_view bytes) {
  QString shown;
  const bool isBlank = bytes.find_first_not_of(' ') == std::string_view::npos;
  for (std::string_view rest = bytes; !rest.empty();) {
    const text::CodePoint code = text::nextCodePoint(rest);
    if (!code.isValid) {
      for (uint32_t i = 0; i < code.length; ++i)
        shown += QStringLiteral("\\x") + QString::number(static_cast<uchar>(rest[i]), 16).toUpper();
    } else if (code.value == '\n') {
      shown += QStringLiteral("⏎");
    } else if (code.value == '\t') {
      shown += QStringLiteral("⇥");
    } else if (code.value == ' ') {
      shown += isBlank ? QStringLiteral("·") : QStringLiteral(" ");
    } else {
      shown += isHidden(code.value) ? named(code.value) : fromCode(code.value);
    }
    rest.remove_prefix(code.length);
  }
  return shown;
}

}  // namespace tidemark::ui
