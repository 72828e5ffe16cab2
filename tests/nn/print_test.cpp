// What LibTorch prints for each module, without the prefix "torch::nn::".
#include "nn/util.h"

#include <taper/nn/modules.h>

namespace torch::taper {
namespace {

using namespace nn;

template <class M>
std::string printed(const M& module) {
  const std::string text = test::text_of(module), prefix = "torch::nn::";
  return text.compare(0, prefix.size(), prefix) == 0 ? text.substr(prefix.size()) : "?" + text;
}

TEST(ModulePrint, Linear) {
  EXPECT_EQ(printed(Linear(2, 3)), "Linear(in_features=2, out_features=3, bias=true)");
  EXPECT_EQ(printed(Linear(LinearOptions(2, 3).bias(false))),
            "Linear(in_features=2, out_features=3, bias=false)");
  EXPECT_EQ(printed(Identity()), "Identity()");
  EXPECT_EQ(printed(Flatten()), "Flatten(start_dim=1, end_dim=-1)");
  EXPECT_EQ(printed(Flatten(FlattenOptions().start_dim(0))), "Flatten(start_dim=0, end_dim=-1)");
  EXPECT_EQ(printed(Unflatten(UnflattenOptions(1, {2, 3}))),
            "Unflatten(dim=1, unflattened_size={2, 3})");
  EXPECT_EQ(printed(Bilinear(1, 2, 3)),
            "Bilinear(in1_features=1, in2_features=2, out_features=3, bias=true)");
}

TEST(ModulePrint, Convolutions) {
  EXPECT_EQ(printed(Conv1d(1, 2, 3)), "Conv1d(1, 2, kernel_size=3, stride=1)");
  EXPECT_EQ(printed(Conv1d(
                Conv1dOptions(2, 2, 3).stride(2).padding(1).dilation(2).groups(2).bias(false))),
            "Conv1d(2, 2, kernel_size=3, stride=2, padding=1, dilation=2, groups=2, bias=false)");
  EXPECT_EQ(printed(Conv2d(1, 2, 3)), "Conv2d(1, 2, kernel_size=[3, 3], stride=[1, 1])");
  EXPECT_EQ(printed(Conv2d(Conv2dOptions(2, 4, {3, 5})
                               .stride({1, 2})
                               .padding({1, 0})
                               .dilation(2)
                               .groups(2)
                               .bias(false)
                               .padding_mode(kCircular))),
            "Conv2d(2, 4, kernel_size=[3, 5], stride=[1, 2], padding=[1, 0], dilation=[2, 2], "
            "groups=2, bias=false, padding_mode=kCircular)");
  EXPECT_EQ(printed(Conv2d(Conv2dOptions(1, 2, 3).padding(kSame))),
            "Conv2d(1, 2, kernel_size=[3, 3], stride=[1, 1], padding='same')");
  EXPECT_EQ(printed(Conv2d(Conv2dOptions(1, 2, 3).padding(kValid))),
            "Conv2d(1, 2, kernel_size=[3, 3], stride=[1, 1], padding='valid')");
  EXPECT_EQ(printed(Conv3d(1, 2, 3)), "Conv3d(1, 2, kernel_size=[3, 3, 3], stride=[1, 1, 1])");
  EXPECT_EQ(printed(ConvTranspose1d(1, 2, 3)), "ConvTranspose1d(1, 2, kernel_size=3, stride=1)");
  EXPECT_EQ(printed(ConvTranspose2d(ConvTranspose2dOptions(1, 2, 3).stride(2).output_padding(1))),
            "ConvTranspose2d(1, 2, kernel_size=[3, 3], stride=[2, 2], output_padding=[1, 1])");
}

TEST(ModulePrint, Pooling) {
  EXPECT_EQ(printed(MaxPool1d(2)),
            "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=false)");
  EXPECT_EQ(printed(MaxPool2d(2)),
            "MaxPool2d(kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], "
            "ceil_mode=false)");
  EXPECT_EQ(printed(MaxPool2d(
                MaxPool2dOptions({3, 2}).stride({2, 1}).padding(1).dilation(2).ceil_mode(true))),
            "MaxPool2d(kernel_size=[3, 2], stride=[2, 1], padding=[1, 1], dilation=[2, 2], "
            "ceil_mode=true)");
  EXPECT_EQ(printed(AvgPool1d(2)), "AvgPool1d(kernel_size=2, stride=2, padding=0)");
  EXPECT_EQ(printed(AvgPool2d(AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false))),
            "AvgPool2d(kernel_size=[3, 3], stride=[2, 2], padding=[1, 1])");
  EXPECT_EQ(printed(AvgPool2d(2)), "AvgPool2d(kernel_size=[2, 2], stride=[2, 2], padding=[0, 0])");
  EXPECT_EQ(printed(MaxPool3d(2)),
            "MaxPool3d(kernel_size=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0], dilation=[1, 1, "
            "1], ceil_mode=false)");
  EXPECT_EQ(printed(AvgPool3d(2)),
            "AvgPool3d(kernel_size=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0])");
  EXPECT_EQ(printed(AdaptiveAvgPool1d(3)), "AdaptiveAvgPool1d(output_size=3)");
  EXPECT_EQ(printed(AdaptiveAvgPool2d(3)), "AdaptiveAvgPool2d(output_size=[3, 3])");
  EXPECT_EQ(printed(AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({3, nullopt}))),
            "AdaptiveAvgPool2d(output_size=[3, None])");
  EXPECT_EQ(printed(AdaptiveMaxPool1d(3)), "AdaptiveMaxPool1d(output_size=3)");
  EXPECT_EQ(printed(AdaptiveMaxPool2d(AdaptiveMaxPool2dOptions({2, 3}))),
            "AdaptiveMaxPool2d(output_size=[2, 3])");
  EXPECT_EQ(printed(AdaptiveAvgPool3d(2)), "AdaptiveAvgPool3d(output_size=[2, 2, 2])");
}

TEST(ModulePrint, Normalisations) {
  EXPECT_EQ(printed(BatchNorm1d(3)),
            "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=true, track_running_stats=true)");
  EXPECT_EQ(printed(BatchNorm2d(
                BatchNorm2dOptions(3).eps(1e-3).momentum(nullopt).affine(false).track_running_stats(
                    false))),
            "BatchNorm2d(3, eps=0.001, momentum=None, affine=false, track_running_stats=false)");
  EXPECT_EQ(printed(BatchNorm3d(2)),
            "BatchNorm3d(2, eps=1e-05, momentum=0.1, affine=true, track_running_stats=true)");
  EXPECT_EQ(printed(InstanceNorm2d(3)),
            "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=false, track_running_stats=false)");
  EXPECT_EQ(printed(InstanceNorm1d(InstanceNorm1dOptions(3).affine(true))),
            "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=true, track_running_stats=false)");
  EXPECT_EQ(printed(LayerNorm(LayerNormOptions({2, 3}))),
            "LayerNorm([2, 3], eps=1e-05, elementwise_affine=true)");
  EXPECT_EQ(printed(LayerNorm(LayerNormOptions({2}).eps(1e-3).elementwise_affine(false))),
            "LayerNorm([2], eps=0.001, elementwise_affine=false)");
  EXPECT_EQ(printed(GroupNorm(GroupNormOptions(2, 4))), "GroupNorm(2, 4, eps=1e-05, affine=true)");
  EXPECT_EQ(printed(GroupNorm(GroupNormOptions(2, 4).affine(false))),
            "GroupNorm(2, 4, eps=1e-05, affine=false)");
}

TEST(ModulePrint, DropoutAndEmbedding) {
  EXPECT_EQ(printed(Dropout()), "Dropout(p=0.5, inplace=false)");
  EXPECT_EQ(printed(Dropout(0.3)), "Dropout(p=0.3, inplace=false)");
  EXPECT_EQ(printed(Dropout(DropoutOptions(0.25).inplace(true))), "Dropout(p=0.25, inplace=true)");
  EXPECT_EQ(printed(Dropout2d()), "Dropout2d(p=0.5, inplace=false)");
  EXPECT_EQ(printed(Dropout3d()), "Dropout3d(p=0.5, inplace=false)");
  EXPECT_EQ(printed(AlphaDropout()), "AlphaDropout(p=0.5, inplace=false)");
  EXPECT_EQ(printed(FeatureAlphaDropout()), "FeatureAlphaDropout(p=0.5, inplace=false)");
  EXPECT_EQ(printed(Embedding(3, 4)), "Embedding(num_embeddings=3, embedding_dim=4)");
  EXPECT_EQ(printed(Embedding(EmbeddingOptions(3, 4)
                                  .padding_idx(-1)
                                  .max_norm(2)
                                  .norm_type(2.5)
                                  .scale_grad_by_freq(true)
                                  .sparse(true))),
            "Embedding(num_embeddings=3, embedding_dim=4, padding_idx=2, max_norm=2, "
            "norm_type=2.5, scale_grad_by_freq=true, sparse=true)");
}

TEST(ModulePrint, Padding) {
  EXPECT_EQ(printed(ZeroPad1d(1)), "ZeroPad1d(padding=[1, 1])");
  EXPECT_EQ(printed(ZeroPad3d(1)), "ZeroPad3d(padding=[1, 1, 1, 1, 1, 1])");
  EXPECT_EQ(printed(ZeroPad2d(1)), "ZeroPad2d(padding=[1, 1, 1, 1])");
  EXPECT_EQ(printed(ZeroPad2d(ZeroPad2dOptions({1, 2, 3, 4}))), "ZeroPad2d(padding=[1, 2, 3, 4])");
  EXPECT_EQ(printed(ConstantPad1d(ConstantPad1dOptions(2, 3.5))),
            "ConstantPad1d(padding=[2, 2], value=3.5)");
  EXPECT_EQ(printed(ConstantPad2d(ConstantPad2dOptions({1, 2, 3, 4}, 0.5))),
            "ConstantPad2d(padding=[1, 2, 3, 4], value=0.5)");
  EXPECT_EQ(printed(ReflectionPad1d(2)), "ReflectionPad1d(padding=[2, 2])");
  EXPECT_EQ(printed(ReflectionPad2d(2)), "ReflectionPad2d(padding=[2, 2, 2, 2])");
  EXPECT_EQ(printed(ReplicationPad2d(2)), "ReplicationPad2d(padding=[2, 2, 2, 2])");
  EXPECT_EQ(printed(ReplicationPad1d(ReplicationPad1dOptions({1, 2}))),
            "ReplicationPad1d(padding=[1, 2])");
}

TEST(ModulePrint, Losses) {
  EXPECT_EQ(printed(CrossEntropyLoss()), "CrossEntropyLoss()");
  EXPECT_EQ(printed(NLLLoss()), "NLLLoss()");
  EXPECT_EQ(printed(MSELoss()), "MSELoss()");
  EXPECT_EQ(printed(L1Loss()), "L1Loss()");
  EXPECT_EQ(printed(SmoothL1Loss()), "SmoothL1Loss");
  EXPECT_EQ(printed(SmoothL1Loss(SmoothL1LossOptions().beta(0.5))), "SmoothL1Loss");
  EXPECT_EQ(printed(HuberLoss()), "HuberLoss");
  EXPECT_EQ(printed(BCELoss()), "BCELoss()");
  EXPECT_EQ(printed(BCEWithLogitsLoss()), "BCEWithLogitsLoss()");
  EXPECT_EQ(printed(KLDivLoss()), "KLDivLoss()");
  EXPECT_EQ(printed(HingeEmbeddingLoss()), "HingeEmbeddingLoss(margin=1)");
  EXPECT_EQ(printed(CosineEmbeddingLoss()), "CosineEmbeddingLoss(margin=0)");
  EXPECT_EQ(printed(SoftMarginLoss()), "SoftMarginLoss()");
  EXPECT_EQ(printed(MultiLabelSoftMarginLoss()), "MultiLabelSoftMarginLoss()");
  EXPECT_EQ(printed(TripletMarginLoss()),
            "TripletMarginLoss(margin=1, p=2, eps=1e-06, swap=false)");
  EXPECT_EQ(printed(PoissonNLLLoss()), "PoissonNLLLoss()");
  EXPECT_EQ(printed(MarginRankingLoss()), "MarginRankingLoss()");
  EXPECT_EQ(printed(CosineSimilarity()), "CosineSimilarity(dim=1, eps=1e-08)");
  EXPECT_EQ(printed(PairwiseDistance()), "PairwiseDistance(p=2, eps=1e-06, keepdim=false)");
}

TEST(ModulePrint, Activations) {
  EXPECT_EQ(printed(ELU()), "ELU(alpha=1)");
  EXPECT_EQ(printed(ELU(ELUOptions().alpha(2).inplace(true))), "ELU(alpha=2, inplace=true)");
  EXPECT_EQ(printed(SELU()), "SELU()");
  EXPECT_EQ(printed(SELU(true)), "SELU(inplace=true)");
  EXPECT_EQ(printed(Hardshrink()), "Hardshrink(0.5)");
  EXPECT_EQ(printed(Hardshrink(0.3)), "Hardshrink(0.3)");
  EXPECT_EQ(printed(Hardtanh()), "Hardtanh(min_val=-1, max_val=1)");
  EXPECT_EQ(printed(Hardtanh(HardtanhOptions().min_val(-2).max_val(2.5).inplace(true))),
            "Hardtanh(min_val=-2, max_val=2.5, inplace=true)");
  EXPECT_EQ(printed(LeakyReLU()), "LeakyReLU(negative_slope=0.01)");
  EXPECT_EQ(printed(LeakyReLU(LeakyReLUOptions().negative_slope(0.2).inplace(true))),
            "LeakyReLU(negative_slope=0.2, inplace=true)");
  EXPECT_EQ(printed(LogSigmoid()), "LogSigmoid()");
  EXPECT_EQ(printed(Softmax(1)), "Softmax(dim=1)");
  EXPECT_EQ(printed(Softmin(1)), "Softmin(dim=1)");
  EXPECT_EQ(printed(LogSoftmax(-1)), "LogSoftmax(dim=-1)");
  EXPECT_EQ(printed(Softmax2d()), "Softmax2d()");
  EXPECT_EQ(printed(PReLU()), "PReLU(num_parameters=1)");
  EXPECT_EQ(printed(PReLU(PReLUOptions().num_parameters(3))), "PReLU(num_parameters=3)");
  EXPECT_EQ(printed(ReLU()), "ReLU()");
  EXPECT_EQ(printed(ReLU(true)), "ReLU(inplace=true)");
  EXPECT_EQ(printed(ReLU6()), "ReLU6()");
  EXPECT_EQ(printed(ReLU6(true)), "ReLU6(inplace=true)");
  EXPECT_EQ(printed(RReLU()), "RReLU(lower=0.125, upper=0.333333)");
  EXPECT_EQ(printed(RReLU(RReLUOptions().lower(0.1).upper(0.2).inplace(true))),
            "RReLU(lower=0.1, upper=0.2, inplace=true)");
  EXPECT_EQ(printed(CELU()), "CELU(alpha=1)");
  EXPECT_EQ(printed(CELU(CELUOptions().alpha(2).inplace(true))), "CELU(alpha=2, inplace=true)");
  EXPECT_EQ(printed(GLU()), "GLU(dim=-1)");
  EXPECT_EQ(printed(GLU(1)), "GLU(dim=1)");
  EXPECT_EQ(printed(GELU()), "GELU()");
  EXPECT_EQ(printed(GELU(GELUOptions().approximate("tanh"))), "GELU()");
  EXPECT_EQ(printed(SiLU()), "SiLU()");
  EXPECT_EQ(printed(Mish()), "Mish()");
  EXPECT_EQ(printed(Hardswish()), "Hardswish()");
  EXPECT_EQ(printed(Hardsigmoid()), "Hardsigmoid()");
  EXPECT_EQ(printed(Sigmoid()), "Sigmoid()");
  EXPECT_EQ(printed(Softplus()), "Softplus(beta=1, threshold=20)");
  EXPECT_EQ(printed(Softplus(SoftplusOptions().beta(0.5).threshold(3))),
            "Softplus(beta=0.5, threshold=3)");
  EXPECT_EQ(printed(Softshrink()), "Softshrink(0.5)");
  EXPECT_EQ(printed(Softshrink(0.7)), "Softshrink(0.7)");
  EXPECT_EQ(printed(Softsign()), "Softsign()");
  EXPECT_EQ(printed(Tanh()), "Tanh()");
  EXPECT_EQ(printed(Tanhshrink()), "Tanhshrink()");
  EXPECT_EQ(printed(Threshold(1, 2)), "Threshold(threshold=1, value=2)");
  EXPECT_EQ(printed(Threshold(ThresholdOptions(1.5, 2).inplace(true))),
            "Threshold(threshold=1.5, value=2, inplace=true)");
}

TEST(ModulePrint, FoldAndUpsample) {
  EXPECT_EQ(printed(Fold(FoldOptions({4, 5}, 2).stride({2, 1}))),
            "Fold(output_size=[4, 5], kernel_size=[2, 2], dilation=[1, 1], padding=[0, 0], "
            "stride=[2, 1])");
  EXPECT_EQ(printed(Upsample(UpsampleOptions().size(std::vector<int64_t>{3, 4}))),
            "Upsample(size=[3, 4], mode=kNearest)");
}

}  // namespace
}  // namespace torch::taper
