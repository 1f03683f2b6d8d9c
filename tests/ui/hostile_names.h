// Names that people, scripts and other machines can give a run, and that must be shown as what they are.
#pragma once

#include <string>
#include <vector>

namespace tidemark::tests {

inline const std::vector<std::string>& hostileNames() {
  static const std::vector<std::string> names{
      "<b>bold</b>",
      "<img src='file:///etc/passwd'>",
      "<script>alert(1)</script>",
      "<a href=\"http://example.invalid\">click</a>",
      "<table><tr><td>cell</td></tr></table>",
      "&amp; &lt;b&gt;",
      "&Quit",
      "a && b",
      "%1 %2 %n %s %d",
      "'; DROP TABLE runs; --",
      "\"quoted\" 'single' `back`",
      "$(touch /tmp/x)",
      "../../../etc/passwd",
      "-rf",
      "\xE2\x80\xAEtxet desrever",          // right-to-left override
      "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xD8\xB3\xD9\x84\xD8\xA7\xD9\x85",
      "\xF0\x9F\x9A\x80\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC emoji",
      "line one\nline two\ttab",
      std::string(4000, 'W'),
      "bad utf8 \xC3\x28 \xFF",
  };
  return names;
}

}  // namespace tidemark::tests
