// Speaks the protocol of GradBench: reads messages from the standard input, and writes responses to
// the standard output.
//
//   gradbench [--multithreaded]
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "ba.h"
#include "descent.h"
#include "det.h"
#include "gmm.h"
#include "ht.h"
#include "kmeans.h"
#include "lstm.h"
#include "ode.h"
#include "pictures/arguments.h"
#include "protocol.h"
#include "scalars.h"

// Reads a line of the input. Throws std::invalid_argument if it is no message.
Json to_message(const std::string& line) {
  Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!message.is_object() || !message.contains("id") || !message.contains("kind"))
    throw std::invalid_argument("expected a message with id and kind, got " + line.substr(0, 40));
  return message;
}

int main(int argc, char** argv) try {
  if (prints_help(argc, argv,
                  "gradbench [--multithreaded]: answers messages of GradBench's protocol, one a "
                  "line"))
    return 0;
  const bool threads = argc == 2 && std::string(argv[1]) == "--multithreaded";
  if (argc > 1 && !threads)
    throw std::invalid_argument("expected --multithreaded or nothing, got " + std::string(argv[1]));
  if (!threads) torch::set_num_threads(1);
  const Modules modules = {
      {"ba", ba()},     {"det", det()},       {"gmm", gmm()},           {"hello", hello()},
      {"ht", ht()},     {"kmeans", kmeans()}, {"llsq", llsq()},         {"lse", lse()},
      {"lstm", lstm()}, {"ode", ode()},       {"particle", particle()}, {"saddle", saddle()}};
  for (std::string line; std::getline(std::cin, line);)
    std::cout << respond(to_message(line), modules).dump() << std::endl;
} catch (const std::exception& e) {
  std::fprintf(stderr, "gradbench: %s\n", e.what());
  return 1;
}
