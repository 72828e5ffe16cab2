#include <taper/framework/core/check.h>

#include <sstream>

#include <taper/framework/debug/backtrace.h>
#include <taper/framework/runtime/environment.h>

namespace torch::taper {

Error::Error(std::string msg) : msg_(std::move(msg)), text_(msg_) {
  if (detail::is_on("TAPER_SHOW_CALLER"))
    backtrace_ = detail::describe_stack(detail::capture_stack());
  what_ = text_ + backtrace_;
}

void Error::add_context(const std::string& context) {
  text_ += " (" + context + ")";
  what_ = text_ + backtrace_;
}

namespace detail {

void Part::write_text(std::ostream& out, const void* at) { out << static_cast<const char*>(at); }

template void Part::write<char>(std::ostream&, const void*);
template void Part::write<bool>(std::ostream&, const void*);
template void Part::write<int>(std::ostream&, const void*);
template void Part::write<unsigned>(std::ostream&, const void*);
template void Part::write<long>(std::ostream&, const void*);
template void Part::write<unsigned long>(std::ostream&, const void*);
template void Part::write<double>(std::ostream&, const void*);
template void Part::write<std::string>(std::ostream&, const void*);

template void fail<Error>(std::initializer_list<Part>);
template void fail<IndexError>(std::initializer_list<Part>);
template void fail<ValueError>(std::initializer_list<Part>);
template void fail<TypeError>(std::initializer_list<Part>);
template void fail<NotImplementedError>(std::initializer_list<Part>);

std::string concat(std::initializer_list<Part> parts) {
  std::ostringstream out;
  for (const Part& part : parts) out << part;
  return out.str();
}

void internal_failure(const char* condition, const char* file, int line,
                      std::initializer_list<Part> parts) {
  const std::string text = concat(parts);
  fail<Error>({"internal check failed: ", condition, " at ", file, ":", line,
               text.empty() ? "" : ": ", text,
               "; this is a defect of Taper, please report it with the program that shows it"});
}

}  // namespace detail
}  // namespace torch::taper
