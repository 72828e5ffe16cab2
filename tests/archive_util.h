// Files with one thing wrong, for tests of what a failed load leaves behind.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <taper/framework/io/serialize.h>

namespace torch::taper::testing {

/// What `value` saves, as bytes.
template <class T>
std::string saved(const T& value) {
  std::ostringstream out;
  save(value, out);
  return out.str();
}

inline serialize::InputArchive opened(const std::string& bytes) {
  serialize::InputArchive archive;
  archive.load_from(bytes.data(), bytes.size());
  return archive;
}

/// Calls visit(archive, key) for every entry, nested archives before what they hold.
template <class Visit>
void for_each_entry(serialize::InputArchive& archive, const Visit& visit) {
  for (const std::string& key : archive.keys()) {
    visit(archive, key);
    serialize::InputArchive nested;
    if (archive.try_read(key, nested)) for_each_entry(nested, visit);
  }
}

/// The whole names of all entries of a file.
inline std::vector<std::string> entries_of(const std::string& bytes) {
  serialize::InputArchive archive = opened(bytes);
  std::vector<std::string> names;
  for_each_entry(archive, [&](serialize::InputArchive& in, const std::string& key) {
    names.push_back(in.full_name(key));
  });
  return names;
}

/// A copy of an archive in which the entry of the whole name `name` is another value or, without
/// one, missing.
inline void copy_with(serialize::InputArchive& from, serialize::OutputArchive& to,
                      const std::string& name, const optional<IValue>& value) {
  for (const std::string& key : from.keys()) {
    serialize::InputArchive nested;
    IValue kept;
    if (from.full_name(key) == name) {
      if (value) to.write(key, *value);
    } else if (from.try_read(key, nested)) {
      serialize::OutputArchive copied;
      copy_with(nested, copied, name, value);
      to.write(key, copied);
    } else {
      from.read(key, kept);
      to.write(key, kept);
    }
  }
}

/// A file's bytes with that entry changed, or without it.
inline std::string with_entry(const std::string& bytes, const std::string& name,
                              const optional<IValue>& value) {
  serialize::InputArchive from = opened(bytes);
  serialize::OutputArchive to;
  copy_with(from, to, name, value);
  std::ostringstream out;
  to.save_to(out);
  return out.str();
}

}  // namespace torch::taper::testing
