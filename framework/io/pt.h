// Files of Python's torch.save, read and written without Python.
#pragma once

#include <taper/framework/io/ivalue.h>
#include <taper/framework/io/tensor_files.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns the value that Python's `torch.save(value)` wrote as the bytes `data`. It is a tensor,
/// number, text or None, or lists, tuples and dictionaries of these. An OrderedDict becomes a
/// dictionary, a torch.Size a tuple, a dtype or device its text. Views that shared memory still
/// share it, and keep their strides. Tensors of any device are loaded to the CPU. No code is run.
/// The error for an object of another class names the class. Throws Error for damaged or truncated
/// bytes, for other files, and for the format before PyTorch 1.6.
IValue pickle_load(const std::vector<char>& data);
/// Returns the bytes of a file that pickle_load and Python's torch.load can read. Tensors that
/// share memory share it in the file. As in Python, the file holds the whole memory of a view's
/// storage. Throws Error for an undefined tensor and for values that contain themselves.
std::vector<char> pickle_save(const IValue& value);

/// Call pickle_load and pickle_save with the bytes of a file. load_pt makes tensors on `device`
/// (default: the CPU). save_pt replaces a file completely or not at all. Throw Error if the file
/// cannot be read or written.
///@{
IValue load_pt(const std::string& path, optional<Device> device = nullopt);
void save_pt(const std::string& path, const IValue& value);
///@}

/// Returns the tensors of a dictionary with names as keys. Throws Error, which names the key, for a
/// value that is no tensor, because omitted values would be missed later.
StateDict to_state_dict(const IValue& value);
/// Returns `dict` as a dictionary in the same order. Its keys are texts. Its tensors share their
/// memory with those of `dict`.
IValue to_ivalue(const StateDict& dict);

/// Returns the named tensors of a file from any writer: Python's `torch.save(model.state_dict(),
/// path)`, a safetensors file, Taper's or LibTorch's save(module, path), or torch.jit.save. The
/// function detects the format from the file's bytes.
StateDict load_state_dict(const std::string& path, optional<Device> device = nullopt);
/// Writes a file for PyTorch: `model.load_state_dict(torch.load(path))` in Python.
void save_state_dict(const std::string& path, const StateDict& dict);

}  // namespace torch::taper

#pragma GCC visibility pop
