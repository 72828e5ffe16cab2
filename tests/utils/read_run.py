"""read_run.py WRITE_RUN: what WRITE_RUN writes is what TensorBoard reads. Exits with 77 where it is not installed."""
import io
import math
import subprocess
import sys
import tempfile
import wave

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.mesh import metadata as mesh_metadata
    from tensorboard.plugins.hparams import plugin_data_pb2
    from tensorboard.util import tensor_util
except ImportError as error:
    print(f"not run: TensorBoard is not installed (PyPI's package tensorboard): {error}")
    sys.exit(77)

try:
    from PIL import Image
except ImportError:
    Image = None


def read(folder):
    run = EventAccumulator(folder, size_guidance={"histograms": 0, "scalars": 0, "images": 0, "tensors": 0})
    run.Reload()
    return run


def check(run, folder):
    tags = run.Tags()
    assert tags["scalars"] == ["loss/train", "loss/test"], tags
    losses = run.Scalars("loss/train")
    assert [e.step for e in losses] == list(range(100))
    assert all(abs(e.value - (math.exp(-e.step / 30) + 0.02 * math.sin(e.step))) < 1e-6 for e in losses)
    histogram = run.Histograms("weights")[-1]
    assert histogram.step == 90 and histogram.histogram_value.num == 1000
    assert sum(histogram.histogram_value.bucket) == 1000
    image = run.Images("picture")[0]
    assert (image.width, image.height) == (64, 64) and image.encoded_image_string[1:4] == b"PNG"
    assert run.Images("batch")[0].width == 8 * 16
    clip = run.Images("clip")[0]
    assert (clip.width, clip.height) == (24, 16) and clip.encoded_image_string[:6] == b"GIF89a"
    if Image:
        with Image.open(io.BytesIO(clip.encoded_image_string)) as gif:
            assert (gif.n_frames, gif.size, gif.info["duration"], gif.info["loop"]) == (2, (24, 16), 500, 0)
            gif.seek(1)
            assert gif.convert("RGB").getpixel((23, 15)) == (255, 255, 255)
    else:
        print("frames of the GIF file not read: Pillow is not installed")
    tone = run.Audio("tone")[0]
    assert (tone.sample_rate, tone.length_frames, tone.content_type) == (8000, 8000, "audio/wav")
    with wave.open(io.BytesIO(tone.encoded_audio_string)) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) == (1, 2, 8000)
        assert sound.getnframes() == 8000
    corners = tensor_util.make_ndarray(run.Tensors("triangle_FACE")[0].tensor_proto)
    assert corners.tolist() == [[[0, 1, 2]]]
    mesh = mesh_metadata.parse_plugin_metadata(run.summary_metadata["triangle_COLOR"].plugin_data.content)
    assert mesh.components == 14 and list(mesh.shape) == [1, 3, 3], mesh
    note = run.Tensors("note/text_summary")[0]
    assert tensor_util.make_ndarray(note.tensor_proto).tolist() == [b"a **bold** word"]
    curve = tensor_util.make_ndarray(run.Tensors("detector")[0].tensor_proto)
    assert curve.shape == (6, 127) and curve[:, 0].tolist()[:4] == [3, 2, 0, 0]
    ops = [node.op for node in run.Graph().node]  # a linear layer and its relu are one op
    assert sorted(ops) == ["Addmm", "AddmmActivation"] + 4 * ["Parameter"], ops
    pair = read(folder + "/pair_cos").Scalars("pair")[0]
    assert abs(pair.value - math.cos(1)) < 1e-6
    trial = read(folder + "/trial")
    plugin = trial.summary_metadata["_hparams_/session_start_info"].plugin_data
    hparams = plugin_data_pb2.HParamsPluginData.FromString(plugin.content).session_start_info.hparams
    assert hparams["lr"].number_value == 0.1 and hparams["optimizer"].string_value == "sgd"


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    check(read(folder), folder)
print("TensorBoard reads what was written")
