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

// Takes over a setting of the checkpoint, unless the user gave another.
template <class T>
void adopt(const std::string& path, const char* flag, bool given, T& mine, const T& saved) {
  TAPER_CHECK(!given || mine == saved, path, ": the run was started with ", flag, " ", saved,
              ", so it cannot go on with ", mine);
  mine = saved;
}

}  // namespace

void save_checkpoint(const std::string& path, const Options& options, const Network& network,
                     const taper::optim::Optimizer& optimizer, const Position& position) {
  OutputArchive archive, model, optimizer_state, settings, place;
  network.save(model);
  optimizer.save(optimizer_state);
  settings.write("model", IValue(options.model));
  settings.write("batch_size", IValue(int64_t{options.batch_size}));
  settings.write("lr", IValue(options.lr));
  settings.write("momentum", IValue(options.momentum));
  settings.write("seed", IValue(options.seed));
  settings.write("limit", IValue(options.limit));
  place.write("epoch", IValue(position.epoch));
  place.write("batch", IValue(position.batch));
  place.write("loss_sum", IValue(position.loss_sum));
  place.write("generator_at_epoch", position.generator_at_epoch, /*is_buffer=*/true);
  place.write("generator_now", position.generator_now, /*is_buffer=*/true);
  archive.write("settings", settings);
  archive.write("position", place);
  archive.write("model", model);
  archive.write("optimizer", optimizer_state);
  archive.save_to(path);
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

Position load_checkpoint(const std::string& path, Network& network,
                         taper::optim::Optimizer& optimizer) {
  InputArchive archive, model, optimizer_state, place;
  archive.load_from(path);
  archive.read("model", model);
  archive.read("optimizer", optimizer_state);
  archive.read("position", place);
  network.load(model);
  optimizer.load(optimizer_state);
  Position position;
  position.epoch = read(place, "epoch").toInt();
  position.batch = read(place, "batch").toInt();
  position.loss_sum = read(place, "loss_sum").toDouble();
  place.read("generator_at_epoch", position.generator_at_epoch, /*is_buffer=*/true);
  place.read("generator_now", position.generator_now, /*is_buffer=*/true);
  return position;
}

}  // namespace mnist
