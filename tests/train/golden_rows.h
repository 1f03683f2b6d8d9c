// The rows and numbers of tests/golden/engine, as the engine takes them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/comm/communicator.h"
#include "core/memory/ledger.h"
#include "core/model/llama.h"
#include "core/peft/adapter_file.h"
#include "core/train/batches.h"
#include "core/weights/model_source.h"

namespace tidemark::train {

inline const std::string kGolden = std::string(TIDEMARK_GOLDEN) + "/engine";

inline Json readGolden(const std::string& name) {
  const auto text = readFile(kGolden + "/" + name);
  if (!text.ok()) throw std::runtime_error(text.error().message());
  return Json::parse(*text);
}

// Owns what PreparedDataset::Row only points at.
struct GoldenRow {
  explicit GoldenRow(const Json& row) : ids(row["ids"].get<std::vector<text::TokenId>>()), hasLoss(row["has_loss"].get<std::vector<uint8_t>>()) {}
  text::PreparedDataset::Row view() const {
    text::PreparedDataset::Row row{ids, hasLoss, 0, 0};
    for (size_t t = 1; t < hasLoss.size(); ++t) row.targetCount += hasLoss[t];
    return row;
  }
  std::vector<text::TokenId> ids;
  std::vector<uint8_t> hasLoss;
};

inline std::vector<GoldenRow> goldenRows(const Json& rows) {
  std::vector<GoldenRow> result;
  for (const Json& row : rows) result.emplace_back(row);
  return result;
}

inline model::Batch batchOf(const std::vector<GoldenRow>& rows, const std::vector<size_t>& which) {
  std::vector<text::PreparedDataset::Row> views;
  for (const size_t index : which) views.push_back(rows[index].view());
  return batchFromRows({views}, 0, c10::Device(c10::kCPU));
}

// A model on one rank, with the golden adapter where `lora.targets` is not empty.
struct LoadedModel {
  LoadedModel(const std::string& path, const peft::LoraSettings& lora) {
    auto source = weights::ModelSource::open(path);
    if (!source.ok()) throw std::runtime_error(source.error().message());
    auto loaded = model::loadModel(**source, lora, *communicator, memory::Sharding::Sharded, c10::Device(c10::kCPU));
    if (!loaded.ok()) throw std::runtime_error(loaded.error().message());
    model = std::move(loaded).value();
  }
  std::unique_ptr<comm::Communicator> communicator = comm::Communicator::single();
  memory::Ledger ledger;
  std::unique_ptr<model::Model> model;
};

}  // namespace tidemark::train
