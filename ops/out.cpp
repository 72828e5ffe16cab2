#include <taper/ops/out.h>

#include <taper/framework/autograd/record.h>

namespace taper {

void prepare_out(const char* op, Tensor& out, IntArrayRef sizes, ScalarType dtype,
                 std::initializer_list<Tensor> inputs) {
  if (!out.defined()) {
    out = detail::make_tensor(sizes, dtype, inputs.size() ? inputs.begin()->device() : Device());
    return;
  }
  TAPER_CHECK(!autograd::needs_grad(out), op,
              "(): functions with out=... arguments don't support "
              "automatic differentiation, but one of the arguments requires grad.");
  for (const Tensor& x : inputs)
    TAPER_CHECK(!autograd::needs_grad(x), op,
                "(): functions with out=... arguments don't support "
                "automatic differentiation, but one of the arguments requires grad.");
  TAPER_CHECK(canCast(dtype, out.scalar_type()), "result type ", toString(dtype),
              " can't be cast to the desired output type ", toString(out.scalar_type()));
  if (out.sizes() != sizes) out.resize_(sizes);
}

}  // namespace taper
