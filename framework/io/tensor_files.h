// Files of named tensors that other programs read and write: safetensors, NumPy's npy and npz.
#pragma once

#include <taper/framework/core/ordered_dict.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Named tensors, as Module::state_dict() gives and Module::load_state_dict() takes them.
using StateDict = OrderedDict<std::string, Tensor>;
/// Texts by name, as the header of a safetensors file keeps them beside the tensors.
using FileMetadata = OrderedDict<std::string, std::string>;

/// The tensors of a safetensors file, in the file's order. The file is mapped, not read: a tensor's
/// bytes come from the disk when they are used, and changing them changes a private copy. Of a file
/// that Taper wrote the checksum is compared first. `metadata` gets the texts of the file's header.
/// Throws Error when the file is missing or breaks a rule of the format (header size, names that
/// occur twice, dtypes, sizes, bytes that overlap, leave gaps or lie outside). The file must not be
/// shortened while its tensors live: touching the lost part ends the process (SIGBUS).
/// InputArchive::load_from reads the same files without mapping them.
StateDict load_safetensors(const std::string& path, FileMetadata* metadata = nullptr);
/// Writes such a file, as a whole or not at all. Throws Error for undefined tensors, and for names
/// of metadata that begin with "taper.", which Taper uses itself; TypeError for kComplexDouble,
/// which the format lacks (torch::save stores the parts; view_as_real gives them).
void save_safetensors(const std::string& path, const StateDict& dict,
                      const FileMetadata& metadata = FileMetadata());

/// The array of a NumPy .npy file (versions 1 to 3, either byte order, either memory order: an
/// array in Fortran order becomes a tensor with such strides). Throws Error for a damaged file, and
/// TypeError for a dtype that Taper lacks.
Tensor load_npy(const std::string& path);
/// Writes such a file, as a whole or not at all; a transposed matrix in Fortran order. Throws
/// TypeError for kBFloat16, which NumPy lacks.
void save_npy(const std::string& path, const Tensor& tensor);

/// The arrays of NumPy's savez or savez_compressed, in the file's order, without ".npy".
StateDict load_npz(const std::string& path);
/// Writes what NumPy's load reads; with `compressed` as savez_compressed does.
void save_npz(const std::string& path, const StateDict& dict, bool compressed = false);

}  // namespace torch::taper

#pragma GCC visibility pop
