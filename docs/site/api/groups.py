"""How the reference is ordered: groups of headers, and the namespaces."""

# (file name of the group's page, title, sentence, beginnings of the headers' paths); the first that fits counts.
GROUPS = [
    ("tensor", "Tensors", "The class Tensor, its options, dtypes, scalars and indices.", ("framework/core/",)),
    ("creation", "Creating and viewing", "Makes, copies, joins, splits and reshapes tensors.", ("ops/tensor/",)),
    ("pointwise", "Pointwise functions", "Computes each element on its own.", ("ops/elementwise/", "generated/special_names.h")),
    ("reduce", "Reductions, sorting, statistics", "Sums, means, extremes, scans, sorts, histograms.", ("ops/reduce/",)),
    ("linalg", "Linear algebra", "Products, decompositions, solvers, norms.", ("ops/linalg/", "generated/linalg_names.h")),
    ("index", "Indexing", "Gathers, scatters, selects, embeds.", ("ops/index/",)),
    ("fft", "Fourier transforms", "Transforms, short-time transforms, windows.", ("ops/fft/", "generated/fft_names.h")),
    ("random", "Random numbers", "Generators, seeds, distributions.", ("ops/random/", "framework/random/")),
    ("layers", "Functions of layers", "Convolutions, pooling, normalization, attention, losses and recurrent layers as functions of tensors.",
     ("ops/nn/", "ops/spatial/", "ops/sequence/")),
    ("modules", "Modules", "Layers with weights and options, and containers.", ("nn/modules/", "nn/options/")),
    ("functional", "nn::functional", "Layers as functions with options.", ("nn/functional/",)),
    ("nn", "Module, initial values, utilities", "The class Module, holders, nn::init, nn::utils, compile.", ("nn/utils/", "nn/init.h")),
    ("parallel", "Several devices", "Replicas, scattering, gathering, DataParallel.", ("nn/parallel/",)),
    ("nn", "", "", ("nn/",)),
    ("optim", "Optimizers and schedules", "Optimizers, learning rate schedules, GradScaler, averages of weights.", ("optim/",)),
    ("data", "Data", "Data sets, transforms, samplers, loaders.", ("data/",)),
    ("autograd", "Autograd", "Gradients, hooks, custom functions, autocast, checkpoints.", ("framework/autograd/", "ops/shared/op_mode.h")),
    ("devices", "Devices and memory", "CUDA devices, streams, events, graphs, memory, threads, simulation, the race detector.",
     ("framework/runtime/", "framework/capture/", "framework/cpu/", "framework/cuda/", "framework/debug/", "framework/memory/")),
    ("saving", "Saving and loading", "Files of PyTorch, safetensors, NumPy, archives.", ("framework/io/",)),
    ("distributed", "Distributed", "Process groups, DistributedDataParallel, fully_shard.", ("distributed/",)),
    ("train", "Training loop", "Trainer, metrics, callbacks.", ("train/",)),
    ("utils", "Seeing a run", "TensorBoard, profiles, summaries, metrics.", ("utils/",)),
    ("func", "Derivatives of functions", "Gradients, products with Jacobians, Hessians, functions of batches.", ("func/",)),
    ("program", "Programs", "Programs of torch.export as modules, and files for Python and ONNX.", ("program/",)),
    ("testing", "Testing", "gradcheck and comparisons for tests.", ("testing/",)),
    ("extension", "Extensions", "Custom operators, the registry, LibTorch's lower layers.", ("extension/", "generated/", "ops/shared/")),
]

# Their names must have documentation. Other namespaces keep names of LibTorch for programs that use them.
NAMESPACES = {
    "": "Tensors and the functions of them.",
    "amp": "Mixed precision.",
    "Reduction": "How a loss joins its elements, as numbers.",
    "autograd": "The tape: gradients, hooks, functions with a derivative of one's own.",
    "autograd::forward_ad": "Tensors with a tangent.",
    "autograd::functional": "Jacobians, Hessians and products with them.",
    "backends::cuda::matmul": "The precision of products on GPUs.",
    "backends::cudnn": "The switches of cuDNN.",
    "cuda": "CUDA devices, streams, events and memory, real or simulated.",
    "data": "Data sets and loaders.",
    "data::example": "The target of examples without one.",
    "data::datasets": "Data sets: those of files, and those made of others.",
    "data::samplers": "The order of samples.",
    "data::transforms": "Changes of samples and batches.",
    "distributed": "Several processes: groups, stores, operations, DistributedDataParallel.",
    "distributed::checkpoint": "Checkpoints of several processes.",
    "einops": "Dimensions by names in a pattern.",
    "enumtype": "The types of constants such as kReLU.",
    "fft": "Fourier transforms.",
    "func": "Derivatives of functions, and functions of batches.",
    "indexing": "Slices, and other indices of a tensor.",
    "linalg": "Decompositions, solvers and norms of matrices.",
    "nn": "Modules: layers with weights, and what holds them.",
    "nn::functional": "What modules compute, as functions of their weights.",
    "nn::init": "Initial values of weights.",
    "nn::parallel": "A module on several devices.",
    "nn::utils": "Clipping gradients, parameters as one vector, packed sequences.",
    "nn::utils::rnn": "Sequences of different lengths as one tensor.",
    "numbers": "Complex numbers.",
    "optim": "Optimizers and schedules of learning rates.",
    "optim::schedule": "Formulas of learning rates.",
    "optim::swa_utils": "Averages of weights.",
    "serialize": "Archives of named values.",
    "special": "Special functions of mathematics.",
    "testing": "Checks of gradients for tests.",
    "train": "The training loop.",
    "utils": "What shows a run.",
    "utils::profiler": "Profiles of a run.",
    "utils::tensorboard": "Files for TensorBoard.",
}
ROOT = "torch::taper"


def short(path):
    """The name that a program writes behind torch::."""
    return path.replace(f"{ROOT}::", "", 1) if path.startswith(f"{ROOT}::") else path


def group_of(file):
    found = next((key for key, _, _, paths in GROUPS if file.startswith(paths)), None)
    if found is None:
        raise SystemExit(f"docs: expected a group of the reference for {file}, found none in docs/site/api/groups.py")
    return found
