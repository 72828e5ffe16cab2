#include <set>

#include <taper/framework/io/pt.h>
#include <taper/framework/io/zip.h>
#include <taper/program/export.h>
#include <taper/program/json.h>
#include <taper/program/trace.h>

namespace torch::taper {
namespace program {
namespace {

using serialize::detail::ZipWriter;

/// Writes the records of a package with one program.
class Package {
 public:
  explicit Package(ZipWriter& zip) : zip_(zip) {}

  void write(const Program& program) {
    put("archive_format", "pt2");
    put("archive_version", "0");
    put("byteorder", "little");
    put(".data/version", "6\n");
    put("models/model.json", json_of_program(program));
    std::set<std::string> parameters;
    for (const InputSpec& input : program.input_specs)
      if (input.kind == InputSpec::Kind::kParameter) parameters.insert(input.target);
    put_tensors(program.weights, parameters, "data/weights/", "weight_",
                "model_weights_config.json");
    put_tensors(program.constants, {}, "data/constants/", "tensor_", "model_constants_config.json");
    put("data/sample_inputs/model.pt", "");
  }

 private:
  void put(const std::string& name, const std::string& text) {
    zip_.add("program/" + name, text.data(), text.size());
  }
  /// Writes each tensor as a record. Names of one tensor share the record.
  void put_tensors(const std::map<std::string, Tensor>& tensors,
                   const std::set<std::string>& parameters, const std::string& folder,
                   const std::string& prefix, const std::string& config) {
    Payloads payloads;
    std::map<const TensorImpl*, std::string> paths;
    for (const auto& [name, tensor] : tensors) {
      const Tensor stored = tensor.detach().cpu().contiguous();
      std::string& path = paths[tensor.unsafeGetTensorImpl()];
      if (path.empty()) {
        path = prefix + std::to_string(paths.size() - 1);
        zip_.add("program/" + folder + path, stored.data_ptr(), stored.nbytes());
      }
      Payload& payload = payloads[name];
      payload.path = path;
      payload.is_parameter = parameters.count(name) > 0;
      payload.has_meta = true;
      payload.meta = meta_of(stored);
      payload.meta.requires_grad = payload.is_parameter && tensor.is_floating_point();
    }
    put(folder + config, json_of_payloads(payloads));
  }

  ZipWriter& zip_;
};

}  // namespace
}  // namespace program

void save_program(const std::string& path, const program::Program& program) {
  serialize::detail::write_file(path, [&](const serialize::detail::Sink& sink) {
    serialize::detail::ZipWriter zip(sink, "save_program: '" + path + "'");
    program::Package(zip).write(program);
    zip.finish();
  });
}

}  // namespace torch::taper
