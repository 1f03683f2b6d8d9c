// The fields of a Hugging Face config.json, each read with an error that names the file and the field. Internal to weights.
#pragma once

#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/base/result.h"

namespace tidemark::weights {

// One JSON object of config.json; `prefix` names it in messages ("rope_scaling.").
class Fields {
 public:
  Fields(const Json& json, std::string file, std::string prefix = "")
      : json_(json), file_(std::move(file)), prefix_(std::move(prefix)) {}

  // Absent and null mean the same in these files.
  const Json* find(const std::string& key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  Error refuse(const std::string& key, const std::string& detail, ErrorCode code = ErrorCode::InvalidInput) const {
    return {code, file_, prefix_ + key + ": " + detail};
  }
  Result<int64_t> integer(const std::string& key) const {
    const Json* value = find(key);
    if (!value) return refuse(key, "is missing");
    if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX))
      return refuse(key, "is not a whole number");
    return value->get<int64_t>();
  }
  Result<int64_t> integerOr(const std::string& key, int64_t fallback) const {
    return find(key) ? integer(key) : Result<int64_t>(fallback);
  }
  Result<double> number(const std::string& key) const {
    const Json* value = find(key);
    if (!value) return refuse(key, "is missing");
    if (!value->is_number()) return refuse(key, "is not a number");
    return value->get<double>();
  }
  Result<double> numberOr(const std::string& key, double fallback) const {
    return find(key) ? number(key) : Result<double>(fallback);
  }
  Result<bool> booleanOr(const std::string& key, bool fallback) const {
    const Json* value = find(key);
    if (!value) return fallback;
    if (!value->is_boolean()) return refuse(key, "is not true or false");
    return value->get<bool>();
  }
  Result<std::string> textOr(const std::string& key, const std::string& fallback) const {
    const Json* value = find(key);
    if (!value) return fallback;
    if (!value->is_string()) return refuse(key, "is not a string");
    return value->get<std::string>();
  }
  Result<std::optional<Fields>> object(const std::string& key) const {
    const Json* value = find(key);
    if (!value) return std::optional<Fields>();
    if (!value->is_object()) return refuse(key, "is not an object");
    return std::optional<Fields>(Fields(*value, file_, prefix_ + key + "."));
  }

 private:
  const Json& json_;
  std::string file_, prefix_;
};

}  // namespace tidemark::weights
