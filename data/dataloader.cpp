#include <taper/data/dataloader.h>

namespace torch::taper::data {

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

void detail::check_jobs(const DataLoaderOptions& o) {
  TAPER_CHECK(!o.prefetch_factor() || !o.max_jobs(),
              "DataLoader: expected max_jobs or prefetch_factor, got both; max_jobs is "
              "prefetch_factor * workers");
  TAPER_CHECK(!o.prefetch_factor() || o.workers() > 0,
              "DataLoader: prefetch_factor option could only be specified with workers; let "
              "workers > 0");
  TAPER_CHECK(o.prefetch_factor().value_or(1) > 0,
              "DataLoader: expected prefetch_factor of at least 1, got 0");
  TAPER_CHECK(o.workers() == 0 || o.max_jobs().value_or(1) > 0,
              "DataLoader: expected max_jobs of at least 1, got 0");
}

}  // namespace torch::taper::data
