// Tables of numbers, with and without names of columns, by the delimiter that the text seems to
// have.
#include <taper/data/datasets/csv.h>

#include "parser.h"

using namespace taper::data::datasets;

namespace {

void read(const std::string& path, const CSVOptions& options, size_t nbytes) {
  // A number of one digit and its delimiter become a double, as does each field a text.
  fuzz::parse(nbytes, 4 * fuzz::kPlain, [&] {
    const CSV table(path, options);
    fuzz::touch(table.data());
    fuzz::touch(table.targets());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const std::string text(reinterpret_cast<const char*>(data), nbytes);
  const std::string path = fuzz::file_of("table.csv", {data, nbytes});
  const char delimiter = text.find(';') == std::string::npos ? ',' : ';';
  read(path, CSVOptions().delimiter(delimiter), nbytes);
  read(path, CSVOptions().delimiter(delimiter).header(true).targets({0, -1}), nbytes);
  return 0;
}
