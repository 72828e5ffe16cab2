#include <taper/data/dataloader.h>

namespace taper::data {

WorkerException::WorkerException(std::exception_ptr original)
    : original_exception(std::move(original)),
      message("Caught exception in DataLoader worker thread.") {
  try {
    std::rethrow_exception(original_exception);
  } catch (const std::exception& e) {
    message += " Original message: ";
    message += e.what();
  } catch (...) {
    message += " It is not a std::exception.";
  }
}

}  // namespace taper::data
