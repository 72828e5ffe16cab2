"""Reads the files of export_peers with PyTorch, with ONNX's checker and with onnxruntime, and compares the results with Taper's.

    export_peers.py PROGRAM

PROGRAM is the built tests/program/export_peers. Exits with 77 and a reason if a package is missing."""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnx.reference
    import onnxruntime
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCES = {torch.float16: 2e-3, torch.bfloat16: 2e-2}
failures = []


def difference(got, want):
    """The largest |a - b| / max(1, |b|), or infinity for other sizes or dtypes."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return float("inf")
    a, b = got.double(), want.double()
    return ((a - b).abs() / b.abs().clamp(min=1)).max().item() if a.numel() else 0.0


def flat(result):
    return [result] if isinstance(result, torch.Tensor) else [t for part in result for t in flat(part)]


def compare(name, results, wanted):
    worst = max(difference(a, b) for a, b in zip(results, wanted)) if len(results) == len(wanted) else float("inf")
    limit = max(TOLERANCES.get(t.dtype, 1e-5) for t in wanted)
    print(f"  {name}: {worst:.1e}")
    if not worst <= limit:
        failures.append(f"{name}: expected differences up to {limit}, got {worst}")


def check_torch(path, calls):
    module = torch.export.load(str(path)).module()
    for x, wanted in calls:
        with torch.no_grad():
            compare(f"{path.name} {list(x.shape)}", flat(module(x)), wanted)


def to_numpy(x):
    return x.view(torch.int16).numpy().view(onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16)) if x.dtype == torch.bfloat16 \
        else x.numpy()


def to_torch(y):
    return torch.from_numpy(y.view(numpy.int16)).view(torch.bfloat16) if y.dtype.name == "bfloat16" else torch.from_numpy(numpy.asarray(y))


def check_onnx(path, calls, state):
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    names = {tensor.name for tensor in model.graph.initializer if not tensor.name.startswith("/")}
    if not names <= set(state):
        failures.append(f"{path.name}: initializers {names - set(state)} are no parameters")
    if not [p for p in model.metadata_props if p.key == "model"]:
        failures.append(f"{path.name}: the metadata is missing")
    if calls[0][0].dtype == torch.bfloat16:  # onnxruntime's CPU kernels take no bfloat16
        session = onnx.reference.ReferenceEvaluator(model)
        run = lambda x: session.run(None, {model.graph.input[0].name: x})
    else:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        run = lambda x: session.run(None, {session.get_inputs()[0].name: x})
    for x, wanted in calls:
        compare(f"{path.name} {list(x.shape)}", [to_torch(y) for y in run(to_numpy(x))], wanted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        files = sorted(pathlib.Path(folder).glob("*.pt"))
        for file in files:
            inputs, results, count = torch.load(file)
            calls = [(x, results[i * count:(i + 1) * count]) for i, x in enumerate(inputs)]
            for path in [file.with_suffix(".pt2"), *sorted(pathlib.Path(folder).glob(f"{file.stem}_*.onnx"))]:
                try:
                    if path.suffix == ".pt2":
                        check_torch(path, calls)
                        program = torch.export.load(str(path))
                        state = [*program.state_dict, *program.constants]
                    else:
                        check_onnx(path, calls, state)
                except Exception as error:  # noqa: all files are tried
                    failures.append(f"{path.name}: {type(error).__name__}: {str(error)[-1500:]}")
    print(f"{len(files)} programs, {len(failures)} failures", *failures, sep="\n")
    return bool(failures) or not files


sys.exit(main())
