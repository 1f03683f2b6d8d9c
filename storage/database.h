// One connection to the database file: its settings, prepared statements, transactions, and SQLite's errors as ours.
// Knows no table.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "core/base/result.h"

namespace tidemark::storage {

constexpr int kBusyTimeoutMs = 5000;  // how long to wait for another program's lock

// A prepared statement in use. Resets it at the end of its scope, so that no read lock stays behind.
class Query {
 public:
  explicit Query(SQLite::Statement& statement) : statement_(statement) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query() { statement_.tryReset(); }

  // Binds the next parameters; NaN and empty optionals become NULL.
  template <typename... T>
  Query& bind(const T&... values) {
    (bindOne(values), ...);
    return *this;
  }
  Query& bindBlob(const std::string& bytes) {
    statement_.bind(++bound_, bytes.data(), static_cast<int>(bytes.size()));
    return *this;
  }
  bool next() { return statement_.executeStep(); }
  int run() { return statement_.exec(); }  // rows changed

  int64_t integer(int column) { return statement_.getColumn(column).getInt64(); }
  double real(int column) { return isNull(column) ? std::nan("") : statement_.getColumn(column).getDouble(); }
  std::string text(int column) { return statement_.getColumn(column).getString(); }
  bool isNull(int column) { return statement_.isColumnNull(column); }
  std::optional<int64_t> optionalInteger(int column) { return isNull(column) ? std::nullopt : std::optional(integer(column)); }
  std::optional<double> optionalReal(int column) { return isNull(column) ? std::nullopt : std::optional(real(column)); }

 private:
  template <typename T>
  void bindOne(const T& value) {
    if constexpr (std::is_integral_v<T>) statement_.bind(++bound_, static_cast<int64_t>(value));
    else if constexpr (std::is_same_v<T, double>) std::isnan(value) ? statement_.bind(++bound_) : statement_.bind(++bound_, value);
    else statement_.bind(++bound_, std::string(value));
  }
  template <typename T>
  void bindOne(const std::optional<T>& value) {
    if (value) bindOne(*value);
    else statement_.bind(++bound_);
  }

  SQLite::Statement& statement_;
  int bound_ = 0;
};

class Database {
 public:
  // Throws SQLite::Exception, like everything here: call it inside guarded().
  explicit Database(const std::filesystem::path& path);

  // `sql` must be a literal: statements are kept by its text for the life of the connection.
  Query query(std::string_view sql);
  void execute(const char* sql) { connection_.exec(sql); }
  SQLite::Database& connection() { return connection_; }

 private:
  SQLite::Database connection_;
  std::unordered_map<std::string_view, std::unique_ptr<SQLite::Statement>> statements_;
};

// Rolls back unless committed. A writer takes its lock at once, so that a reader never has to become a writer.
class Transaction {
 public:
  enum class Kind { Read, Write };
  Transaction(Database& database, Kind kind) : database_(database) {
    database.execute(kind == Kind::Write ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() { if (!isCommitted_) database_.connection().tryExec("ROLLBACK"); }
  void commit() {
    database_.execute("COMMIT");
    isCommitted_ = true;
  }

 private:
  Database& database_;
  bool isCommitted_ = false;
};

Error errorFrom(const SQLite::Exception& exception, const std::string& subject);

// Runs `work`, which returns a Result or Status, and turns SQLite's exceptions into errors about `subject`.
template <typename Work>
auto guarded(const std::string& subject, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    return errorFrom(exception, subject);
  }
}

}  // namespace tidemark::storage
