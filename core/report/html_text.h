// Text and numbers as they stand in the HTML report. Everything that comes from outside passes through escape().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::report {

std::string escape(std::string_view text);  // for element content and quoted attributes
std::string fixed(double value, int digits);  // "12.35"; "-" if not finite
std::string grouped(int64_t value);         // "1 234 567", with narrow no-break spaces
std::string percent(double fraction);       // "70 %"
std::string seconds(double value);          // "12.3 ms", "1.42 s"
std::string difference(double measured, double predicted);  // "+3.1 %"

}  // namespace tidemark::report
