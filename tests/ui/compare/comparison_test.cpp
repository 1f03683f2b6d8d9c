// What differs, what may not be compared, and which runs repeat each other, over runs that the test makes up.
#include "ui/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare_runs.h"
#include "ui/compare/compare_rows.h"
#include "ui/compare/results.h"

namespace tidemark::ui {
namespace {

using tests::comparedRun;
using tests::shared;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> differing(const Comparison& comparison) {
  std::vector<std::string> keys;
  for (const SettingRow& row : comparison.settings) {
    if (row.differs) keys.push_back(row.key);
  }
  return keys;
}

std::string warningsOf(const Comparison& comparison) { return comparison.warnings.join(QStringLiteral("; ")).toStdString(); }

Comparison twoWith(const tests::Settings& first, const tests::Settings& second) {
  return compareRuns(shared({comparedRun("a", first, {2, 1}), comparedRun("b", second, {2, 1})}));
}

const CompareRow& rowOf(const CompareTable& table, const QString& key) {
  for (const CompareRow& row : table.rows) {
    if (row.key == key) return row;
  }
  throw std::runtime_error("no row " + key.toStdString());
}

TEST(Comparison, FindsOnlyTheSettingsThatDiffer) {
  const Comparison comparison = twoWith({{"peft.r", "8"}, {"output.dir", "/runs/a"}}, {{"peft.r", "16"}, {"output.dir", "/runs/b"}});
  EXPECT_THAT(differing(comparison), ElementsAre("peft.r")) << "where the files are is no difference";
  EXPECT_THAT(comparison.warnings, IsEmpty());
  EXPECT_TRUE(comparison.isTrainingLossComparable);
}

TEST(Comparison, AKeyThatOneRunLacksDiffers) {
  ComparedRun old = comparedRun("old", {}, {2});
  std::erase_if(old.settings, [](const auto& setting) { return setting.first == "memory.activations"; });
  const Comparison comparison = compareRuns(shared({old, comparedRun("new", {}, {2})}));
  EXPECT_THAT(differing(comparison), ElementsAre("memory.activations"));
}

TEST(Comparison, ThreeRunsDifferWhereAnyTwoDo) {
  const Comparison comparison = compareRuns(
      shared({comparedRun("a", {}, {2}), comparedRun("b", {}, {2}), comparedRun("c", {{"training.learning_rate", "0.001"}}, {2})}));
  EXPECT_THAT(differing(comparison), ElementsAre("training.learning_rate"));
}

TEST(Comparability, WarnsOfEachThingThatShapesTheLoss) {
  EXPECT_THAT(warningsOf(twoWith({}, {{"dataset.train", "/data/other.jsonl"}})), HasSubstr("training data differ (train.jsonl, other.jsonl)"));
  EXPECT_THAT(warningsOf(twoWith({}, {{"dataset.max_seq_length", "256"}})), HasSubstr("sequence lengths differ (512, 256)"));
  EXPECT_THAT(warningsOf(twoWith({}, {{"training.global_batch_size", "32"}})), HasSubstr("global batches differ (16, 32)"));
  EXPECT_THAT(warningsOf(twoWith({}, {{"dataset.train_on", "all"}})), HasSubstr("different tokens"));
  EXPECT_THAT(warningsOf(twoWith({{"dataset.eval", "/data/x.jsonl"}}, {{"dataset.eval", "/data/y.jsonl"}})), HasSubstr("evaluation data differ"));
}

TEST(Comparability, MarksTheRowsThatItWarnsOf) {
  const Comparison comparison = twoWith({}, {{"dataset.max_seq_length", "256"}, {"peft.r", "4"}});
  for (const SettingRow& row : comparison.settings) EXPECT_EQ(row.breaksComparison, row.key == "dataset.max_seq_length") << row.key;
}

TEST(Comparability, OtherBatchesKeepEvaluationLossesComparable) {
  const Comparison comparison = twoWith({}, {{"training.global_batch_size", "32"}});
  EXPECT_FALSE(comparison.isTrainingLossComparable);
  EXPECT_TRUE(comparison.isEvaluationLossComparable);
}

TEST(Comparability, TemplatesAreComparedByTheirText) {
  ComparedRun a = comparedRun("a", {}, {2}), b = comparedRun("b", {}, {2});
  b.chatTemplate = "{{ other }}";
  EXPECT_THAT(warningsOf(compareRuns(shared({a, b}))), HasSubstr("chat templates differ"));
  b.chatTemplate.reset();
  EXPECT_THAT(warningsOf(compareRuns(shared({a, b}))), IsEmpty()) << "the same model has the same template";
  ComparedRun c = comparedRun("c", {{"model", "/models/gone.gguf"}}, {2});
  c.chatTemplate.reset();
  EXPECT_THAT(warningsOf(compareRuns(shared({a, c}))), HasSubstr("cannot be compared"));
}

TEST(Comparability, TellsATrainingFileThatWasChanged) {
  ComparedRun a = comparedRun("a", {}, {2}), b = comparedRun("b", {}, {2});
  a.dataset = run::DatasetEvent{};
  b.dataset = run::DatasetEvent{};
  a.dataset->hash = "1111111111111111";
  b.dataset->hash = "2222222222222222";
  EXPECT_THAT(warningsOf(compareRuns(shared({a, b}))), HasSubstr("files were changed"));
  b.dataset->hash = a.dataset->hash;
  EXPECT_THAT(warningsOf(compareRuns(shared({a, b}))), IsEmpty());
  b.dataset.reset();  // has not begun yet
  EXPECT_THAT(warningsOf(compareRuns(shared({a, b}))), IsEmpty());
}

TEST(Comparability, OtherVocabulariesMakeOtherTokens) {
  ComparedRun a = comparedRun("a", {}, {2}), b = comparedRun("b", {}, {2});
  a.model = run::ModelEvent{};
  b.model = run::ModelEvent{};
  a.model->vocabularySize = 49152;
  b.model->vocabularySize = 262144;
  EXPECT_THAT(warningsOf(compareRuns(shared({a, b}))), HasSubstr("tokenizers differ, and with them what one token is (49152, 262144)"));
}

TEST(Comparability, ASeedThatDrawsEvaluationRowsIsTold) {
  EXPECT_THAT(warningsOf(twoWith({{"dataset.eval", "0.1"}, {"training.seed", "1"}}, {{"dataset.eval", "0.1"}, {"training.seed", "2"}})),
              HasSubstr("seed draws the evaluation rows"));
  EXPECT_THAT(warningsOf(twoWith({{"training.seed", "1"}}, {{"training.seed", "2"}})), IsEmpty());
}

TEST(SeedGroups, HoldRunsThatDifferByTheirSeedOnly) {
  const Comparison comparison = compareRuns(shared({comparedRun("a1", {{"training.seed", "1"}}, {2}), comparedRun("b", {{"peft.r", "4"}}, {2}),
                                                    comparedRun("a2", {{"training.seed", "2"}, {"output.dir", "/x"}}, {2}),
                                                    comparedRun("a3", {{"training.seed", "3"}}, {2})}));
  ASSERT_EQ(comparison.groups.size(), 1u);
  EXPECT_THAT(comparison.groups[0].runs, ElementsAre(0u, 2u, 3u));
}

TEST(SeedGroups, ShowMeanAndSampleDeviation) {
  const Comparison comparison = compareRuns(shared({comparedRun("a1", {{"training.seed", "1"}}, {3, 2.0}),
                                                    comparedRun("a2", {{"training.seed", "2"}}, {3, 2.5}),
                                                    comparedRun("a3", {{"training.seed", "3"}}, {3, 3.0})}));
  const CompareTable table = tableOf(comparison, {0, 1, 2}, SettingsShown::Different);
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_EQ(table.columns[3].title, "3 seeds: a1");
  EXPECT_EQ(rowOf(table, "loss_last").cells[3].text, QStringLiteral("2.500 ± 0.5000")) << "of 2, 2.5 and 3: variance 0.5 / 2";
  EXPECT_EQ(rowOf(table, "training.seed").cells[3].text, "varies");
}

TEST(SeedGroups, ASpreadNeedsTwoValues) {
  EXPECT_FALSE(spreadOf({1.0}).has_value());
  EXPECT_FALSE(spreadOf({1.0, std::nan("")}).has_value());
  EXPECT_DOUBLE_EQ(spreadOf({1.0, 3.0})->mean, 2.0);
  EXPECT_DOUBLE_EQ(spreadOf({1.0, 3.0})->deviation, std::sqrt(2.0));
}

TEST(Results, BestAndLastAreToldApartAndNotANumberIsNeverBest) {
  const auto value = [](const ComparedRun& run, const char* key) {
    for (const ResultKind& kind : resultKinds()) {
      if (kind.key == QLatin1String(key)) return kind.value(run);
    }
    throw std::runtime_error(key);
  };
  const ComparedRun run = comparedRun("a", {}, {3, 1.5, std::nan(""), 2});
  EXPECT_EQ(value(run, "loss_best"), 1.5);
  EXPECT_EQ(value(run, "loss_last"), 2.0);
  EXPECT_EQ(value(run, "training_seconds"), 8.0);
  EXPECT_FALSE(value(run, "eval_loss_best").has_value());
  EXPECT_FALSE(value(comparedRun("b", {}, {}), "loss_last").has_value());
}

TEST(CompareTable, OnlyRunsThatHaveEndedCompete) {
  ComparedRun a = comparedRun("a", {}, {3, 1.5}), b = comparedRun("b", {{"peft.r", "4"}}, {3, 1.75}), c = comparedRun("c", {{"peft.r", "2"}}, {3, 1});
  const auto cells = [&] {
    const CompareTable table = tableOf(compareRuns(shared({a, b, c})), {0, 1, 2}, SettingsShown::Different);
    for (const CompareRow& row : table.rows)
      if (row.key == QLatin1String("loss_last")) return row.cells;
    return std::vector<CompareCell>(3);
  };
  EXPECT_TRUE(cells()[2].isBest);
  c.record.status = storage::RunStatus::Running;
  EXPECT_FALSE(cells()[2].isBest) << "its loss is not the last word";
  EXPECT_TRUE(cells()[0].isBest);
  EXPECT_TRUE(cells()[0].text.contains("best so far")) << cells()[0].text.toStdString();
  c.record.status = storage::RunStatus::Failed;
  EXPECT_FALSE(cells()[2].isBest);
  EXPECT_TRUE(cells()[0].text.endsWith("best"));
  b.record.status = storage::RunStatus::Running;
  EXPECT_FALSE(cells()[0].isBest) << "one alone is the best of nothing";
}

TEST(CompareTable, NamesTheBestWhereItMayBeNamed) {
  ComparedRun a = comparedRun("a", {}, {3, 1.5}), b = comparedRun("b", {{"peft.r", "4"}}, {3, 1.75});
  a.record.tokensPerSecond = 200;
  b.record.tokensPerSecond = 250;
  const CompareTable table = tableOf(compareRuns(shared({a, b})), {0, 1}, SettingsShown::Different);
  EXPECT_TRUE(rowOf(table, "loss_best").cells[0].isBest);
  EXPECT_FALSE(rowOf(table, "loss_best").cells[1].isBest);
  EXPECT_TRUE(rowOf(table, "tokens_per_second").cells[1].isBest);
  EXPECT_FALSE(rowOf(table, "training_seconds").cells[0].isBest) << "equal in both";
  b = comparedRun("b", {{"dataset.max_seq_length", "64"}}, {3, 1.75});
  const CompareTable other = tableOf(compareRuns(shared({a, b})), {0, 1}, SettingsShown::Different);
  EXPECT_FALSE(rowOf(other, "loss_best").cells[0].isBest) << "losses over other sequences";
  EXPECT_TRUE(rowOf(other, "dataset.max_seq_length").isWarned);
}

TEST(CompareTable, HidesEqualSettingsUntilAskedForAll) {
  const Comparison comparison = twoWith({{"peft.r", "8"}}, {{"peft.r", "16"}});
  const CompareTable few = tableOf(comparison, {0, 1}, SettingsShown::Different), all = tableOf(comparison, {0, 1}, SettingsShown::All);
  EXPECT_EQ(all.rows.size() - few.rows.size(), static_cast<std::size_t>(few.equalSettings));
  EXPECT_GE(few.equalSettings, 25);
  EXPECT_EQ(rowOf(all, "training.max_steps").cells[0].text, "100");
  const CompareTable equal = tableOf(twoWith({}, {}), {0, 1}, SettingsShown::Different);
  EXPECT_EQ(equal.rows.front().title, "No setting differs");
}

TEST(CompareTable, CopiesAsCsvThatSpreadsheetsReadAsText) {
  ComparedRun a = comparedRun("=cmd|'/c calc'!A1", {}, {2}), b = comparedRun("say \"x\", y", {{"peft.r", "4"}}, {1.25});
  a.record.peakBytes = 629145600;
  const CompareTable table = tableOf(compareRuns(shared({a, b})), {0, 1}, SettingsShown::Different);
  const QString csv = tableText(table, TableFormat::Csv);
  EXPECT_TRUE(csv.startsWith(QStringLiteral("key,'=cmd|'/c calc'!A1,\"say \"\"x\"\", y\"\r\n"))) << csv.toStdString();
  EXPECT_TRUE(csv.contains(QStringLiteral("\r\npeft.r,8,4\r\n")));
  EXPECT_TRUE(csv.contains(QStringLiteral("\r\nloss_best,2,1.25\r\n"))) << "numbers without units or words";
  EXPECT_TRUE(csv.contains(QStringLiteral("\r\npeak_memory_bytes,629145600,\r\n"))) << "what is not known is empty";
  EXPECT_EQ(csv.count(QStringLiteral("\r\n")), 1 + 1 + 10) << "heading, one setting, ten results";
}

TEST(CompareTable, TsvHasOneLineForEachRowWhateverTheNames) {
  ComparedRun a = comparedRun("line one\nline two\ttab", {}, {2}), b = comparedRun("b", {{"peft.r", "4"}}, {1});
  const CompareTable table = tableOf(compareRuns(shared({a, b})), {0, 1}, SettingsShown::Different);
  for (const QString& line : tableText(table, TableFormat::Tsv).split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
    EXPECT_EQ(line.count(QLatin1Char('\t')), 2) << line.toStdString();
  }
  const QString chosen = tableText(table, TableFormat::Tsv, {1});
  EXPECT_EQ(chosen, QStringLiteral("key\tline one line two tab\tb\npeft.r\t8\t4\n"));
}

}  // namespace
}  // namespace tidemark::ui
