#include <taper/framework/check.h>

namespace taper::detail {

void internal_failure(const char* condition, const char* file, int line, const std::string& msg) {
  throw Error(
      concat("internal check failed: ", condition, " at ", file, ":", line, msg.empty() ? "" : ": ",
             msg, "; this is a defect of Taper, please report it with the program that shows it"));
}

}  // namespace taper::detail
