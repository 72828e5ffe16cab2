"""PyTorch's side of TCPStores.MeetPyTorchs: its TCPStore serves Taper's, or asks it.

    torch_store.py serves|asks PORT
"""
import datetime
import sys

from torch.distributed import DistStoreError, TCPStore

SERVES, PORT = sys.argv[1] == "serves", int(sys.argv[2])
store = TCPStore("127.0.0.1", PORT, is_master=SERVES, wait_for_workers=False, timeout=datetime.timedelta(seconds=60))


def same(got, want):
    assert got == want, f"got {got!r}, not {want!r}"


store.set("of_torch", b"a\0b")
store.multi_set(["torch_1", "torch_2"], ["1", "22"])
store.append("torch_log", "ab")
store.append("torch_log", "cd")
same(store.add("torch_sum", 5), 5)
same(store.add("torch_sum", -7), -2)
same(store.compare_set("torch_swap", "", "new"), b"new")
same(store.compare_set("torch_swap", "old", "newer"), b"new")
store.set("torch_gone", "x")
same(store.delete_key("torch_gone"), True)
store.set("torch_is_through", "1")

store.wait(["taper_is_through"])
same(store.get("of_taper"), b"c\0d")
same(store.multi_get(["taper_1", "taper_2"]), [b"3", b"44"])
same(store.get("taper_log"), b"efgh")
same(store.get("taper_sum"), b"-3")
same(store.get("taper_swap"), b"new")
same(store.check(["of_taper", "taper_1"]), True)
same(store.check(["of_taper", "taper_gone"]), False)
try:
    store.wait(["never"], datetime.timedelta(milliseconds=200))
    raise AssertionError("nobody sets it")
except DistStoreError:
    pass
same(store.get("of_taper"), b"c\0d")
same(store.add("bye", 1) > 0, True)
while SERVES and store.add("bye", 0) < 2:
    pass
print("PyTorch's side is through")
