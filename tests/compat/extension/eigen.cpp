// Eigen's matrices and tensors over one memory.
#include <taper/extension/eigen.h>
#include <torch/torch.h>

#include "expect.h"

namespace {

void matrices_go_in() {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  const torch::Tensor x = taper::from_eigen(m);
  EXPECT(x.equal(torch::tensor({{1., 2., 3.}, {4., 5., 6.}}, torch::kDouble)));
  EXPECT(x.data_ptr() == m.data() && x.stride(1) == 2);
  x[1][0] = 40;
  EXPECT(m(1, 0) == 40);
  Eigen::Matrix<float, 2, 2, Eigen::RowMajor> rows;
  rows << 1, 2, 3, 4;
  EXPECT(taper::from_eigen(rows).equal(torch::tensor({{1.f, 2.f}, {3.f, 4.f}})));
  auto block = m.block(0, 1, 2, 2);
  EXPECT(taper::from_eigen(block).equal(x.narrow(1, 1, 2)));
  Eigen::VectorXf v = Eigen::VectorXf::LinSpaced(4, 0, 3);
  EXPECT(taper::from_eigen(v).equal(torch::arange(4, torch::kFloat)));
  auto column = m.row(1);
  EXPECT(taper::from_eigen(column).equal(x[1]) && taper::from_eigen(column).dim() == 1);
}

void tensors_go_out() {
  const torch::Tensor x = torch::arange(6, torch::kFloat).view({2, 3}), y = x.t();
  auto m = taper::as_eigen<float>(x), t = taper::as_eigen<float>(y);
  EXPECT(m.rows() == 2 && m.cols() == 3 && m(1, 0) == 3);
  EXPECT(t.rows() == 3 && t(0, 1) == 3 && t.data() == x.data_ptr<float>());
  m *= 2;
  EXPECT(x[1][2].item<float>() == 10);
  const torch::Tensor row = x[0];
  EXPECT(taper::as_eigen<float>(row).sum() == 6);
  const torch::Tensor product = torch::empty({2, 2});
  taper::as_eigen<float>(product) = m * t;
  EXPECT(torch::allclose(product, x.mm(y)));
}

void others_are_refused() {
  const torch::Tensor x = torch::ones({2, 2, 2}), y = torch::ones({2});
  EXPECT(has(thrown<taper::Error>([&] { taper::as_eigen<float>(x); }),
             "as_eigen: expected a tensor of 1 or 2 dimensions on the CPU, got sizes [2, 2, 2]"));
  EXPECT(has(thrown<taper::Error>([&] { taper::as_eigen<double>(y); }),
             "expected scalar type Double but found Float"));
}

}  // namespace

int main() {
  matrices_go_in();
  tensors_go_out();
  others_are_refused();
}
