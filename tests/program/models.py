#!/usr/bin/env python3
"""Exports models with torch.export, runs and trains them in Taper, and compares with PyTorch.

    models.py RUN_MODEL [--few] [--only REGEX] [--core] [--table FILE] [--keep FOLDER]

RUN_MODEL is the program of run_model.cpp. --few takes a model of each kind, --core decomposes to core ATen ops. Models have
random weights, from torchvision, timm and transformers, as far as they are installed. Prints a table. Exits with 77 where
PyTorch is missing, and with 1 if a model differs.
"""
import argparse
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import torch
    import models_util
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# Relative differences that rounding explains. Losses of ten steps agree to five digits.
LIMITS = {"outputs": 1e-5, "buffers": 1e-5, "gradients": 1e-4, "sgd": 1e-5, "adamw": 1e-5}
FEW = {"torchvision/resnet18", "torchvision/mobilenet_v3_small", "torchvision/vit_b_16", "transformers/GPT2LMHeadModel",
       "transformers/BertModel", "timm/convnext_atto", "own/perceptron"}
TOO_LARGE = re.compile(r"(vit_(l|h)|regnet_y_(128|32|16)gf|regnet_x_(32|16)gf|convnext_(base|large)|efficientnet_(v2_(m|l)|b[4-7])|"
                       r"wide_resnet101|resnext101|swin_(v2_)?(s|b)|swin3d_(s|b)|vgg1[39]|densenet(161|201)|resnet152|quantized|"
                       r"mvit_v2|.*_bn$|raft_large|fasterrcnn|maskrcnn|keypointrcnn|retinanet|ssd|fcos)")
TIMM = """resnet18d resnext50_32x4d seresnet18 ecaresnet50t skresnet18 resnest14d res2net50_26w_4s regnetx_002 regnety_002 densenet121
vgg11 mobilenetv1_100 mobilenetv2_050 mobilenetv3_small_050 mobilenetv4_conv_small efficientnet_b0 efficientnetv2_rw_t mixnet_s mnasnet_050
fbnetc_100 ghostnet_050 ghostnetv2_100 hardcorenas_a lcnet_050 tinynet_e rexnet_100 repvgg_a0 mobileone_s0 convnext_atto
convnextv2_atto convmixer_768_32 cspresnet50 darknet53 dla34 dpn48b hrnet_w18_small inception_v3 inception_next_atto nf_resnet26 nfnet_l0
dm_nfnet_f0 pit_ti_224 poolformer_s12 poolformerv2_s12 selecsls42 semnasnet_050 sknet50 spnasnet_100 tresnet_m vovnet39a xception41
vit_tiny_patch16_224 deit_tiny_patch16_224 deit3_small_patch16_224 beit_base_patch16_224 cait_xxs24_224 coat_tiny coatnet_nano_rw_224
crossvit_tiny_240 davit_tiny edgenext_xx_small efficientformer_l1 efficientformerv2_s0 efficientvit_b0 eva02_tiny_patch14_224
fastvit_t8 focalnet_tiny_srf gcvit_xxtiny gmixer_12_224 gmlp_ti16_224 halonet26t hgnet_tiny hiera_tiny_224 levit_128s maxvit_pico_rw_256
mixer_s32_224 mobilevit_xxs mobilevitv2_050 mvitv2_tiny nest_tiny nextvit_small pvt_v2_b0 repghostnet_050 repvit_m0_9 resmlp_12_224
sequencer2d_s starnet_s1 swin_tiny_patch4_window7_224 swinv2_tiny_window8_256 tiny_vit_5m_224 tnt_s_legacy_patch16_224 twins_pcpvt_small
visformer_tiny volo_d1_224 xcit_nano_12_p16_224 mambaout_femto csatv2 shvit_s1 rdnet_tiny tf_mobilenetv3_small_075""".split()


def torchvision_models():
    import torchvision
    for name in torchvision.models.list_models():
        if TOO_LARGE.match(name):
            continue

        def make(name=name):
            keywords = {}
            if "googlenet" in name or "inception" in name:
                keywords = {"init_weights": False, "aux_logits": False}
            if "deeplab" in name or "fcn" in name or "lraspp" in name:
                keywords = {"weights_backbone": None}
            model = torchvision.models.get_model(name, weights=None, **keywords)
            size = 224 if re.match(r"(vit|maxvit)", name) else 96 if "inception" in name else 64
            if re.match(r"raft", name):
                return model, (torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)), {}
            if re.match(r"(r3d|mc3|r2plus1d|s3d|swin3d|mvit)", name):
                frames, size = (16, 224) if "mvit" in name else (16, 64) if "s3d" == name else (4, 64)
                return model, (torch.rand(1, 3, frames, size, size),), {}
            return model, (torch.rand(2, 3, size, size),), {}
        yield f"torchvision/{name}", make


def timm_models():
    import timm
    known = set(timm.list_models())
    for name in TIMM:
        if name not in known:
            continue

        def make(name=name):
            model = timm.create_model(name, pretrained=False, num_classes=10)
            channels, size, _ = model.default_cfg["input_size"]
            fixed = model.default_cfg.get("fixed_input_size") or "_224" in name or "_256" in name
            return model, (torch.rand(2, channels, size, size) if fixed else torch.rand(2, channels, 96, 96),), {}
        yield f"timm/{name}", make


def transformers_models():
    import transformers as t
    small = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, vocab_size=99)
    ids = lambda: {"input_ids": torch.randint(3, 90, (2, 8)), "attention_mask": torch.ones(2, 8, dtype=torch.long)}
    decoder = lambda: {"input_ids": torch.randint(3, 90, (2, 8))}
    pair = lambda: {"input_ids": torch.randint(3, 90, (2, 8)), "decoder_input_ids": torch.randint(3, 90, (2, 5))}
    image = lambda n=32: {"pixel_values": torch.rand(2, 3, n, n)}
    few = dict(use_cache=False)
    rows = [
        ("BertModel", "BertConfig", small, ids), ("BertForSequenceClassification", "BertConfig", small, ids),
        ("RobertaModel", "RobertaConfig", small, ids), ("ElectraModel", "ElectraConfig", dict(small, embedding_size=16), ids),
        ("AlbertModel", "AlbertConfig", dict(small, embedding_size=16), ids), ("CamembertModel", "CamembertConfig", small, ids),
        ("DistilBertModel", "DistilBertConfig", dict(dim=32, n_layers=2, n_heads=4, hidden_dim=48, vocab_size=99), ids),
        ("MobileBertModel", "MobileBertConfig", dict(small, embedding_size=32, intra_bottleneck_size=32), ids),
        ("DebertaModel", "DebertaConfig", small, ids), ("DebertaV2Model", "DebertaV2Config", small, ids),
        ("MPNetModel", "MPNetConfig", small, ids), ("XLMRobertaModel", "XLMRobertaConfig", small, ids),
        ("FNetModel", "FNetConfig", small, decoder), ("RoFormerModel", "RoFormerConfig", dict(small, embedding_size=32), ids),
        ("ConvBertModel", "ConvBertConfig", dict(small, embedding_size=32), ids), ("SqueezeBertModel", "SqueezeBertConfig", dict(small, embedding_size=32), ids),
        ("NystromformerModel", "NystromformerConfig", small, ids), ("ErnieModel", "ErnieConfig", small, ids),
        ("LayoutLMModel", "LayoutLMConfig", small, ids), ("ModernBertModel", "ModernBertConfig", dict(small, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2), ids),
        ("GPT2LMHeadModel", "GPT2Config", dict(n_embd=32, n_layer=2, n_head=4, n_positions=32, vocab_size=99, **few), decoder),
        ("GPTNeoForCausalLM", "GPTNeoConfig", dict(hidden_size=32, num_layers=2, num_heads=4, vocab_size=99, attention_types=[[["global", "local"], 1]], **few), decoder),
        ("GPTNeoXForCausalLM", "GPTNeoXConfig", dict(small, **few), decoder), ("GPTJForCausalLM", "GPTJConfig", dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4, vocab_size=99, **few), decoder),
        ("OPTForCausalLM", "OPTConfig", dict(small, ffn_dim=48, word_embed_proj_dim=32, **few), decoder),
        ("BloomForCausalLM", "BloomConfig", dict(hidden_size=32, n_layer=2, n_head=4, vocab_size=99, **few), decoder),
        ("LlamaForCausalLM", "LlamaConfig", dict(small, num_key_value_heads=2, **few), decoder),
        ("MistralForCausalLM", "MistralConfig", dict(small, num_key_value_heads=2, **few), decoder),
        ("Qwen2ForCausalLM", "Qwen2Config", dict(small, num_key_value_heads=2, **few), decoder),
        ("Qwen3ForCausalLM", "Qwen3Config", dict(small, num_key_value_heads=2, head_dim=8, **few), decoder),
        ("GemmaForCausalLM", "GemmaConfig", dict(small, num_key_value_heads=2, head_dim=8, **few), decoder),
        ("Gemma2ForCausalLM", "Gemma2Config", dict(small, num_key_value_heads=2, head_dim=8, **few), decoder),
        ("Gemma3ForCausalLM", "Gemma3TextConfig", dict(small, num_key_value_heads=2, head_dim=8, **few), decoder),
        ("PhiForCausalLM", "PhiConfig", dict(small, **few), decoder), ("Phi3ForCausalLM", "Phi3Config", dict(small, pad_token_id=0, **few), decoder),
        ("FalconForCausalLM", "FalconConfig", dict(small, **few), decoder), ("StableLmForCausalLM", "StableLmConfig", dict(small, num_key_value_heads=2, **few), decoder),
        ("Starcoder2ForCausalLM", "Starcoder2Config", dict(small, num_key_value_heads=2, **few), decoder), ("OlmoForCausalLM", "OlmoConfig", dict(small, **few), decoder),
        ("CohereForCausalLM", "CohereConfig", dict(small, **few), decoder), ("GraniteForCausalLM", "GraniteConfig", dict(small, **few), decoder),
        ("CodeGenForCausalLM", "CodeGenConfig", dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4, vocab_size=99, **few), decoder),
        ("BioGptForCausalLM", "BioGptConfig", dict(small, **few), decoder), ("XGLMForCausalLM", "XGLMConfig", dict(d_model=32, num_layers=2, attention_heads=4, ffn_dim=48, vocab_size=99, **few), decoder),
        ("MixtralForCausalLM", "MixtralConfig", dict(small, num_key_value_heads=2, num_local_experts=2, **few), decoder), ("MambaForCausalLM", "MambaConfig", dict(hidden_size=32, num_hidden_layers=2, state_size=4, vocab_size=99, **few), decoder),
        ("T5ForConditionalGeneration", "T5Config", dict(d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, vocab_size=99, decoder_start_token_id=0, **few), pair),
        ("BartForConditionalGeneration", "BartConfig", dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, vocab_size=99, **few), pair),
        ("MarianMTModel", "MarianConfig", dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, vocab_size=99, pad_token_id=1, **few), pair),
        ("PegasusForConditionalGeneration", "PegasusConfig", dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, vocab_size=99, **few), pair),
        ("ViTModel", "ViTConfig", dict(small, image_size=32, patch_size=8), image), ("DeiTModel", "DeiTConfig", dict(small, image_size=32, patch_size=8), image),
        ("BeitModel", "BeitConfig", dict(small, image_size=32, patch_size=8), image), ("Dinov2Model", "Dinov2Config", dict(small, image_size=32, patch_size=8), image),
        ("ViTMAEModel", "ViTMAEConfig", dict(small, image_size=32, patch_size=8, mask_ratio=0.0), image),
        ("SwinModel", "SwinConfig", dict(embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=2, image_size=32), image),
        ("ConvNextModel", "ConvNextConfig", dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2), image),
        ("ResNetModel", "ResNetConfig", dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic"), image),
        ("SegformerForSemanticSegmentation", "SegformerConfig", dict(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 16], patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2], decoder_hidden_size=16), image),
        ("PoolFormerModel", "PoolFormerConfig", dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]), image), ("RegNetModel", "RegNetConfig", dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], groups_width=8), image),
        ("LevitModel", "LevitConfig", dict(image_size=64, hidden_sizes=[16, 32, 48], num_attention_heads=[1, 2, 3], depths=[1, 1, 1], key_dim=[8, 8, 8]), lambda: image(64)),
        ("MobileViTModel", "MobileViTConfig", dict(hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 8, 16, 16, 16, 32], image_size=32), image),
        ("CLIPModel", "CLIPConfig", dict(text_config=dict(small, max_position_embeddings=16, eos_token_id=98), vision_config=dict(small, image_size=32, patch_size=8), projection_dim=16), lambda: dict(ids(), **image())),
        ("SiglipVisionModel", "SiglipVisionConfig", dict(small, image_size=32, patch_size=8), image),
        ("WhisperForConditionalGeneration", "WhisperConfig", dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, vocab_size=99, num_mel_bins=8, max_source_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, **few), lambda: {"input_features": torch.rand(2, 8, 32), "decoder_input_ids": torch.randint(3, 90, (2, 5))}),
        ("Wav2Vec2Model", "Wav2Vec2Config", dict(small, conv_dim=[8, 8], conv_kernel=[10, 3], conv_stride=[5, 2], num_feat_extract_layers=2, num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, mask_time_prob=0.0), lambda: {"input_values": torch.rand(2, 400)}),
        ("HubertModel", "HubertConfig", dict(small, conv_dim=[8, 8], conv_kernel=[10, 3], conv_stride=[5, 2], num_feat_extract_layers=2, num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, mask_time_prob=0.0), lambda: {"input_values": torch.rand(2, 400)}),
        ("ASTModel", "ASTConfig", dict(small, num_mel_bins=16, max_length=32, patch_size=8, frequency_stride=8, time_stride=8), lambda: {"input_values": torch.rand(2, 32, 16)}),
    ]
    for model, config, settings, inputs in rows:
        if not (hasattr(t, model) and hasattr(t, config)):
            continue

        def make(model=model, config=config, settings=settings, inputs=inputs):
            return getattr(t, model)(getattr(t, config)(**settings)), (), inputs()
        yield f"transformers/{model}", make


def own_models():
    import make_files
    for name, model, inputs, named, _, core in make_files.cases():
        if not core:
            yield f"own/{name}", lambda m=model, i=inputs, n=named: (m, i, n)


def all_models():
    for source in (own_models, torchvision_models, timm_models, transformers_models):
        try:
            yield from source()
        except ImportError as error:
            print(f"left out: {error}", flush=True)


def try_model(make, run_model, folder, core):
    torch.manual_seed(0)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            model, inputs, named = make()
            model = model.eval()
            program = torch.export.export(model, inputs, named, strict=False)
            if core:
                program = program.run_decompositions()
            torch.export.save(program, folder / "model.pt2")
            torch.save(models_util.expected(model, inputs, named), folder / "model.pt")
        except Exception as error:  # PyTorch's own trouble
            return f"PyTorch: {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}", None
    done = subprocess.run([run_model, folder / "model.pt2", folder / "model.pt"], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        text = (done.stdout.strip() or done.stderr.strip() or f"signal {-done.returncode}").removeprefix("error ")
        return text.splitlines()[0][:300], None
    values = done.stdout.split()
    return "", dict(zip(LIMITS, map(float, values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run_model")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--table")
    options = parser.parse_args()
    torch.set_num_threads(min(2, os.cpu_count() or 1))
    rows, failed = [], 0
    for name, make in all_models():
        if (options.few and name not in FEW) or not re.search(options.only, name):
            continue
        begin = time.time()
        with tempfile.TemporaryDirectory() as folder:
            try:
                problem, found = try_model(make, options.run_model, pathlib.Path(folder), options.core)
            except subprocess.TimeoutExpired:
                problem, found = "it takes more than 15 minutes", None
        wrong = [k for k, limit in LIMITS.items() if found and not found[k] <= limit]
        state = "ok" if found and not wrong else "differs" if found else "PyTorch" if problem.startswith("PyTorch") else "fails"
        failed += state in ("differs", "fails")
        text = " ".join(f"{found[k]:9.1e}" for k in LIMITS) if found else problem
        rows.append(f"{name:45} {state:8} {text}")
        print(f"{rows[-1]}   ({time.time() - begin:.0f} s)", flush=True)
        if options.table:
            pathlib.Path(options.table).write_text("\n".join(rows) + "\n")
    good = sum(" ok " in row for row in rows)
    print(f"{good} of {len(rows)} models agree with PyTorch {torch.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
