#include "checkpoint.h"

namespace mnist {
namespace {

using taper::IValue;
using taper::serialize::InputArchive;
using taper::serialize::OutputArchive;

IValue read(InputArchive& archive, const char* key) {
  IValue value;
  archive.read(key, value);
  return value;
}

// Takes a setting from the checkpoint, unless the user gave another value.
template <class T>
void adopt(const std::string& path, const char* flag, bool given, T& mine, const T& saved) {
  TAPER_CHECK(!given || mine == saved, path, ": the run was started with ", flag, " ", saved,
              ", so it cannot go on with ", mine);
  mine = saved;
}

}  // namespace

void save_settings(OutputArchive& archive, const Options& options) {
  OutputArchive settings;
  settings.write("model", IValue(options.model));
  settings.write("batch_size", IValue(int64_t{options.batch_size}));
  settings.write("lr", IValue(options.lr));
  settings.write("momentum", IValue(options.momentum));
  settings.write("seed", IValue(options.seed));
  settings.write("limit", IValue(options.limit));
  archive.write("settings", settings);
}

void adopt_settings(const std::string& path, Options& o) {
  InputArchive archive, settings;
  archive.load_from(path);
  archive.read("settings", settings);
  adopt(path, "--model", o.has_model, o.model, read(settings, "model").toStringRef());
  adopt(path, "--batch-size", o.has_batch_size, o.batch_size,
        static_cast<int>(read(settings, "batch_size").toInt()));
  adopt(path, "--lr", o.has_lr, o.lr, read(settings, "lr").toDouble());
  adopt(path, "--momentum", o.has_momentum, o.momentum, read(settings, "momentum").toDouble());
  adopt(path, "--seed", o.has_seed, o.seed, read(settings, "seed").toInt());
  adopt(path, "--limit", o.has_limit, o.limit, read(settings, "limit").toInt());
}

}  // namespace mnist
