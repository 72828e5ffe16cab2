#!/usr/bin/env python3
"""DLPack between Taper and NumPy, both ways: dlpack_numpy.py LIBRARY.

The library is tests/compat/extension/dlpack.cpp. It gives pointers to DLPack's structures; the
capsules around them are made here, with Python's own C functions.
"""
import ctypes
import gc
import sys

import numpy as np

# What NumPy has; the others it refuses.
NUMPY = {"Byte": "u1", "Char": "i1", "Short": "i2", "Int": "i4", "Long": "i8", "Half": "f2", "Float": "f4",
         "Double": "f8", "Bool": "?", "ComplexFloat": "c8", "ComplexDouble": "c16", "UInt16": "u2",
         "UInt32": "u4", "UInt64": "u8"}
NAMES = {False: b"dltensor", True: b"dltensor_versioned"}
VERSIONED = tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 1)

library = ctypes.CDLL(sys.argv[1])
library.dtype_name.restype = library.take.restype = ctypes.c_char_p
library.give.restype = library.give_shape.restype = ctypes.c_void_p
library.give_shape.argtypes = [ctypes.c_int64, ctypes.c_int64]
library.take.argtypes = [ctypes.c_void_p, ctypes.c_int]
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = {False: b"used_dltensor", True: b"used_dltensor_versioned"}


class Giver:
    """An object as numpy.from_dlpack takes it, around a structure of Taper's."""

    def __init__(self, pointer, versioned=False):
        self.pointer, self.versioned = pointer, versioned

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.pointer, NAMES[self.versioned], None)

    def __dlpack_device__(self):
        return (1, 0)


def expect(condition, *what):
    if not condition:
        sys.exit(f"dlpack_numpy.py: FAILED: {what}")


def to_numpy(versioned):
    for i in range(library.dtype_count()):
        name = library.dtype_name(i).decode()
        before = library.freed_count()
        giver = Giver(library.give(i, versioned), versioned)
        if name not in NUMPY:
            try:
                np.from_dlpack(giver)
                expect(False, name, "NumPy has it: add it to the table")
            except (BufferError, RuntimeError, TypeError):
                continue
        array = np.from_dlpack(giver)
        wanted = np.arange(6).reshape(2, 3).astype(NUMPY[name]).T
        expect(array.dtype == wanted.dtype and array.strides == wanted.strides, name, array)
        expect((array == wanted).all(), name, array)
        expect(library.freed_count() == before, name, "the memory is NumPy's for now")
        view = array[1:]
        del array
        gc.collect()
        expect(library.freed_count() == before, name, "a view keeps the memory")
        del view
        gc.collect()
        expect(library.freed_count() == before + 1, name, "freed once")
    expect(np.from_dlpack(Giver(library.give_shape(0, 4))).shape == (0, 4), "empty")


def taken(array, versioned=False):
    options = {"max_version": (1, 0)} if versioned else {}
    capsule = array.__dlpack__(**options)
    answer = library.take(python.PyCapsule_GetPointer(capsule, NAMES[versioned]), versioned).decode()
    if " tensor(" in answer:  # it was taken, and is not the capsule's to free
        python.PyCapsule_SetName(capsule, USED[versioned])
    return answer


def from_numpy(versioned):
    for name, code in NUMPY.items():
        array = np.arange(6).reshape(2, 3).astype(code).T
        answer = taken(array, versioned)
        if answer.startswith("toScalarType"):
            continue
        expect(answer.startswith(f"{name} [1, 3] tensor([["), name, answer)
    array = np.arange(4.0)
    before = sys.getrefcount(array)
    answer = taken(array[1:], versioned)
    expect("tensor([1., 2., 3.], dtype=torch.float64)" in answer, answer)
    expect(sys.getrefcount(array) > before, "the tensor keeps the array")
    library.add_one()
    expect(array.tolist() == [0, 2, 3, 4], "one memory", array)
    library.drop()
    gc.collect()
    expect(sys.getrefcount(array) == before, "the array was let go, once")
    answer = taken(array[::-1], versioned)
    expect("strides that are not negative, got [-1]" in answer, answer)
    expect(taken(np.zeros(()), versioned).endswith("tensor(0., dtype=torch.float64)"), "0-dim")
    expect("Long [1, 1] tensor([]" in taken(np.zeros((0, 3), "i8"), versioned), "empty")
    library.drop()


for form in (False, True) if VERSIONED else (False,):
    to_numpy(form)
    from_numpy(form)
print(f"dlpack_numpy: NumPy {np.__version__} as expected, versioned structures",
      "too" if VERSIONED else "not tried (NumPy 2.1 has them)")
