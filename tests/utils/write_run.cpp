// write_run FOLDER: a run with every kind of summary, for read_run.py to read.
#include <cmath>
#include <iostream>

#include <taper/taper.h>
#include <taper/utils/utils.h>

using namespace taper;
using utils::tensorboard::CustomChart;
using utils::tensorboard::SummaryWriter;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_run FOLDER\n";
    return 2;
  }
  manual_seed(0);
  SummaryWriter writer(argv[1]);
  for (int64_t step = 0; step < 100; ++step) {
    const double t = static_cast<double>(step);
    writer.add_scalar("loss/train", std::exp(-t / 30) + 0.02 * std::sin(t), step);
    writer.add_scalar("loss/test", std::exp(-t / 40) + 0.1, step);
    if (step % 10 == 0) writer.add_histogram("weights", randn({1000}) * (1 + t / 50), step);
  }
  writer.add_scalars("pair", {{"cos", std::cos(1.)}, {"sin", std::sin(1.)}}, 1);
  const Tensor ramp = linspace(0, 1, 64);
  const Tensor picture =
      stack({ramp.expand({64, 64}), ramp.view({64, 1}).expand({64, 64}), full({64, 64}, 0.5)});
  writer.add_image("picture", picture);
  writer.add_images("batch", rand({10, 3, 16, 16}));
  writer.add_video("clip", stack({zeros({3, 16, 24}), ones({3, 16, 24})}).unsqueeze(0), 0, 2);
  writer.add_audio("tone", sin(arange(8000, kDouble) * (2 * 3.14159265 * 440 / 8000)), 0, 8000);
  writer.add_mesh("triangle", rand({1, 3, 3}), full({1, 3, 3}, 200, kByte),
                  arange(3).view({1, 1, 3}));
  writer.add_text("note", "a **bold** word");
  writer.add_pr_curve("detector", tensor({1, 0, 1, 1, 0}), tensor({0.9, 0.8, 0.7, 0.3, 0.1}));
  writer.add_embedding(randn({5, 3}), {"a", "b", "c", "d", "e"}, rand({5, 3, 8, 8}));
  writer.add_hparams({{"lr", 0.1}, {"optimizer", std::string("sgd")}, {"nesterov", true}},
                     {{"hparam/accuracy", 0.9}}, {}, "trial");
  writer.add_custom_scalars({{"losses", {{"both", {CustomChart::kMultiline, {"loss/.*"}}}}}});
  nn::Sequential net(nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 2));
  writer.add_graph(net, randn({3, 4}));
}
