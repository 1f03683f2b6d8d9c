#include "storage/run_id.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <random>

namespace tidemark::storage {
namespace {

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr size_t kTimeDigits = 10, kDigits = 26;

using Digits = std::array<unsigned char, kDigits>;

void setTime(Digits& digits, uint64_t milliseconds) {
  for (size_t i = kTimeDigits; i-- > 0; milliseconds >>= 5) digits[i] = milliseconds & 31;
}

void increment(Digits& digits) {
  for (size_t i = kDigits; i-- > 0;) {
    if (++digits[i] < 32) return;
    digits[i] = 0;
  }
}

}  // namespace

std::string newRunId() {
  static std::mutex mutex;
  static Digits digits{};
  static uint64_t last = 0;
  const std::scoped_lock lock(mutex);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  if (milliseconds > last) {
    last = milliseconds;
    setTime(digits, milliseconds);
    std::random_device random;
    for (size_t i = kTimeDigits; i < kDigits; ++i) digits[i] = random() & 31;
  } else {
    increment(digits);
  }
  std::string id;
  for (const unsigned char digit : digits) id += kAlphabet[digit];
  return id;
}

bool isRunId(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

}  // namespace tidemark::storage
