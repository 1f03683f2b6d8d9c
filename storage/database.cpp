#include "storage/database.h"

#include <sqlite3.h>

namespace tidemark::storage {
namespace {

// From here on, two connections that checkpoint at once cannot corrupt a WAL database (sqlite.org/wal.html).
constexpr int kFirstSafeWal = 3051003;

void setJournal(SQLite::Database& connection) {
  const bool usesWal = sqlite3_libversion_number() >= kFirstSafeWal;
  const std::string wanted = usesWal ? "wal" : "truncate";
  SQLite::Statement statement(connection, "PRAGMA journal_mode = " + wanted);
  const std::string mode = statement.executeStep() ? statement.getColumn(0).getString() : "";
  // A newer library may hold the file open as WAL; this one must not write to it then.
  if (!usesWal && mode == "wal")
    throw SQLite::Exception("is open in write-ahead mode in another program; close that first", SQLITE_BUSY);
}

}  // namespace

Database::Database(const std::filesystem::path& path)
    : connection_(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs) {
  setJournal(connection_);
  connection_.exec("PRAGMA synchronous = FULL");
  connection_.exec("PRAGMA foreign_keys = ON");
  connection_.exec("PRAGMA trusted_schema = OFF");
  connection_.exec("PRAGMA mmap_size = 0");
}

Query Database::query(std::string_view sql) {
  auto& statement = statements_[sql];
  if (!statement) statement = std::make_unique<SQLite::Statement>(connection_, std::string(sql));
  statement->reset();
  statement->clearBindings();
  return Query(*statement);
}

Error errorFrom(const SQLite::Exception& exception, const std::string& subject) {
  const std::string what = exception.what();
  switch (exception.getErrorCode() & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::Busy, subject, "is locked by another program (" + what + "); try again"};
    case SQLITE_FULL:
      return {ErrorCode::Io, subject, "cannot grow: the disk is full (" + what + ")"};
    case SQLITE_IOERR:
      return {ErrorCode::Io, subject, "cannot be read or written (" + what + ")"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::Io, subject, "may not be written (" + what + ")"};
    case SQLITE_CANTOPEN:
      return {ErrorCode::Io, subject, "cannot be opened (" + what + "); check the folder and its permissions"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::InvalidInput, subject,
              "is damaged or not a database (" + what + "); move it away and import the run directories again"};
    case SQLITE_CONSTRAINT:
      return {ErrorCode::InvalidInput, subject, "refuses the values (" + what + ")"};
    case SQLITE_NOMEM:
      return {ErrorCode::OutOfMemory, subject, what};
    default:
      return {ErrorCode::Internal, subject, what};
  }
}

}  // namespace tidemark::storage
