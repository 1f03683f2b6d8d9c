// The Data page as a person uses it: files in, rows, tokens, lengths and problems out.
#include "ui/data/data_page.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "../hostile_names.h"
#include "core/base/json.h"
#include "core/text/dataset_settings.h"
#include "core/text/tokenizer.h"
#include "data_file.h"
#include "plots/length_histogram.h"
#include "ui/data/data_fields.h"
#include "ui/data/data_rows_model.h"
#include "ui/data/problem_card.h"
#include "ui/data/row_card.h"
#include "ui/data/rows_card.h"
#include "ui/data/token_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/field_editor.h"

namespace tidemark::ui {
namespace {

using tests::chatRow;
using tests::DataFile;

const std::string kSilent = R"({"messages": [{"role": "user", "content": "anyone?"}]})" "\n";

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += " word";
  return text;
}

class DataPageTest : public testing::Test {
 protected:
  void SetUp() override {
    page_.resize(1229, 900);
    page_.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page_));
  }
  void open(const DataFile& file, int64_t maxSeqLength = 64) { openConfig(file.config(maxSeqLength)); }
  void openConfig(const run::RunConfig& config) {
    page_.open(config);
    ASSERT_TRUE(settles());
  }
  bool settles() {
    return QTest::qWaitFor([this] { return page_.isSettled(); }, 120'000);
  }
  int64_t count(DataProblem problem) const { return page_.summary().count(problem); }
  DataRowsModel* model() const { return page_.rows()->model(); }
  const ShownRow& shown() const { return page_.row()->row(); }
  QString cell(int row, int column) const { return model()->index(row, column).data().toString(); }
  void choose(int row) {
    page_.rows()->table()->selectRow(row);
    ASSERT_TRUE(settles());
  }
  void type(const QString& key, const QString& text) {
    auto* line = page_.findChild<QLineEdit*>(key);
    ASSERT_NE(line, nullptr) << key.toStdString();
    QTest::mouseClick(line, Qt::LeftButton);
    QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(line, text);
  }

  DataPage page_;
};

TEST_F(DataPageTest, SaysWhatToDoBeforeAnythingIsChosen) {
  bool isSaid = false;
  for (const QLabel* label : page_.findChildren<QLabel*>()) isSaid = isSaid || (label->isVisible() && label->text().contains("Choose training data"));
  EXPECT_TRUE(isSaid);
  EXPECT_FALSE(page_.rows()->isVisible());
}

TEST_F(DataPageTest, RowsHaveTheLengthsAndTheLossThatTheEngineGivesThem) {
  DataFile file("");
  run::RunConfig config = file.config(4096);
  config.dataset.train = std::string(TIDEMARK_GOLDEN) + "/text/rows.jsonl";
  openConfig(config);
  const Json expected = Json::parse(*readFile(std::string(TIDEMARK_GOLDEN) + "/text/rows.json"));
  ASSERT_EQ(model()->rowCount(), static_cast<int>(expected.size()));
  for (int i = 0; i < model()->rowCount(); ++i) {
    const auto mask = expected[static_cast<size_t>(i)]["mask"].get<std::vector<int>>();
    EXPECT_EQ(cell(i, DataRowsModel::Tokens).toStdString(), std::to_string(mask.size())) << i;
    EXPECT_EQ(cell(i, DataRowsModel::Loss).toStdString(), std::to_string(std::count(mask.begin(), mask.end(), 1))) << i;
  }
  choose(3);
  const auto ids = expected[3]["ids"].get<std::vector<text::TokenId>>();
  const auto mask = expected[3]["mask"].get<std::vector<int>>();
  ASSERT_EQ(shown().tokens.size(), ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(shown().tokens[i].id, ids[i]) << i;
    EXPECT_EQ(shown().tokens[i].hasLoss, mask[i] != 0) << i;
  }
}

TEST_F(DataPageTest, TellsEveryKindOfProblemAndJumpsToIt) {
  const DataFile file("\xef\xbb\xbf" + chatRow("hi", "hello") + "\nnot json\n" + kSilent + chatRow("long", words(200)) +
                      chatRow("hi", "hello") + R"({"messages": []})" "\n");
  open(file);
  EXPECT_EQ(page_.summary().rows, 6);
  EXPECT_EQ(count(DataProblem::ByteOrderMark), 1);
  EXPECT_EQ(count(DataProblem::BlankLines), 1);
  EXPECT_EQ(count(DataProblem::Malformed), 2);
  EXPECT_EQ(count(DataProblem::WithoutLoss), 1);
  EXPECT_EQ(count(DataProblem::TooLong), 1);
  EXPECT_EQ(count(DataProblem::Duplicate), 1);
  const std::pair<DataProblem, int64_t> jumps[] = {{DataProblem::Malformed, 3},   {DataProblem::Malformed, 7}, {DataProblem::Malformed, 3},
                                                   {DataProblem::WithoutLoss, 4}, {DataProblem::TooLong, 5},   {DataProblem::Duplicate, 6}};
  for (const auto& [problem, line] : jumps) {
    QTest::mouseClick(page_.problems()->jumpButton(problem), Qt::LeftButton);
    EXPECT_EQ(page_.rows()->currentLine(), line) << static_cast<int>(problem);
    ASSERT_TRUE(settles());
    EXPECT_EQ(shown().line, line);
  }
  EXPECT_TRUE(cell(4, DataRowsModel::Use).contains("same as line 1")) << cell(4, DataRowsModel::Use).toStdString();
}

TEST_F(DataPageTest, AMalformedLineIsShownWithItsSourceAndWhatIsWrong) {
  const DataFile file(chatRow("a", "b") + "{\"messages\": [}\n");
  open(file);
  choose(1);
  EXPECT_EQ(shown().source, "{\"messages\": [}");
  EXPECT_TRUE(shown().tokens.empty());
  EXPECT_TRUE(shown().problem.startsWith("column 15: ")) << shown().problem.toStdString();
  EXPECT_TRUE(cell(1, DataRowsModel::Use).contains("malformed: column 15")) << cell(1, DataRowsModel::Use).toStdString();
}

TEST_F(DataPageTest, TheLimitIsAppliedWithoutReadingAgain) {
  const DataFile file(chatRow("a", "b") + chatRow("long", words(15)) + chatRow("longer", words(90)));
  open(file, 64);
  EXPECT_EQ(count(DataProblem::TooLong), 1);
  EXPECT_EQ(page_.summary().trained, 2);
  file.write("");  // whoever reads it again finds nothing
  type(QStringLiteral("dataset.max_seq_length"), QStringLiteral("32"));
  EXPECT_EQ(count(DataProblem::TooLong), 2);
  EXPECT_EQ(page_.summary().trained, 1);
  EXPECT_EQ(page_.histogram()->series().cut, 2);
  EXPECT_TRUE(page_.histogram()->limitText().contains("66.7") || page_.histogram()->limitText().contains("67 %"))
      << page_.histogram()->limitText().toStdString();
  auto* truncation = page_.findChild<QComboBox*>(QStringLiteral("dataset.truncation"));
  truncation->setCurrentText(QStringLiteral("truncate"));
  EXPECT_EQ(page_.summary().trained, 3);
  EXPECT_TRUE(cell(2, DataRowsModel::Use).contains("cut at 32"));
}

TEST_F(DataPageTest, CountsOfCutRowsAreThoseOfTheEngine) {
  std::string content;
  for (int i = 1; i < 60; ++i) content += chatRow("question " + std::to_string(i), words(i));
  content += chatRow(words(100), "late");
  const DataFile file(content);
  for (const char* truncation : {"drop", "truncate"}) {
    run::RunConfig config = file.config(48);
    config.dataset.truncation = truncation;
    openConfig(config);
    const auto tokenizer = text::Tokenizer::open(config.model);
    ASSERT_TRUE(tokenizer.ok());
    const auto report = text::prepareDataset(text::datasetSettings(config), **tokenizer, file.path() + ".prepared");
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_EQ(page_.summary().trained, report->trainRows) << truncation;
    EXPECT_EQ(page_.summary().tokens, report->trainTokens) << truncation;
    EXPECT_EQ(page_.summary().targets, report->trainTargetTokens) << truncation;
    EXPECT_GT(report->droppedLong + report->truncated, 0) << truncation;
  }
}

TEST_F(DataPageTest, TokensTellTheirIdAndTheCutIsMarked) {
  const DataFile file(chatRow("question", words(60)));
  open(file, 16);
  TokenView* view = page_.row()->tokenView();
  ASSERT_GT(view->tokens().size(), 40u);
  EXPECT_GE(view->chips().ruleTop(), 0);
  EXPECT_TRUE(view->cutText().contains("16 tokens"));
  const int answer = static_cast<int>(std::find_if(view->tokens().begin(), view->tokens().end(), [](const ShownToken& t) { return t.hasLoss; }) -
                                      view->tokens().begin());
  QTest::mouseMove(view->viewport(), QPoint(1, view->viewport()->height() - 2));  // so that the next one is a move
  QTest::mouseMove(view->viewport(), view->chips().chips()[static_cast<size_t>(answer)].center());
  ASSERT_TRUE(QTest::qWaitFor([&] { return view->current() == answer; }, 20'000));
  EXPECT_TRUE(view->cardText().contains("id: " + QString::number(view->tokens()[static_cast<size_t>(answer)].id)));
  EXPECT_TRUE(view->cardText().contains("carries loss: yes")) << view->cardText().toStdString();
  view->setFocus();
  QTest::keyClick(view, Qt::Key_End);
  EXPECT_EQ(view->current(), static_cast<int>(view->tokens().size()) - 1);
  EXPECT_TRUE(view->cardText().contains("beyond the limit"));
  QTest::keyClick(view, Qt::Key_Home);
  EXPECT_TRUE(view->cardText().contains("special token")) << view->cardText().toStdString();
}

TEST_F(DataPageTest, SearchLooksIntoWholeMessagesAndMeetsTheChoiceOfProblems) {
  const DataFile file(chatRow("one", words(80) + " Needle") + chatRow("two", "no\\u0074hing") + chatRow("NEEDLE", "three") + "needle {\n");
  open(file);
  auto* search = page_.rows()->findChild<QLineEdit*>();
  QTest::keyClicks(search, QStringLiteral("needle"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return model()->rowCount() == 3; }, 60'000)) << model()->rowCount();
  auto* choice = page_.rows()->findChild<QComboBox*>();
  choice->setCurrentIndex(choice->findData(static_cast<int>(DataProblem::TooLong)));
  EXPECT_EQ(model()->rowCount(), 1);
  EXPECT_EQ(page_.rows()->currentLine(), 1);
  choice->setCurrentIndex(0);
  search->clear();
  QTest::keyClicks(search, QStringLiteral("nothing"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return model()->rowCount() == 1 && model()->at(0).place.line == 2; }, 60'000))
      << "what the message says, not how the file writes it";
  search->clear();
  ASSERT_TRUE(QTest::qWaitFor([this] { return model()->rowCount() == 4; }, 60'000));
}

TEST_F(DataPageTest, AStopKeepsWhatWasReadAndSaysSo) {
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += chatRow("question " + std::to_string(i), "answer");
  const DataFile file(content);
  page_.open(file.config());
  QTest::mouseClick(page_.findChild<QPushButton*>(QStringLiteral("read")), Qt::LeftButton);
  ASSERT_TRUE(settles());
  EXPECT_LT(page_.summary().rows, 20'000);
  EXPECT_TRUE(page_.banner()->text().contains("Stopped after")) << page_.banner()->text().toStdString();
  EXPECT_EQ(page_.findChild<QPushButton*>(QStringLiteral("read"))->text(), "Read again");
}

TEST_F(DataPageTest, AModelOrFileThatIsNotThereIsToldOnThePage) {
  const DataFile file(chatRow("a", "b"));
  run::RunConfig config = file.config();
  config.model = "/nowhere/model.gguf";
  openConfig(config);
  EXPECT_TRUE(page_.banner()->isVisible());
  EXPECT_TRUE(page_.banner()->text().contains("/nowhere/model.gguf")) << page_.banner()->text().toStdString();
  EXPECT_TRUE(page_.banner()->text().contains("Read again")) << "the next step";
  type(QStringLiteral("model"), QString::fromStdString(tests::chatModel()));
  ASSERT_TRUE(QTest::qWaitFor([this] { return page_.isSettled() && model()->rowCount() == 1; }, 60'000));
  EXPECT_FALSE(page_.banner()->isVisible());
}

TEST_F(DataPageTest, AFileThatChangedSinceIsNotReadAtOldPlaces) {
  const DataFile file(chatRow("a", "b") + chatRow("c", "d"));
  open(file);
  file.write(chatRow("something else altogether", "that is longer") + chatRow("e", "f"));
  choose(1);
  EXPECT_TRUE(shown().problem.contains("has changed")) << shown().problem.toStdString();
  EXPECT_TRUE(shown().tokens.empty());
}

TEST_F(DataPageTest, HostileContentIsShownAsPlainText) {
  std::string content;
  for (const std::string& name : tests::hostileNames()) {
    const Json row{{"messages", {{{"role", "user"}, {"content", name}}, {{"role", "assistant"}, {"content", name}}}}};
    content += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  const DataFile file(content);
  open(file, 128);
  ASSERT_EQ(model()->rowCount(), static_cast<int>(tests::hostileNames().size()));
  for (int i = 0; i < model()->rowCount(); ++i) {
    choose(i);
    EXPECT_TRUE(shown().problem.isEmpty()) << shown().problem.toStdString();
    const QString everything = cell(i, DataRowsModel::Start) + shown().text + shown().source;
    for (const QChar& c : everything) {
      const bool isHidden = (c.category() == QChar::Other_Control && c != '\n' && c != '\t') || c == QChar(0x202E);
      EXPECT_FALSE(isHidden) << "row " << i << ": U+" << std::hex << static_cast<int>(c.unicode());
    }
    for (QLabel* label : page_.findChildren<QLabel*>()) EXPECT_TRUE(label->textFormat() == Qt::PlainText || label->text().isEmpty());
    EXPECT_TRUE(model()->index(i, DataRowsModel::Start).data(Qt::ToolTipRole).toString().startsWith("<p style='white-space:pre-wrap'>"));
    EXPECT_FALSE(model()->index(i, DataRowsModel::Start).data(Qt::ToolTipRole).toString().mid(5).contains("<img"));
    EXPECT_LE(page_.width(), 1229);
  }
}

TEST_F(DataPageTest, AVeryLongRowIsShownAsFarAsAPersonLooks) {
  const DataFile file(chatRow("long", words(60'000)) + chatRow("a", "b"));
  open(file, 64);
  EXPECT_GT(shown().tokenCount, 60'000);
  EXPECT_EQ(shown().tokens.size(), ShownRow::kMostTokens);
  EXPECT_TRUE(shown().isTextCut);
  EXPECT_LE(page_.row()->findChild<QPlainTextEdit*>()->toPlainText().size(), ShownRow::kMostCharacters + 100);
}

}  // namespace
}  // namespace tidemark::ui
