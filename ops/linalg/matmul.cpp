#include <taper/ops/linalg/matmul.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/linalg/matmul_kernels.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/split.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

void check_operands(const char* op, const Tensor& a, const Tensor& b) {
  check_same_device(op, a, b);
  TAPER_CHECK(a.scalar_type() == b.scalar_type(), op, ": expected scalar type ",
              toString(a.scalar_type()), " but found ", toString(b.scalar_type()),
              " in the second operand; convert one of them with to(dtype)");
}

void check_mm(const char* op, const Tensor& a, const Tensor& b) {
  const Dims &l = a.impl().sizes, &r = b.impl().sizes;
  TAPER_CHECK(l[1] == r[0], op, ": mat1 and mat2 shapes cannot be multiplied (", l[0], "x", l[1],
              " and ", r[0], "x", r[1], ")");
}

void check_bmm(const char* op, const Tensor& a, const Tensor& b) {
  TAPER_CHECK(a.dim() == 3, op, ": batch1 must be a 3D tensor");
  TAPER_CHECK(b.dim() == 3, op, ": batch2 must be a 3D tensor");
  TAPER_CHECK(b.size(0) == a.size(0) && b.size(1) == a.size(2), op,
              ": Expected size for first two dimensions of batch2 tensor to be: [", a.size(0), ", ",
              a.size(2), "] but got: [", b.size(0), ", ", b.size(1), "].");
  check_operands(op, a, b);
}

// Throws unless `self` broadcasts to `target`.
void check_expands(const char* op, const Tensor& self, const Dims& target) {
  const int64_t extra = target.size() - self.dim();
  TAPER_CHECK(extra >= 0, op, ": expand(", self.toString(), "{", self.sizes(), "}, size=", target,
              "): the number of sizes provided (", target.size(),
              ") must be greater or equal to the number of dimensions in the tensor (", self.dim(),
              ")");
  for (int64_t d = 0; d < self.dim(); ++d)
    TAPER_CHECK(self.size(d) == 1 || self.size(d) == target[d + extra], op,
                ": The expanded size of the tensor (", target[d + extra],
                ") must match the existing size (", self.size(d), ") at non-singleton dimension ",
                d + extra, ".  Target sizes: ", target, ".  Tensor sizes: ", self.sizes());
}

Tensor scaled(const Tensor& t, const Scalar& factor) { return factor.equal(1) ? t : t.mul(factor); }

// Returns the gradient of a `self` that was broadcast and multiplied by beta.
Tensor self_gradient(const Tensor& g, const Dims& sizes, const Scalar& beta) {
  return scaled(g.sizes() == sizes.ref() ? g : g.sum_to_size(sizes), beta.conj());
}

// Returns (ar + i ai)(br + i bi) by four real products, without history.
Tensor complex_product(const Tensor& a, const Tensor& b, const Tensor& self, const Scalar& beta,
                       const Scalar& alpha) {
  const NoGradGuard values_only;
  const auto times = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  const Tensor ar = real(a).contiguous(), ai = imag(a).contiguous();
  const Tensor br = real(b).contiguous(), bi = imag(b).contiguous();
  const Tensor y =
      scaled(complex(times(ar, br).sub_(times(ai, bi)), times(ar, bi).add_(times(ai, br))), alpha);
  return self.defined() && !beta.equal(0) ? y.add(scaled(self.detach(), beta)) : y;
}

// Factors have the products' dtype. Values that do not fit an integer dtype throw, not wrap.
void check_factors(const Tensor& a, const Scalar& beta, const Scalar& alpha) {
  if (!isIntegralType(a.scalar_type(), false)) return;
  detail::check_fits(beta, a.scalar_type());
  detail::check_fits(alpha, a.scalar_type());
}

Tensor product(const Dims& sizes, const Tensor& a, const Tensor& b, const Tensor& self,
               const Scalar& beta, const Scalar& alpha) {
  if (a.is_complex()) return complex_product(a, b, self, beta, alpha);
  check_factors(a, beta, alpha);
  Tensor y = detail::make_tensor(sizes, a.scalar_type(), a.device());
  // A product of bools has no kernel, and needs none if there is nothing to add.
  if (a.scalar_type() == kBool && a.size(-1) == 0 && !self.defined()) return y.zero_();
  TAPER_ON_DEVICE(y, matmul_kernel, y, a, b, self, beta, alpha);
  return y;
}

cpu::FloatMatrix float_matrix(const TensorImpl& t) {
  return {static_cast<const float*>(t.data), t.sizes[0], t.sizes[1], t.strides[0], t.strides[1]};
}

// Returns the product of two matrices.
Tensor product(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = a.impl(), &w = b.impl();
  const int64_t sizes[2] = {x.sizes[0], w.sizes[1]};
  if (x.dtype != kFloat) return product({sizes[0], sizes[1]}, a, b, {}, 0, 1);
  Tensor y = detail::make_tensor(IntArrayRef(sizes, 2), kFloat, x.device);
  const TensorImpl& to = y.impl();
  if (!detail::runs_without_launch(to) ||
      !cpu::matmul_of_floats(static_cast<float*>(to.data), float_matrix(x), float_matrix(w)))
    TAPER_ON_DEVICE(y, matmul_kernel, y, a, b, Tensor(), 0, 1);
  return y;
}

// Writes `y`, computed from the inputs without history, into `out`.
Tensor& into(const char* op, Tensor& out, const Tensor& y, Operands inputs) {
  check_asked_dtype(op, out, y.scalar_type());
  return store_out(op, out, y, inputs);
}

}  // namespace

// ---------------------------------------------------------------------- matrices
Tensor mm(const Tensor& self, const Tensor& mat2) {
  if (auto done = at_door<"mm">(self, mat2)) return done;
  TAPER_CHECK(self.dim() == 2, "mm: self must be a matrix");
  TAPER_CHECK(mat2.dim() == 2, "mm: mat2 must be a matrix");
  check_mm("mm", self, mat2);
  check_operands("mm", self, mat2);
  Tensor y = product(self, mat2);
  if (needs_grad(self, mat2))
    record("MmBackward0", y, {self, mat2},
           [a = saved_if(mat2.requires_grad(), self),
            b = saved_if(self.requires_grad(), mat2)](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = mm(g[0], adjoint(b.get()));
             if (g.needs(1)) r[1] = mm(adjoint(a.get()), g[0]);
             return r;
           });
  return y;
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  if (auto done = at_door<"bmm">(self, mat2)) return done;
  check_bmm("bmm", self, mat2);
  Tensor y = product({self.size(0), self.size(1), mat2.size(2)}, self, mat2, {}, 0, 1);
  if (needs_grad(self, mat2))
    record("BmmBackward0", y, {self, mat2},
           [a = saved_if(mat2.requires_grad(), self),
            b = saved_if(self.requires_grad(), mat2)](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = bmm(g[0], adjoint(b.get()));
             if (g.needs(1)) r[1] = bmm(adjoint(a.get()), g[0]);
             return r;
           });
  return y;
}

namespace {

Dims addmm_sizes(const char* op, const Tensor& mat1, const Tensor& mat2) {
  TAPER_CHECK(mat1.dim() == 2, op, ": mat1 must be a matrix, got ", mat1.dim(), "-D tensor");
  TAPER_CHECK(mat2.dim() == 2, op, ": mat2 must be a matrix, got ", mat2.dim(), "-D tensor");
  check_mm(op, mat1, mat2);
  return {mat1.size(0), mat2.size(1)};
}

Dims check_addmm(const char* op, const Tensor& self, const Tensor& mat1, const Tensor& mat2) {
  const Dims sizes = addmm_sizes(op, mat1, mat2);
  check_expands(op, self, sizes);
  check_same_device(op, self, mat1);
  check_same_device(op, mat1, mat2);
  TAPER_CHECK(self.scalar_type() == mat1.scalar_type() && self.scalar_type() == mat2.scalar_type(),
              op, ": self and mat2 must have the same dtype, but got ",
              toString(self.scalar_type()), " and ", toString(mat2.scalar_type()),
              ", and a mat1 of ", toString(mat1.scalar_type()),
              "; convert one of them with to(dtype)");
  return sizes;
}

// `mask` is the result, if it went through a relu.
void record_addmm(const char* node, const Tensor& y, autograd::Saved mask, const Tensor& self,
                  const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  record(
      node, y, {self, mat1, mat2},
      [mask = std::move(mask), a = saved_if(mat2.requires_grad(), mat1),
       b = saved_if(mat1.requires_grad(), mat2), shape = self.impl().sizes, beta, alpha](Grads& g) {
        const Tensor gy = mask.defined() ? relu_backward(g[0], mask.get()) : g[0];
        std::array<Tensor, 3> r;
        if (g.needs(0)) r[0] = self_gradient(gy, shape, beta);
        if (g.needs(1)) r[1] = scaled(mm(gy, adjoint(b.get())), alpha.conj());
        if (g.needs(2)) r[2] = scaled(mm(adjoint(a.get()), gy), alpha.conj());
        return r;
      });
}

}  // namespace

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  if (auto done = at_door<"addmm">(self, mat1, mat2, beta, alpha)) return done;
  const Dims sizes = check_addmm("addmm", self, mat1, mat2);
  Tensor y = product(sizes, mat1, mat2, self, beta, alpha);
  if (needs_grad(self, mat1, mat2))
    record_addmm("AddmmBackward0", y, {}, self, mat1, mat2, beta, alpha);
  return y;
}

// cuBLASLt has the gelu by tanh, which LibTorch uses on CUDA. Its CPU uses the exact one. A relu's
// gradient needs only the result. A gelu's needs the product. Writing it in the epilogue
// (cuBLASLt's GELU_AUX_BIAS) would save only one of three passes, beside a product that is larger.
Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta, const Scalar& alpha, bool use_gelu) {
  if (auto done = at_door<"_addmm_activation">(self, mat1, mat2, beta, alpha, use_gelu))
    return done;
  const Dims sizes = check_addmm("_addmm_activation", self, mat1, mat2);
  const bool by_tanh = mat1.is_cuda(), wants_gradient = needs_grad(self, mat1, mat2);
  if ((wants_gradient && use_gelu) || !isFloatingType(mat1.scalar_type())) {
    const Tensor y = addmm(self, mat1, mat2, beta, alpha);
    return use_gelu ? gelu(y, by_tanh ? "tanh" : "none") : y.relu();
  }
  const auto gelu_form = by_tanh ? cuda::GemmActivation::kGeluTanh : cuda::GemmActivation::kGelu;
  Tensor y = detail::make_tensor(sizes, mat1.scalar_type(), mat1.device());
  TAPER_ON_DEVICE(y, matmul_activation_kernel, y, mat1, mat2, self, beta, alpha,
                  use_gelu ? gelu_form : cuda::GemmActivation::kRelu);
  if (wants_gradient)
    record_addmm("AddmmActivationBackward0", y, saved_output(y), self, mat1, mat2, beta, alpha);
  return y;
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  if (auto done = at_door<"baddbmm">(self, batch1, batch2, beta, alpha)) return done;
  check_bmm("baddbmm", batch1, batch2);
  const Dims sizes{batch1.size(0), batch1.size(1), batch2.size(2)};
  check_expands("baddbmm", self, sizes);
  check_operands("baddbmm", self, batch1);
  Tensor y = product(sizes, batch1, batch2, self, beta, alpha);
  if (needs_grad(self, batch1, batch2))
    record(
        "BaddbmmBackward0", y, {self, batch1, batch2},
        [a = saved_if(batch2.requires_grad(), batch1), b = saved_if(batch1.requires_grad(), batch2),
         shape = self.impl().sizes, beta, alpha](Grads& g) {
          std::array<Tensor, 3> r;
          if (g.needs(0)) r[0] = self_gradient(g[0], shape, beta);
          if (g.needs(1)) r[1] = scaled(bmm(g[0], adjoint(b.get())), alpha.conj());
          if (g.needs(2)) r[2] = scaled(bmm(adjoint(a.get()), g[0]), alpha.conj());
          return r;
        });
  return y;
}

Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  if (auto done = at_door<"addbmm">(self, batch1, batch2, beta, alpha)) return done;
  check_bmm("addbmm", batch1, batch2);
  const Dims sizes{batch1.size(1), batch2.size(2)};
  check_expands("addbmm", self, sizes);
  check_operands("addbmm", self, batch1);
  // The sum over the batch is part of one product: (n x B k) times (B k x m).
  const int64_t depth = batch1.size(0) * batch1.size(2);
  const Tensor a = batch1.transpose(0, 1).reshape({sizes[0], depth});
  return addmm(self, a, batch2.reshape({depth, sizes[1]}), beta, alpha);
}

// ---------------------------------------------------------------------- vectors
Tensor mv(const Tensor& self, const Tensor& vec) {
  if (auto done = at_door<"mv">(self, vec)) return done;
  TAPER_CHECK(self.dim() == 2 && vec.dim() == 1, "mv: vector + matrix @ vector expected, got 1, ",
              self.dim(), ", ", vec.dim());
  TAPER_CHECK(self.size(1) == vec.size(0), "mv: size mismatch, got ", self.size(0), ", ",
              self.size(0), "x", self.size(1), ",", vec.size(0));
  check_operands("mv", self, vec);
  if (self.is_complex()) return mm(self, vec.unsqueeze(1)).squeeze(1);
  Tensor y = detail::make_tensor({self.size(0)}, self.scalar_type(), self.device());
  if (self.scalar_type() == kBool && vec.numel() == 0) return y.zero_();
  const Tensor rows = y.detach().unsqueeze(1), column = vec.detach().unsqueeze(1);
  TAPER_ON_DEVICE(y, matmul_kernel, rows, self, column, Tensor(), 0, 1);
  if (needs_grad(self, vec))
    record("MvBackward0", y, {self, vec},
           [a = saved_if(vec.requires_grad(), self),
            v = saved_if(self.requires_grad(), vec)](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = outer(g[0], v.get());
             if (g.needs(1)) r[1] = mv(a.get().t(), g[0]);
             return r;
           });
  return y;
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  if (auto done = at_door<"dot">(self, tensor)) return done;
  TAPER_CHECK(self.dim() == 1 && tensor.dim() == 1, "dot: 1D tensors expected, but got ",
              self.dim(), "D and ", tensor.dim(), "D tensors");
  TAPER_CHECK(self.scalar_type() == tensor.scalar_type(),
              "dot : expected both vectors to have same dtype, but found ",
              toString(self.scalar_type()), " and ", toString(tensor.scalar_type()));
  TAPER_CHECK(self.numel() == tensor.numel(), "dot: inconsistent tensor size, expected tensor ",
              self.sizes(), " and src ", tensor.sizes(),
              " to have the same number of elements, but got ", self.numel(), " and ",
              tensor.numel(), " elements respectively");
  check_same_device("dot", self, tensor);
  if (self.is_complex()) return self.mul(tensor).sum();
  Tensor y = detail::make_tensor({}, self.scalar_type(), self.device());
  TAPER_ON_DEVICE(y, dot_kernel, y, self, tensor);
  if (needs_grad(self, tensor))
    record("DotBackward0", y, {self, tensor},
           [a = saved_if(tensor.requires_grad(), self),
            b = saved_if(self.requires_grad(), tensor)](Grads& g) {
             std::array<Tensor, 2> r;
             if (g.needs(0)) r[0] = g[0].mul(b.get());
             if (g.needs(1)) r[1] = g[0].mul(a.get());
             return r;
           });
  return y;
}

Tensor vdot(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"vdot">(self, other)) return done;
  return dot(conj(self), other);
}

Tensor outer(const Tensor& self, const Tensor& vec2) {
  if (auto done = at_door<"outer">(self, vec2)) return done;
  TAPER_CHECK(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
  TAPER_CHECK(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  return self.unsqueeze(1).mul(vec2);
}

Tensor ger(const Tensor& self, const Tensor& vec2) {
  if (auto done = at_door<"ger">(self, vec2)) return done;
  return outer(self, vec2);
}

Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  if (auto done = at_door<"addmv">(self, mat, vec, beta, alpha)) return done;
  TAPER_CHECK(mat.dim() == 2 && vec.dim() == 1 && self.dim() <= 1,
              "addmv: vector + matrix @ vector expected, got ", self.dim(), ", ", mat.dim(), ", ",
              vec.dim());
  TAPER_CHECK(mat.size(1) == vec.size(0) && (self.numel() == mat.size(0) || self.numel() == 1),
              "addmv: size mismatch, got ", self.numel(), ", ", mat.size(0), "x", mat.size(1), ",",
              vec.size(0));
  check_operands("addmv", self, mat);
  check_operands("addmv", mat, vec);
  if (mat.is_complex()) return scaled(self, beta).add(scaled(mv(mat, vec), alpha));
  check_factors(mat, beta, alpha);
  const Tensor column = self.dim() == 1 ? self.unsqueeze(1) : self;
  Tensor y = detail::make_tensor({mat.size(0)}, mat.scalar_type(), mat.device());
  const Tensor rows = y.detach().unsqueeze(1), v = vec.detach().unsqueeze(1);
  TAPER_ON_DEVICE(y, matmul_kernel, rows, mat, v, column.detach(), beta, alpha);
  if (needs_grad(self, mat, vec))
    record("AddmvBackward0", y, {self, mat, vec},
           [a = saved_if(vec.requires_grad(), mat), v = saved_if(mat.requires_grad(), vec),
            shape = self.impl().sizes, beta, alpha](Grads& g) {
             std::array<Tensor, 3> r;
             if (g.needs(0)) r[0] = self_gradient(g[0], shape, beta);
             if (g.needs(1)) r[1] = scaled(outer(g[0], v.get()), alpha);
             if (g.needs(2)) r[2] = scaled(mv(a.get().t(), g[0]), alpha);
             return r;
           });
  return y;
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  if (auto done = at_door<"addr">(self, vec1, vec2, beta, alpha)) return done;
  TAPER_CHECK(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got ", vec1.dim(), "-D");
  TAPER_CHECK(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  const ScalarType t =
      promoteTypes(self.scalar_type(), promoteTypes(vec1.scalar_type(), vec2.scalar_type()));
  for (const auto& [name, factor] : {std::pair("beta", beta), std::pair("alpha", alpha)})
    TAPER_CHECK(!isIntegralType(t, false) || !factor.isFloatingPoint(),
                "addr: For integral input tensors, argument ", name,
                " must not be a floating point number.");
  return addmm(self.to(t), vec1.to(t).unsqueeze(1), vec2.to(t).unsqueeze(0), beta, alpha);
}

// ---------------------------------------------------------------------- every rank
namespace {

// Batches broadcast: both operands become (batch x rows x columns), without copies if possible.
Tensor broadcast_matmul(const Tensor& a, const Tensor& b) {
  const int64_t ra = a.dim(), rb = b.dim();
  const Dims batch =
      broadcast_shapes("matmul", a.sizes().slice(0, ra - 2), b.sizes().slice(0, rb - 2));
  int64_t count = 1;
  for (int64_t s : batch) count *= s;
  const auto folded = [&](const Tensor& t) {
    const int64_t rows = t.size(-2), cols = t.size(-1);
    if (t.dim() == 3 && t.size(0) == count) return t;
    Dims full = batch;
    full.push_back(rows);
    full.push_back(cols);
    return t.expand(full).reshape({count, rows, cols});
  };
  const Tensor y = bmm(folded(a), folded(b));
  if (batch.size() == 1) return y;
  Dims shape = batch;
  shape.push_back(a.size(-2));
  shape.push_back(b.size(-1));
  return _unsafe_view(y, shape);
}

// (... x n x k) times (k x m) or (k): the batch of the left operand becomes rows.
Tensor folded_matmul(const Tensor& a, const Tensor& b) {
  const int64_t k = a.size(-1);
  Dims shape = a.sizes();
  int64_t rows = 1;
  for (int64_t d = 0; d + 1 < a.dim(); ++d) rows *= shape[d];
  shape.resize(a.dim() - 1);
  const Tensor flat = a.reshape({rows, k});
  if (b.dim() == 1) return _unsafe_view(mv(flat, b), shape);
  shape.push_back(b.size(1));
  return _unsafe_view(mm(flat, b), shape);
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"matmul">(self, other)) return done;
  const int64_t ra = self.dim(), rb = other.dim();
  TAPER_CHECK(ra > 0 && rb > 0,
              "matmul: both arguments to matmul need to be at least 1D, but they are ", ra,
              "D and ", rb, "D");
  if (ra == 2 && rb == 2) return mm(self, other);
  if (ra == 1 && rb == 1) return dot(self, other);
  if (ra == 2 && rb == 1) return mv(self, other);
  if (ra == 1 && rb == 2) return mm(self.unsqueeze(0), other).squeeze(0);
  if (rb <= 2) return folded_matmul(self, other);
  if (ra == 1) return broadcast_matmul(self.unsqueeze(0), other).squeeze(-2);
  return broadcast_matmul(self, other);
}

Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2) {
  if (at_door<"mm_out">(out, self, mat2)) return out;
  return into("mm", out, mm(self.detach(), mat2.detach()), {self, mat2});
}
Tensor& bmm_out(Tensor& out, const Tensor& self, const Tensor& mat2) {
  if (at_door<"bmm_out">(out, self, mat2)) return out;
  return into("bmm", out, bmm(self.detach(), mat2.detach()), {self, mat2});
}
Tensor& matmul_out(Tensor& out, const Tensor& self, const Tensor& other) {
  if (at_door<"matmul_out">(out, self, other)) return out;
  return into("matmul", out, matmul(self.detach(), other.detach()), {self, other});
}

#define TAPER_MATRIX_SUM_OUT(name)                                                      \
  Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& a, const Tensor& b, \
                     const Scalar& beta, const Scalar& alpha) {                         \
    if (at_door<#name "_out">(out, self, a, b, beta, alpha)) return out;                \
    return into(#name, out, name(self.detach(), a.detach(), b.detach(), beta, alpha),   \
                {self, a, b});                                                          \
  }
TAPER_MATRIX_SUM_OUT(addmm)
TAPER_MATRIX_SUM_OUT(addmv)
TAPER_MATRIX_SUM_OUT(baddbmm)
TAPER_MATRIX_SUM_OUT(addbmm)
TAPER_MATRIX_SUM_OUT(addr)
#undef TAPER_MATRIX_SUM_OUT

Tensor inner(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"inner">(self, other)) return done;
  if (self.dim() == 0 || other.dim() == 0) return self.mul(other);
  TAPER_CHECK(self.size(-1) == other.size(-1),
              "inner() the last dimension must match on both input tensors but got shapes ",
              self.sizes(), " and ", other.sizes());
  Dims sizes = self.sizes();
  sizes.erase(sizes.size() - 1);
  for (int64_t d = 0; d + 1 < other.dim(); ++d) sizes.push_back(other.size(d));
  const auto rows = [](const Tensor& x) {
    return x.dim() == 1 ? x.unsqueeze(0) : x.flatten(0, -2);
  };
  return mm(rows(self), rows(other).t()).reshape(sizes);
}

// ---------------------------------------------------------------------- methods
Tensor Tensor::mm(const Tensor& mat2) const { return taper::mm(*this, mat2); }
Tensor Tensor::bmm(const Tensor& mat2) const { return taper::bmm(*this, mat2); }
Tensor Tensor::mv(const Tensor& vec) const { return taper::mv(*this, vec); }
Tensor Tensor::dot(const Tensor& other) const { return taper::dot(*this, other); }
Tensor Tensor::matmul(const Tensor& other) const { return taper::matmul(*this, other); }
Tensor Tensor::outer(const Tensor& vec2) const { return taper::outer(*this, vec2); }
Tensor Tensor::addmm(const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                     const Scalar& alpha) const {
  return taper::addmm(*this, mat1, mat2, beta, alpha);
}
Tensor Tensor::addmv(const Tensor& mat, const Tensor& vec, const Scalar& beta,
                     const Scalar& alpha) const {
  return taper::addmv(*this, mat, vec, beta, alpha);
}
Tensor Tensor::baddbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                       const Scalar& alpha) const {
  return taper::baddbmm(*this, batch1, batch2, beta, alpha);
}

Tensor Tensor::inner(const Tensor& other) const { return taper::inner(*this, other); }
Tensor Tensor::vdot(const Tensor& other) const { return taper::vdot(*this, other); }
Tensor Tensor::addr(const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
                    const Scalar& alpha) const {
  return taper::addr(*this, vec1, vec2, beta, alpha);
}

namespace {

// Adds a product to x in place. x has the result's sizes.
template <class F>
Tensor& add_product_(const char* name, const Tensor& x, const Tensor& a, const Tensor& b,
                     const F& f) {
  return in_place(name, x, {a, b}, [&](const Tensor& before) {
    const Tensor y = f(before);
    TAPER_CHECK(x.impl().sizes == y.impl().sizes, name, ": Bad in-place call: input tensor size ",
                x.sizes(), " and output tensor size ", y.sizes(), " should match");
    return y;
  });
}

}  // namespace

Tensor& Tensor::addmv_(const Tensor& mat, const Tensor& vec, const Scalar& beta,
                       const Scalar& alpha) const {
  if (at_door<"addmv_">(*this, mat, vec, beta, alpha)) return detail::as_mutable(*this);
  return add_product_("addmv_", *this, mat, vec,
                      [&](const Tensor& x) { return taper::addmv(x, mat, vec, beta, alpha); });
}
Tensor& Tensor::baddbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                         const Scalar& alpha) const {
  if (at_door<"baddbmm_">(*this, batch1, batch2, beta, alpha)) return detail::as_mutable(*this);
  return add_product_("baddbmm_", *this, batch1, batch2, [&](const Tensor& x) {
    return taper::baddbmm(x, batch1, batch2, beta, alpha);
  });
}
Tensor& Tensor::addr_(const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
                      const Scalar& alpha) const {
  if (at_door<"addr_">(*this, vec1, vec2, beta, alpha)) return detail::as_mutable(*this);
  return add_product_("addr_", *this, vec1, vec2,
                      [&](const Tensor& x) { return taper::addr(x, vec1, vec2, beta, alpha); });
}

Tensor& Tensor::addmm_(const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                       const Scalar& alpha) const {
  if (at_door<"addmm_">(*this, mat1, mat2, beta, alpha)) return detail::as_mutable(*this);
  const Dims result = addmm_sizes("addmm_", mat1, mat2);
  TAPER_CHECK(impl().sizes == result, "addmm_: Bad in-place call: input tensor size ", sizes(),
              " and output tensor size ", result, " should match");
  return in_place("addmm_", *this, {mat1, mat2},
                  [&](const Tensor& x) { return taper::addmm(x, mat1, mat2, beta, alpha); });
}

Tensor Tensor::addbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                      const Scalar& alpha) const {
  return taper::addbmm(*this, batch1, batch2, beta, alpha);
}

Tensor& Tensor::addbmm_(const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                        const Scalar& alpha) const {
  if (at_door<"addbmm_">(*this, batch1, batch2, beta, alpha)) return detail::as_mutable(*this);
  return in_place("addbmm_", *this, {batch1, batch2},
                  [&](const Tensor& x) { return taper::addbmm(x, batch1, batch2, beta, alpha); });
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(mv, (out, self, vec), mv(self, vec), (self, vec), const Tensor& self, const Tensor& vec)
TAPER_OUT(dot, (out, self, tensor), dot(self, tensor), (self, tensor), const Tensor& self,
          const Tensor& tensor)
TAPER_OUT(vdot, (out, self, other), vdot(self, other), (self, other), const Tensor& self,
          const Tensor& other)
TAPER_OUT(inner, (out, self, other), inner(self, other), (self, other), const Tensor& self,
          const Tensor& other)
TAPER_OUT(outer, (out, self, vec2), outer(self, vec2), (self, vec2), const Tensor& self,
          const Tensor& vec2)
TAPER_OUT(ger, (out, self, vec2), ger(self, vec2), (self, vec2), const Tensor& self,
          const Tensor& vec2)
TAPER_OUT(linalg_matmul, (out, A, other), linalg_matmul(A, other), (A, other), const Tensor& A,
          const Tensor& other)

}  // namespace torch::taper
