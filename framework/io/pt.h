// Files of Python's torch.save: read and written without Python.
#pragma once

#include <taper/framework/io/ivalue.h>
#include <taper/framework/io/tensor_files.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// What Python's `torch.save(value)` put into these bytes: a tensor, number, text, None, or lists,
/// tuples and dictionaries of them. An OrderedDict is a dictionary, a torch.Size a tuple, a dtype
/// or device its text. Views that shared memory share it, and keep their strides; tensors of any
/// device come to the CPU. No code is run: an object of another class is an error that names it.
/// Throws Error for bytes that are damaged, cut, of the format before PyTorch 1.6, or something
/// else.
IValue pickle_load(const std::vector<char>& data);
/// The bytes of a file that Python's torch.load and pickle_load read. Tensors that share memory
/// share it in the file, which holds the whole memory of a view, as in Python. Throws Error for an
/// undefined tensor and for values in themselves.
std::vector<char> pickle_save(const IValue& value);

/// The same from and to a file. Tensors are made on `device` (default: the CPU). A file is replaced
/// as a whole or not at all. Throw Error when it cannot be read or written.
///@{
IValue load_pt(const std::string& path, optional<Device> device = nullopt);
void save_pt(const std::string& path, const IValue& value);
///@}

/// The tensors of a dictionary with names as keys. Throws Error, with the name, for any other
/// value, since what is left out would be missed later.
StateDict to_state_dict(const IValue& value);
/// The same as a dictionary, in the same order: texts as keys, and tensors that share their memory
/// with those of `dict`.
IValue to_ivalue(const StateDict& dict);

/// The named tensors of a file, whoever wrote it: Python's `torch.save(model.state_dict(), path)`,
/// a safetensors file, Taper's or LibTorch's save(module, path), or torch.jit.save. The file's
/// bytes say which it is.
StateDict load_state_dict(const std::string& path, optional<Device> device = nullopt);
/// Writes such a file of PyTorch's: `model.load_state_dict(torch.load(path))` in Python.
void save_state_dict(const std::string& path, const StateDict& dict);

}  // namespace torch::taper

#pragma GCC visibility pop
