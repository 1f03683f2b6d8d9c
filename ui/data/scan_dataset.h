// Goes through a dataset once, as preparing it for a run would, and hands over what it learns of the rows batch by batch.
// Blocks; knows no threads.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/text/prepared_dataset.h"
#include "core/text/tokenizer.h"
#include "ui/data/row_facts.h"

namespace tidemark::ui {

// Tells a file that was changed from the one that was read.
struct FileStamp {
  uint64_t bytes = 0;
  std::filesystem::file_time_type changed;
  bool operator==(const FileStamp&) const = default;
};
Result<FileStamp> stampOf(const std::filesystem::path& file);

// A dataset with the model whose tokenizer and template it is read by.
struct OpenedData {
  text::DatasetSettings settings;
  std::shared_ptr<const text::Tokenizer> tokenizer;
  FileStamp stamp;
};
Result<OpenedData> openData(const std::string& model, const text::DatasetSettings& settings);

struct ScanBatch {
  std::vector<RowFacts> rows;  // in the order of the file
  text::DatasetFormat format = text::DatasetFormat::Auto;
  int64_t blankLines = 0;      // so far
  bool hasByteOrderMark = false;
  uint64_t bytesRead = 0, bytes = 0;
};

// `take` answers whether to go on; if not, the error is Cancelled. Rows that were read before an error are handed over.
Status scanDataset(const OpenedData& data, const std::function<bool(ScanBatch)>& take);

}  // namespace tidemark::ui
