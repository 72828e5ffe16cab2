// Files of named tensors that other programs read and write: safetensors, NumPy's npy and npz.
#pragma once

#include <taper/framework/core/ordered_dict.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Named tensors: the result of Module::state_dict() and the argument of Module::load_state_dict().
using StateDict = OrderedDict<std::string, Tensor>;
/// Texts by name, like the metadata in the header of a safetensors file.
using FileMetadata = OrderedDict<std::string, std::string>;

/// Returns the tensors of a safetensors file, in the file's order. The file is mapped, not read: a
/// tensor's bytes are read from the disk when they are used. Changing the bytes changes a private
/// copy. The checksum of a file that Taper wrote is compared first. `metadata` gets the texts of
/// the file's header. Throws Error if the file is missing or breaks a rule of the format. The rules
/// concern header size, duplicate names, dtypes, sizes, and bytes that overlap, leave gaps or are
/// outside of the file. The file must not be shortened while its tensors exist: an access to lost
/// bytes ends the process (SIGBUS). InputArchive::load_from reads these files without mapping them.
StateDict load_safetensors(const std::string& path, FileMetadata* metadata = nullptr);
/// Writes a safetensors file, completely or not at all. Throws Error for undefined tensors, and for
/// names of metadata that begin with "taper.", which Taper uses. Throws TypeError for
/// kComplexDouble, which the format lacks. torch::save can store such tensors, and view_as_real()
/// returns their parts as a real tensor.
void save_safetensors(const std::string& path, const StateDict& dict,
                      const FileMetadata& metadata = FileMetadata());

/// Returns the array of a NumPy .npy file (versions 1 to 3, any byte order). An array in Fortran
/// order becomes a tensor with column-major strides. Throws Error for a damaged file, and TypeError
/// for a dtype that Taper lacks.
Tensor load_npy(const std::string& path);
/// Writes a .npy file, completely or not at all. A transposed matrix is written in Fortran order.
/// Throws TypeError for kBFloat16, which NumPy lacks.
void save_npy(const std::string& path, const Tensor& tensor);

/// Returns the arrays of NumPy's savez or savez_compressed, in the file's order, with names without
/// ".npy".
StateDict load_npz(const std::string& path);
/// Writes a .npz file for NumPy's load. With `compressed` it is like savez_compressed.
void save_npz(const std::string& path, const StateDict& dict, bool compressed = false);

}  // namespace torch::taper

#pragma GCC visibility pop
