"""Writes the files of PyTorch and NumPy that tests/framework/io reads.

Run by hand with PyTorch 1.13 and NumPy in this folder: python3 make_python_files.py
What each file holds is said by the tests, line by line.
"""
import collections
import os
import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")
os.makedirs("python", exist_ok=True)
os.chdir("python")


def net():
    torch.manual_seed(0)
    m = torch.nn.Sequential(
        collections.OrderedDict(
            body=torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)),
            head=torch.nn.Linear(3, 1, bias=False),
        )
    )
    m(torch.randn(4, 2))
    return m


def values():
    x = torch.arange(12.0).view(3, 4)
    torch.manual_seed(1)
    return {
        "whole": x,
        "row": x[1],
        "transposed": x.t(),
        "expanded": torch.ones(1).expand(5),
        "parameter": torch.nn.Parameter(torch.tensor([1.0, -2.0])),
        "scalar": torch.tensor(7),
        "empty": torch.empty(0, 3),
        "dtypes": [
            torch.tensor([0, 1, 2]).to(t)
            for t in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                      torch.half, torch.bfloat16, torch.float, torch.double)
        ],
        "plain": (None, True, False, 0, 255, 65535, -1, 2**31, -(2**40), 1.5, "text \u00e9", [], {}),
        "nested": {1: [2, (3.25, {"deep": torch.tensor([9])})]},
        "kinds": [torch.float16, torch.Size([2, 3]), torch.device("cpu")],
    }


torch.save(net().state_dict(), "state_dict.pt")
torch.save(values(), "values.pt")
torch.save(values(), "values4.pt", pickle_protocol=4)
torch.save(torch.tensor([1.0, 2.0]), "tensor.pt")
torch.save(net(), "module.pt")
torch.save(net().state_dict(), "legacy.pt", _use_new_zipfile_serialization=False)
torch.jit.script(torch.nn.Linear(1, 1)).save("script.pt")

grid = np.arange(6).reshape(2, 3)
np.save("i8.npy", grid)
np.save("big.npy", grid.astype(">f4"))
np.save("fortran.npy", np.asfortranarray(grid.astype("<i2")))
np.save("scalar.npy", np.float64(2.5))
np.save("bools.npy", np.array([True, False]))
np.save("complex.npy", np.array([1j]))
np.save("struct.npy", np.zeros(2, dtype=[("a", "i4")]))
np.save("unsigned.npy", np.zeros(2, dtype="u2"))
for version in (2, 3):
    with open(f"v{version}.npy", "wb") as f:
        np.lib.format.write_array(f, grid.astype("f2"), version=(version, 0))
np.savez("stored.npz", a=grid, b=np.ones(3, "f4"))
np.savez_compressed("deflated.npz", a=grid, b=np.ones(3000, "f4"))
