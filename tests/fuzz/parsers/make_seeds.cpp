// make_seeds FOLDER: writes FOLDER/TARGET/NAME, small good files of the formats that Taper writes,
// and of those whose layout is simple. The seeds that are kept beside the fuzzers come on top.
#include <taper/framework/io/pickle.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/zip.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/optim.h>

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../script_archive.h"
#include "example_module.h"

namespace {

using namespace taper;

std::string root;

std::string path_of(const std::string& target, const std::string& name) {
  std::filesystem::create_directories(root + "/" + target);
  return root + "/" + target + "/" + name;
}

void write(const std::string& target, const std::string& name, const std::string& bytes) {
  std::ofstream(path_of(target, name), std::ios::binary) << bytes;
}

std::vector<Tensor> tensors() {
  std::vector<Tensor> all;
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kLong, kByte, kBool, kComplexFloat})
    all.push_back(ones({2, 2}, dtype));
  const Tensor base = ones({4, 3}).set_requires_grad(true);
  all.push_back(base.detach().t());
  all.push_back(base.detach().select(0, 1));
  all.push_back(zeros({0, 2}));
  all.push_back(ones({}));
  return all;
}

IValue values() {
  GenericDict dict;
  dict.insert("weights", GenericList({IValue(ones({2})), IValue(ones({1}, kLong))}));
  dict.insert("lr", 0.5);
  dict.insert("step", int64_t{70000});
  dict.insert("names", ivalue::Tuple::create({IValue("a"), IValue(true), IValue()}));
  dict.insert("sizes", std::vector<int64_t>{1, -2, 300});
  dict.insert("numbers", std::vector<double>{1, 2});
  return dict;
}

StateDict state_dict() {
  StateDict dict;
  const std::vector<Tensor> all = tensors();
  for (size_t i = 0; i < all.size(); ++i) dict.insert("part." + std::to_string(i), all[i]);
  return dict;
}

/// One pickle as a whole file of torch.save, and alone.
void write_pickled(const std::string& name, const IValue& value) {
  const std::vector<char> bytes = pickle_save(value);
  write("pt", name, {bytes.begin(), bytes.end()});
  write("zip", name, {bytes.begin(), bytes.end()});
  const serialize::detail::ZipReader zip(serialize::detail::bytes_of(bytes.data(), bytes.size()),
                                         name);
  write("pickle", name, zip.read(*zip.find("archive/data.pkl")));
}

template <class T>
void write_archive(const std::string& target, const std::string& name, const T& value) {
  std::ostringstream out;
  save(value, out);
  write(target, name, out.str());
}

template <class Optimizer>
void write_optimizer(const std::string& name) {
  std::vector<Tensor> parameters = {ones({2, 3}).set_requires_grad(true),
                                    ones({3}).set_requires_grad(true)};
  Optimizer optimizer(parameters, 0.1);
  for (Tensor& p : parameters) p.mutable_grad() = ones_like(p);
  optimizer.step();
  write_archive("optimizer", name, optimizer);
}

void write_arrays() {
  const std::vector<Tensor> all = tensors();
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].scalar_type() != kBFloat16) save_npy(path_of("npy", std::to_string(i)), all[i]);
  StateDict two;
  two.insert("a", all[0]);
  two.insert("b", all[8]);
  for (const char* target : {"npz", "zip"}) {
    save_npz(path_of(target, "stored"), two);
    save_npz(path_of(target, "deflated"), two, true);
  }
}

void write_archives() {
  write_archive("archive", "tensor", ones({2}));
  write_archive("archive", "list", std::vector<Tensor>{ones({2}), ones({1}, kComplexDouble)});
  serialize::OutputArchive archive, nested;
  nested.write("tensors", IValue(std::vector<Tensor>{ones({1})}));
  nested.write("ints", IValue(std::vector<int64_t>{1, 2}));
  archive.write("nested", nested);
  archive.write("double", IValue(0.5));
  archive.write("doubles", IValue(std::vector<double>{1, 2}));
  archive.write("text", IValue("text"));
  archive.write("none", IValue());
  archive.write("undefined", Tensor());
  archive.save_to(path_of("archive", "values"));
  write_archive("module", "module", fuzz::ExampleModule());
  write_optimizer<optim::SGD>("sgd");
  write_optimizer<optim::Adam>("adam");
}

void write_script_archive() {
  std::vector<Tensor> storages;
  testing::ScriptModule net(storages), head(storages);
  head.write("weight", ones({2, 3})).write("steps", int64_t{7}).write("on", true);
  net.write("scale", 0.5).write("name", std::string("net")).write("head", head);
  write("pt", "script", testing::script_archive(net, storages));
}

void write_idx() {
  const std::string images("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03", 16);
  const std::string labels("\0\0\x08\x01\0\0\0\x02\x03\x09", 10);
  write("idx", "images", images + std::string(12, '\x7f'));
  write("idx", "labels", labels);
  const gzFile file = gzopen(path_of("idx", "labels.gz").c_str(), "wb");
  gzwrite(file, labels.data(), static_cast<unsigned>(labels.size()));
  gzclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: make_seeds FOLDER\n"), 2;
  root = argv[1];
  write_pickled("tensors", tensors());
  write_pickled("values", values());
  write_pickled("state_dict", to_ivalue(state_dict()));
  write_arrays();
  save_safetensors(path_of("safetensors", "all"), state_dict());
  FileMetadata metadata;
  metadata.insert("format", "pt");
  save_safetensors(path_of("safetensors", "empty"), StateDict(), metadata);
  write_archives();
  write_script_archive();
  write_idx();
  write("cifar", "10", std::string(1, '\x09') + std::string(3072, '\x40'));
  write("cifar", "100", std::string("\x13\x63", 2) + std::string(3072, '\x40'));
  return 0;
}
