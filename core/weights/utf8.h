// Whether bytes from outside are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates).
#pragma once

#include <string_view>

namespace tidemark::weights {

bool isUtf8(std::string_view text);

}  // namespace tidemark::weights
