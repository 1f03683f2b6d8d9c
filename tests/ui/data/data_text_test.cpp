// What a person sees of text that was made to deceive, and where tokens are placed.
#include <gtest/gtest.h>

#include <QStringList>

#include "ui/data/token_layout.h"
#include "ui/data/visible_text.h"

namespace tidemark::ui {
namespace {

TEST(VisibleText, NamesWhatWouldNotBeSeenOrWouldMoveOthers) {
  EXPECT_EQ(visibleText(QStringLiteral("a\u202Eb")), QStringLiteral("a⟨U+202E⟩b"));
  EXPECT_EQ(visibleText(QString(QChar(0x1B)) + QStringLiteral("[31m")), QStringLiteral("⟨U+001B⟩[31m"));
  EXPECT_EQ(visibleText(QStringLiteral("zero\u200Bwidth")), QStringLiteral("zero⟨U+200B⟩width"));
  EXPECT_EQ(visibleText(QStringLiteral("a\u2028b")), QStringLiteral("a⟨U+2028⟩b"));
  EXPECT_EQ(visibleText(QStringLiteral("<b>&amp;</b>\n\tשלום 👩‍🔬")), QStringLiteral("<b>&amp;</b>\n\tשלום 👩‍🔬")) << "what is harmless stays";
}

TEST(VisibleText, StartsAreShortAndOfOneLine) {
  EXPECT_EQ(visibleStart("one\n two\tthree ", 50), "one two three");
  EXPECT_EQ(visibleStart(std::string(1000, 'a'), 10), QStringLiteral("aaaaaaaaa…"));
  EXPECT_EQ(visibleStart("", 10), "");
  EXPECT_LE(visibleStart("👩👩👩👩👩👩👩👩👩👩👩👩", 8).size(), 8);
  EXPECT_FALSE(visibleStart("👩👩👩👩👩👩👩👩👩👩👩👩", 8).chopped(1).endsWith(QChar(0xD83D))) << "no half character";
}

TEST(VisibleText, TokensShowLineEndsLoneSpacesAndPartsOfCharacters) {
  EXPECT_EQ(visibleToken("\n"), QStringLiteral("⏎"));
  EXPECT_EQ(visibleToken("  "), QStringLiteral("··"));
  EXPECT_EQ(visibleToken(" the"), " the");
  EXPECT_EQ(visibleToken("\t"), QStringLiteral("⇥"));
  EXPECT_EQ(visibleToken("\xE2\x80"), "\\xE2\\x80");
  EXPECT_EQ(visibleToken("\xE2\x80\xAE"), QStringLiteral("⟨U+202E⟩"));
}

std::vector<ShownToken> tokens(const QStringList& texts) {
  std::vector<ShownToken> all;
  for (const QString& text : texts) all.push_back({.id = 0, .text = text, .hasLoss = false, .isSpecial = false, .endsLine = text.contains(QStringLiteral("⏎"))});
  return all;
}

class TokenLayoutTest : public testing::Test {
 protected:
  void place(const QStringList& texts, int64_t limit, int width) {
    layout_.place(tokens(texts), limit, width, [](const QString& text) { return static_cast<int>(text.size()) * 10; });
  }
  int top(std::size_t i) const { return layout_.chips()[i].top(); }
  TokenLayout layout_;
};

TEST_F(TokenLayoutTest, BreaksAtTheEdgeAndAfterLineEnds) {
  place({"aaaa", "bbbb", "c⏎", "d"}, 100, 120);
  EXPECT_EQ(top(0), top(1));
  EXPECT_LT(top(1), top(2)) << "no room left";
  EXPECT_LT(top(2), top(3)) << "a line end";
  EXPECT_EQ(layout_.ruleTop(), -1);
  for (const QRect& chip : layout_.chips()) EXPECT_LE(chip.right(), 120);
}

TEST_F(TokenLayoutTest, NoTokenIsWiderThanThePage) {
  place({QString(500, QLatin1Char('x')), "b"}, 100, 200);
  EXPECT_LE(layout_.chips()[0].width(), 200);
  EXPECT_LT(top(0), top(1));
}

TEST_F(TokenLayoutTest, TheCutHasALineOfItsOwn) {
  place({"a", "b", "c", "d"}, 2, 500);
  EXPECT_EQ(top(0), top(1));
  EXPECT_GT(layout_.ruleTop(), top(1));
  EXPECT_GE(top(2), layout_.ruleTop() + TokenLayout::kRuleHeight);
  place({"a", "b"}, 2, 500);
  EXPECT_EQ(layout_.ruleTop(), -1) << "nothing lies beyond";
}

TEST_F(TokenLayoutTest, FindsTheTokenAtAPointAndThoseAboveAndBelow) {
  place({"aa", "bb", "cc⏎", "dd", "ee"}, 100, 500);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(layout_.at(layout_.chips()[i].center()), static_cast<int>(i));
  EXPECT_EQ(layout_.at({490, 5}), -1);
  EXPECT_EQ(layout_.neighbour(1, 1), 4);
  EXPECT_EQ(layout_.neighbour(3, -1), 0);
  EXPECT_EQ(layout_.neighbour(0, -1), 0);
  EXPECT_EQ(layout_.neighbour(4, 1), 4);
}

}  // namespace
}  // namespace tidemark::ui
