# SPDX-License-Identifier: Apache-2.0
"""launchbox.inspect with files, bytes and kernel objects.

The objects have the attributes of the libraries' own objects. Those need a GPU: bench/python_kernels.py tests them.
"""
import collections
import io
import os
import pathlib
import shutil
import subprocess
import types

import pytest

import launchbox
from launchbox import tool

os.chdir(pathlib.Path(__file__).resolve().parents[2])
LOG = "tests/data/logs/basic_sm_90.log"
Metadata = collections.namedtuple("KernelMetadata", "name shared num_warps maxnreg launch_pdl")

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc here")


@pytest.fixture(scope="module")
def cubin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cubin")
    source = folder / "add.cu"
    source.write_text('extern "C" __global__ void add_kernel(float* x) { extern __shared__ float s[]; '
                      "s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }\n")
    made = folder / "add.cubin"
    subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", made, source], check=True)
    return made.read_bytes()


class Thing:
    """An object with these attributes."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


def triton_kernel(cubin, shared=20000, warps=4, name="add_kernel"):
    return Thing(asm={"ttir": "...", "ptx": "...", "cubin": cubin}, metadata=Metadata(name, shared, warps, None, False),
                 name=name)


def of_file(path, *options):
    return tool.ask(["inspect", path, *options])


def test_files_give_the_tools_output():
    assert launchbox.inspect(LOG).to_dict() == of_file(LOG)
    assert launchbox.inspect(LOG, threads=256, kernel="n*", sort="registers").to_dict() == of_file(
        LOG, "--threads=256", "--kernel=n*", "--sort=registers")
    assert isinstance(launchbox.inspect(LOG, summary=True), launchbox.types.Summary)
    assert isinstance(launchbox.inspect(LOG, diff=LOG), launchbox.types.Diff)
    assert len(launchbox.inspect([LOG, LOG]).inputs) == len(launchbox.inspect(each for each in [LOG, LOG]).inputs) == 2


def test_bytes_and_open_files_are_read_like_files(tmp_path):
    with open(LOG, "rb") as file:
        content = file.read()
    expected = [(each["name"], each["registers"]) for each in of_file(LOG)["kernels"]]
    with open(LOG, "rb") as file:
        for source in (content, bytearray(content), memoryview(content), io.BytesIO(content), file):
            report = launchbox.inspect(source)
            assert [(each.name, each.registers) for each in report.kernels] == expected


@needs_nvcc
def test_kernels_of_triton_include_their_launch(cubin):
    report = launchbox.inspect(triton_kernel(cubin))
    (kernel,) = report.kernels
    assert kernel.name == "add_kernel"
    assert kernel.occupancy.shape.threads == 128
    assert kernel.dynamic_shared_bytes == 20000
    assert kernel.occupancy.resident_blocks == launchbox.occupancy(
        "sm_90", threads=128, registers=kernel.registers, dynamic_shared=20000, shared=0).resident_blocks
    several = launchbox.inspect([triton_kernel(cubin), triton_kernel(cubin, 100000, 8)], threads=None)
    assert sorted(each.occupancy.shape.threads for each in several.kernels) == [128, 256]


@needs_nvcc
def test_every_object_with_a_cubin_is_opened(cubin, tmp_path, monkeypatch):
    kernel = triton_kernel(cubin)
    file = tmp_path / "add.cubin"
    file.write_bytes(cubin)
    function = Thing(create_binder=None, fn=print, device_caches={0: ({"a": kernel, "b": kernel}, {}, None)})
    static = Thing(cubin_path=str(file), cubin_raw=None, name="add_kernel", shared=64, num_warps=2)
    loaded = Thing(cubin_path=None, cubin_raw=None, name="add_kernel", shared=64, num_warps=2)
    loaded_result = Thing(kernel=loaded, reload_cubin_path=lambda: setattr(loaded, "cubin_path", str(file)))
    chosen = object()
    numba_kernel = Thing(_codelibrary=Thing(get_cubin=lambda: Thing(code=cubin)))
    sources = {
        "a function of Triton": (function, 2),
        "an older one": (Thing(create_binder=None, cache={0: {"a": kernel}}), 1),
        "an autotuner of Triton": (Thing(fn=Thing(fn=function)), 2),
        "PyTorch's static launcher": (static, 1),
        "the same with bytes": (Thing(cubin_raw=cubin, cubin_path=None, name="k", shared=0, num_warps=1), 1),
        "PyTorch's autotuner": (Thing(launchers=[Thing(bin=kernel)], compile_results=[]), 1),
        "before it has chosen": (Thing(launchers=[], compile_results=[Thing(kernel=kernel), Thing(kernel=static)]), 2),
        "with a loaded launcher": (Thing(launchers=[Thing(bin=loaded)], compile_results=[loaded_result]), 1),
        "the one that it launches": (Thing(launchers=[Thing(config=chosen)], compile_results=[
            Thing(kernel=kernel, config=object()), Thing(kernel=static, config=chosen)]), 1),
        "Numba's dispatcher": (Thing(overloads={"sig": numba_kernel}, py_func=print), 1),
        "cuda.core": (Thing(code=cubin, code_type="cubin", name="add"), 1),
        "all": ([kernel, [static, cubin], str(file)], 4),
    }
    module = types.ModuleType("output_code")
    module.triton_add = Thing(launchers=[Thing(bin=kernel)], compile_results=[])
    module.other = print
    sources["a module that torch.compile wrote"] = (module, 1)
    for name, (source, count) in sources.items():
        report = launchbox.inspect(source)
        assert [each.name for each in report.kernels] == ["add_kernel"] * count, name
        assert report.complete, name


@needs_nvcc
def test_a_kernel_of_cupy_is_compiled_again_separately(cubin, tmp_path, monkeypatch):
    """With a module `cupy` that writes a cubin into its cache as CuPy does, after CuPy's header."""
    package = tmp_path / "cupy"
    package.mkdir()
    (tmp_path / "add.cubin").write_bytes(cubin)
    (package / "__init__.py").write_text(f"""
import os
class RawKernel:
    __module__ = "cupy._core.raw"
    def __init__(self, code, name, options=(), backend="nvrtc"):
        self.code, self.name, self.options, self.backend, self.file_path = code, name, options, backend, None
    @property
    def kernel(self):
        RawModule(code=self.code).compile()
class RawModule:
    __module__ = "cupy._core.raw"
    def __init__(self, *, code=None, path=None, options=(), backend="nvrtc", enable_cooperative_groups=False,
                 name_expressions=None):
        self.code, self.file_path, self.options, self.backend = code, path, options, backend
        self.enable_cooperative_groups, self.name_expressions = enable_cooperative_groups, name_expressions
    def get_function(self, name):
        pass
    def compile(self):
        if "wrong" in self.code:
            raise ValueError("wrong is undefined\\nmore")
        with open(os.path.join(os.environ["CUPY_CACHE_DIR"], "1.cubin"), "wb") as file:
            file.write(b"0123hash" + open({str(tmp_path / "add.cubin")!r}, "rb").read())
class cuda:
    class Device:
        def __init__(self, number=0): self.id = number
        def use(self): pass
import sys
sys.modules["cupy._core"] = sys.modules["cupy._core.raw"] = sys.modules["cupy"]
""")
    monkeypatch.syspath_prepend(str(tmp_path))
    import cupy
    for kernel in (cupy.RawKernel("code", "add_kernel"), cupy.RawModule(code="code")):
        assert [each.name for each in launchbox.inspect(kernel).kernels] == ["add_kernel"]
    assert launchbox.inspect(cupy.RawModule(path=str(tmp_path / "add.cubin"))).kernels[0].name == "add_kernel"
    with pytest.raises(launchbox.Error, match="^CuPy cannot compile this again: wrong is undefined$"):
        launchbox.inspect(cupy.RawKernel("wrong", "add_kernel"))


class Unknown:
    pass


class Broken:
    """An object whose library raises an error."""

    @property
    def asm(self):
        raise RuntimeError("no context\nand more")


def no_context():
    raise OSError("libcuda.so is missing")


@pytest.mark.parametrize("source, message", [
    (3, "^builtins.int cannot be inspected; give a path, bytes, a kernel of Triton"),
    (None, "builtins.NoneType"),
    (Unknown(), "inspect_test.Unknown|Unknown cannot be inspected"),
    (Unknown, "builtins.type"),
    ({"a": 1}, "builtins.dict"),
    (Broken(), "^inspect_test.Broken: RuntimeError: no context$|Broken: RuntimeError: no context$"),
    (Thing(overloads={1: Thing(_codelibrary=Thing(get_cubin=no_context))}, py_func=print), "OSError: libcuda.so is missing"),
    (Thing(overloads={1: Thing(_codelibrary=Thing(get_cubin=lambda: ("p", 3)))}, py_func=print), "Thing: TypeError"),
    (Thing(code="/nowhere.cubin", code_type="cubin"), "No such file"),
    (os, "the module os has no compiled kernels"),
    (Thing(asm={"hsaco": b"x", "ttir": ""}), "no cubin, but hsaco, ttir"),
    (Thing(create_binder=None, device_caches={}), "is not compiled yet"),
    (Thing(overloads={}, py_func=print), "is not compiled yet"),
    (Thing(launchers=[], compile_results=[]), "is not compiled yet"),
    (Thing(cubin_path=None, cubin_raw=None, name="k"), "no longer has the cubin of k"),
    (Thing(cubin_path="/nowhere.cubin", name="k"), "cannot read /nowhere.cubin"),
    ([], "the list is empty"),
    ([[[[["x"]]]]], "lists within lists"),
    (b"", "bytes to be inspected are empty"),
    (b"abc", "no report of ptxas"),
    (b"\x7fELF" + bytes(100), ""),
    (bytes(range(256)) * 100, "no compiled CUDA code"),
    ("", "a path is empty"),
    ("/nowhere.so", "cannot open /nowhere.so: No such file or directory"),
    ("a\0b", "null byte"),
    (io.StringIO("text"), "open as text"),
    ("x" * 5000, "File name too long"),
])
def test_another_object_is_one_error(source, message):
    with pytest.raises(launchbox.Error, match=message) as raised:
        launchbox.inspect(source)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["-x.log", "-", "--help", "inspect", "@list.log", "new\nline.log", "a b.log", "*.log",
                                  "bad\udcff.log", "ümlaut.log", "$(true).log", "a,b.log", "x=y.log"])
def test_any_file_name_is_a_file(tmp_path, monkeypatch, name):
    shutil.copy(LOG, tmp_path / "log")
    os.rename(tmp_path / "log", os.path.join(tmp_path, name))
    monkeypatch.chdir(tmp_path)
    assert len(launchbox.inspect(name).kernels) == 8
    assert len(launchbox.inspect(tmp_path / name).kernels) == 8


def test_readable_inputs_are_returned_and_others_reported(tmp_path):
    (tmp_path / "broken.so").write_bytes(b"\x7fELF" + bytes(500))
    report = launchbox.inspect(LOG, "/nowhere.so", tmp_path / "broken.so")
    assert len(report.kernels) == 8
    assert not report.complete
    assert report.exit_status == 2
    assert len(report.messages) == 2
    assert report.inputs[1].errors == [report.messages[0].split(": ", 1)[1]]
    assert launchbox.inspect(LOG).complete
    with pytest.raises(launchbox.Error) as raised:
        launchbox.inspect("/nowhere.so", tmp_path / "broken.so")
    assert "/nowhere.so" in str(raised.value) and "broken.so" in str(raised.value)


@needs_nvcc
def test_bytes_without_kernels_are_reported_by_position(cubin):
    report = launchbox.inspect(cubin, b"abc")
    assert len(report.kernels) == 1
    assert not report.complete
    assert report.messages == ("bytes, number 2 of 2: it contains no compiled CUDA code",)
