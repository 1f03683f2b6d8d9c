// Compares a real model with what transformers loads from the same file. Runs where TIDEMARK_MODEL names that file.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/weights/model_source.h"

namespace tidemark::weights {
namespace {

class RealModel : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("TIDEMARK_MODEL");
    if (!path || !*path) GTEST_SKIP() << "TIDEMARK_MODEL does not name the model of tests/golden/weights/real-model.json";
    auto text = readFile(std::string(TIDEMARK_GOLDEN) + "/weights/real-model.json");
    ASSERT_TRUE(text.ok()) << text.error().message();
    golden_ = Json::parse(*text);
    if (std::filesystem::file_size(path) != golden_["bytes"].get<uint64_t>())
      GTEST_SKIP() << path << " is not " << golden_["file"] << ", for which the golden file was made";
    auto source = ModelSource::open(path);
    ASSERT_TRUE(source.ok()) << source.error().message();
    source_ = std::move(source).value();
  }

  std::vector<float> rows(const std::string& tensor, int64_t begin, int64_t end) const {
    const TensorInfo* info = source_->find(tensor);
    if (!info) {
      ADD_FAILURE() << "no tensor " << tensor;
      return {};
    }
    std::vector<float> values(static_cast<size_t>((end - begin) * (info->shape.size() > 1 ? info->shape[1] : 1)));
    const Status status = source_->readRows(tensor, begin, end, values.data());
    EXPECT_TRUE(status.ok()) << status.error().message();
    return values;
  }

  Json golden_;
  std::unique_ptr<ModelSource> source_;
};

TEST_F(RealModel, RowsEqualTransformers) {
  EXPECT_EQ(source_->parameterCount(), golden_["parameters"].get<int64_t>());
  for (const Json& row : golden_["rows"]) {
    const auto index = row["row"].get<int64_t>();
    const std::vector<float> values = rows(row["tensor"].get<std::string>(), index, index + 1);
    double sum = 0, squares = 0;
    for (const float value : values) {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    EXPECT_NEAR(sum, row["sum"].get<double>(), 1e-9) << row["tensor"] << " " << index;
    EXPECT_NEAR(squares, row["squares"].get<double>(), 1e-9) << row["tensor"] << " " << index;
    for (size_t i = 0; i < row["first"].size(); ++i) EXPECT_EQ(values[i], row["first"][i].get<float>()) << row["tensor"] << " " << index;
  }
}

TEST_F(RealModel, WholeTensorsSumAsInTransformers) {
  for (const auto& [name, expected] : golden_["sums"].items()) {
    double sum = 0;
    for (const float value : rows(name, 0, source_->find(name)->shape[0])) sum += value;
    EXPECT_NEAR(sum, expected.get<double>(), 1e-6) << name;
  }
}

TEST_F(RealModel, OneRanksHalfIsReadWithinTwoSeconds) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<float> buffer;
  int64_t elements = 0;
  for (const TensorInfo& info : source_->tensors()) {
    const int64_t half = info.shape[0] / 2, columns = info.shape.size() > 1 ? info.shape[1] : 1;
    buffer.resize(static_cast<size_t>(half * columns));
    ASSERT_TRUE(source_->readRows(info.name, 0, half, buffer.data()).ok());
    elements += half * columns;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  RecordProperty("seconds", std::to_string(seconds));
  std::printf("%lld elements in %.3f s\n", static_cast<long long>(elements), seconds);
  EXPECT_LT(seconds, 2.0);
}

}  // namespace
}  // namespace tidemark::weights
