// What the programs of this folder share: a check that ends the program, and the text of an error.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::cerr << __FILE__ << ":" << __LINE__ << ": expected " #condition << std::endl; \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

template <class E, class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}
inline bool has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  std::cerr << "got: " << text << "\n";
  return false;
}
