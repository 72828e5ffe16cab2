// Expectations about the errors that code throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <taper/framework/core/check.h>

namespace torch::taper::testing {

/// The text of the E (or of a class derived from it) that `body` throws; "no error" for none.
template <class E = Error, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}
/// Expects that `body` throws an E with this text in its message.
template <class E = Error, class Body>
void expect_error(const std::string& text, const Body& body) {
  const std::string message = message_of<E>(body);
  EXPECT_NE(message.find(text), std::string::npos) << "expected: " << text << "\ngot: " << message;
}

}  // namespace torch::taper::testing
