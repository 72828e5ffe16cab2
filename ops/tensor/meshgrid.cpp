#include <taper/ops/tensor/meshgrid.h>

#include <algorithm>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/core/warning.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
  if (auto done = at_door<"meshgrid">(tensors, indexing)) return done;
  TAPER_CHECK(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  TAPER_CHECK(indexing == "ij" || indexing == "xy",
              "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  const bool swap = indexing == "xy" && tensors.size() >= 2;
  const int64_t n = static_cast<int64_t>(tensors.size());
  const auto place = [swap](int64_t i) { return swap && i < 2 ? 1 - i : i; };
  Dims size(n, 1);
  for (int64_t i = 0; i < n; ++i) {
    const Tensor& t = tensors[static_cast<size_t>(i)];
    check_defined("meshgrid", t, "tensors");
    TAPER_CHECK(t.dim() <= 1,
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", t.sizes());
    TAPER_CHECK(t.scalar_type() == tensors[0].scalar_type(),
                "torch.meshgrid expects all tensors to have the same dtype");
    size[place(i)] = t.numel();
  }
  std::vector<Tensor> grids;
  for (int64_t i = 0; i < n; ++i) {
    Dims own(n, 1);
    own[place(i)] = size[place(i)];
    grids.push_back(tensors[static_cast<size_t>(i)].view(own).expand(size));
  }
  return grids;
}

std::vector<Tensor> meshgrid(TensorList tensors) {
  if (auto done = at_door<"meshgrid">(tensors)) return done;
  detail::warn_once([] {
    return "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
           "argument.";
  });
  return meshgrid(tensors, "ij");
}

Tensor vander(const Tensor& x, optional<int64_t> N, bool increasing) {
  if (auto done = at_door<"vander">(x, N, increasing)) return done;
  check_defined("vander", x, "x");
  TAPER_CHECK(x.dim() == 1, "vander: x must be a one-dimensional tensor.");
  const int64_t n = N.value_or(x.size(0));
  TAPER_CHECK(n >= 0, "vander: N must be non-negative.");
  const Tensor base = isIntegralType(x.scalar_type(), true) ? x.to(kLong) : x;
  // Allocates before any power is computed, because there may be too little memory.
  const Tensor room = base.new_empty({x.size(0), n});
  if (room.numel() == 0) return room;
  std::vector<Tensor> columns;
  Tensor power = base.new_ones(base.sizes());
  for (int64_t k = 0; k < n; ++k) {
    columns.push_back(power);
    if (k + 1 < n) power = power * base;
  }
  if (!increasing) std::reverse(columns.begin(), columns.end());
  return stack(columns, 1);
}

Tensor cartesian_prod(TensorList tensors) {
  if (auto done = at_door<"cartesian_prod">(tensors)) return done;
  TAPER_CHECK(!tensors.empty(), "cartesian_prod: expected at least one tensor");
  for (const Tensor& t : tensors) {
    check_defined("cartesian_prod", t, "tensor");
    TAPER_CHECK(t.dim() == 1, "cartesian_prod: Expect a 1D vector, but got shape ", t.sizes());
  }
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns = meshgrid(tensors, "ij");
  for (Tensor& c : columns) c = c.flatten();
  return stack(columns, 1);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  if (auto done = at_door<"combinations">(self, r, with_replacement)) return done;
  check_defined("combinations", self, "self");
  TAPER_CHECK(self.dim() == 1, "combinations: Expect a 1D vector, but got shape ", self.sizes());
  TAPER_CHECK(r >= 0, "combinations: Expect a non-negative number, but got ", r);
  TAPER_CHECK(r <= kMaxDims, "combinations: expected at most ", kMaxDims,
              " elements at a time, got ", r);
  if (r == 0) return self.new_empty({0});
  const Tensor at = arange(self.size(0), self.options().dtype(kLong).requires_grad(false));
  const std::vector<Tensor> grid = meshgrid(std::vector<Tensor>(static_cast<size_t>(r), at), "ij");
  Tensor chosen = ones(grid[0].sizes(), grid[0].options().dtype(kBool));
  for (size_t i = 1; i < grid.size(); ++i)
    chosen =
        chosen.logical_and(with_replacement ? grid[i - 1].le(grid[i]) : grid[i - 1].lt(grid[i]));
  std::vector<Tensor> columns;
  for (const Tensor& g : grid) columns.push_back(index_select(self, 0, g.masked_select(chosen)));
  return stack(columns, 1);
}

}  // namespace torch::taper
