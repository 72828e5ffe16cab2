#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>

namespace mnist {

namespace {

// Returns why `text` is not an int64_t, or "". Without this check, a number that is too large would
// become the nearest int64_t.
std::string is_number_of_64_bits(const std::string& text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && last == end) return "";
  return "expected a whole number from -2^63 to 2^63 - 1, got " + text;
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o, int& status) {
  CLI::App app{"Trains a network on the MNIST handwritten digits."};
  app.get_formatter()->column_width(34);
  CLI::Option* model = app.add_option("--model", o.model, "Network: mlp, cnn or lenet")
                           ->check(CLI::IsMember({"mlp", "cnn", "lenet"}))
                           ->capture_default_str();
  app.add_option("--epochs", o.epochs, "Passes over the training images")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  CLI::Option* batch = app.add_option("--batch-size", o.batch_size, "Images in a batch")
                           ->check(CLI::Range(1, 60000))
                           ->capture_default_str();
  CLI::Option* lr = app.add_option("--lr", o.lr, "Learning rate")
                        ->check(CLI::Range(0.0, 1e6))
                        ->capture_default_str();
  CLI::Option* momentum = app.add_option("--momentum", o.momentum, "Momentum of SGD")
                              ->check(CLI::Range(0.0, 1.0))
                              ->capture_default_str();
  CLI::Option* seed = app.add_option("--seed", o.seed, "Seed of all random numbers")
                          ->check(is_number_of_64_bits)
                          ->capture_default_str();
  app.add_option("--threads", o.threads, "Threads of an operation (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--workers", o.workers, "Threads that prepare batches ahead")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  app.add_option("--device", o.device, "Where to compute: cpu, cuda, cuda:1")
      ->capture_default_str();
  app.add_flag("--disable-cuda", o.disable_cuda, "Compute on the CPU whatever else is said");
  app.add_flag("--data-parallel", o.data_parallel,
               "Split each batch over all CUDA devices, beginning with that of --device");
  app.add_option("--data", o.data, "Folder with MNIST in IDX files, .gz or not");
  app.add_flag("--drawn", o.drawn, "Use digits drawn by this program, not MNIST");
  app.add_flag("--offline", o.offline, "Do not try to download MNIST");
  CLI::Option* limit = app.add_option("--limit", o.limit, "Train on the first so many images only")
                           ->check(CLI::Range(1, 60000));
  app.add_option("--checkpoint", o.checkpoint, "File to save the state of the run in")
      ->type_name("FILE");
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "Batches between checkpoints (one is saved after each epoch in any case)")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_flag("--resume", o.resume, "Go on from the checkpoint, if there is one");
  app.add_option("--trace", o.trace,
                 "File for what CUDA devices do in three steps (for ui.perfetto.dev)")
      ->type_name("FILE");
  app.add_option("--curve", o.curve, "File for a drawing (SVG) of the losses over the epochs")
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    status = 0;
    return false;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "mnist: %s (--help lists the flags)\n", e.what());
    status = 2;
    return false;
  }
  o.has_model = model->count() > 0;
  o.has_batch_size = batch->count() > 0;
  o.has_lr = lr->count() > 0;
  o.has_momentum = momentum->count() > 0;
  o.has_seed = seed->count() > 0;
  o.has_limit = limit->count() > 0;
  return true;
}

}  // namespace mnist
