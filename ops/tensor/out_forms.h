// The `out` forms of ops whose results are made first and stored then.
//
// Each computes what the function of its name does, without history, and puts it into the given
// tensors: they are resized where they have other sizes, and take results of dtypes that can be
// cast to theirs. All checks come before anything is written. Errors: Error for a tensor of the
// arguments that requires a gradient, and for `out` whose memory overlaps itself or in part that of
// an input.
#pragma once

#include <string_view>
#include <tuple>

#include <taper/framework/tensor.h>
#include <taper/ops/nn/loss.h>

#pragma GCC visibility push(default)

namespace taper {

// ---------------------------------------------------------------- factories, into out's dtype
Tensor& zeros_out(Tensor& out, IntArrayRef size);
Tensor& ones_out(Tensor& out, IntArrayRef size);
Tensor& full_out(Tensor& out, IntArrayRef size, const Scalar& value);
Tensor& empty_out(Tensor& out, IntArrayRef size, optional<MemoryFormat> format = nullopt);
Tensor& eye_out(Tensor& out, int64_t n);
Tensor& eye_out(Tensor& out, int64_t n, int64_t m);
Tensor& arange_out(Tensor& out, const Scalar& end);
Tensor& arange_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
Tensor& range_out(Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step = 1);
Tensor& linspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps);
Tensor& logspace_out(Tensor& out, const Scalar& start, const Scalar& end, int64_t steps,
                     double base = 10.0);
Tensor& rand_out(Tensor& out, IntArrayRef size, optional<Generator> generator = nullopt);
Tensor& randn_out(Tensor& out, IntArrayRef size, optional<Generator> generator = nullopt);
Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size);
Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size);
Tensor& randperm_out(Tensor& out, int64_t n, optional<Generator> generator = nullopt);
Tensor& bernoulli_out(Tensor& out, const Tensor& self, optional<Generator> generator = nullopt);
Tensor& multinomial_out(Tensor& out, const Tensor& self, int64_t num_samples,
                        bool replacement = false, optional<Generator> generator = nullopt);

// ---------------------------------------------------------------- reductions and orders
Tensor& prod_out(Tensor& out, const Tensor& self, int64_t dim, bool keepdim = false,
                 optional<ScalarType> dtype = nullopt);
Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true,
                bool keepdim = false);
Tensor& var_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                const optional<Scalar>& correction, bool keepdim = false);
Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim, bool unbiased = true,
                bool keepdim = false);
Tensor& std_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim,
                const optional<Scalar>& correction, bool keepdim = false);
Tensor& norm_out(Tensor& out, const Tensor& self, const optional<Scalar>& p, IntArrayRef dim,
                 bool keepdim = false);
Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim, bool keepdim = false);
Tensor& nansum_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim = nullopt,
                   bool keepdim = false, optional<ScalarType> dtype = nullopt);
Tensor& nanmean_out(Tensor& out, const Tensor& self, OptionalIntArrayRef dim = nullopt,
                    bool keepdim = false, optional<ScalarType> dtype = nullopt);
Tensor& logcumsumexp_out(Tensor& out, const Tensor& self, int64_t dim);
Tensor& msort_out(Tensor& out, const Tensor& self);
/// The larger (smaller) of each two elements.
Tensor& max_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& min_out(Tensor& out, const Tensor& self, const Tensor& other);
/// Two results: values and their indices, or the least and the largest.
using OutPair = std::tuple<Tensor&, Tensor&>;
OutPair max_out(Tensor& max, Tensor& max_indices, const Tensor& self, int64_t dim,
                bool keepdim = false);
OutPair min_out(Tensor& min, Tensor& min_indices, const Tensor& self, int64_t dim,
                bool keepdim = false);
OutPair median_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t dim,
                   bool keepdim = false);
OutPair nanmedian_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t dim,
                      bool keepdim = false);
OutPair mode_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t dim = -1,
                 bool keepdim = false);
OutPair kthvalue_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t k,
                     int64_t dim = -1, bool keepdim = false);
OutPair topk_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t k, int64_t dim = -1,
                 bool largest = true, bool sorted = true);
OutPair sort_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t dim = -1,
                 bool descending = false);
OutPair sort_out(Tensor& values, Tensor& indices, const Tensor& self, optional<bool> stable,
                 int64_t dim = -1, bool descending = false);
OutPair cummax_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t dim);
OutPair cummin_out(Tensor& values, Tensor& indices, const Tensor& self, int64_t dim);
OutPair aminmax_out(Tensor& min, Tensor& max, const Tensor& self, optional<int64_t> dim = nullopt,
                    bool keepdim = false);

// ---------------------------------------------------------------- indexing and joining
Tensor& gather_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                   bool sparse_grad = false);
Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                    const Tensor& src);
Tensor& scatter_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                    const Scalar& value);
Tensor& scatter_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& src);
Tensor& index_select_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index);
Tensor& index_add_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                      const Tensor& source, const Scalar& alpha = 1);
Tensor& index_copy_out(Tensor& out, const Tensor& self, int64_t dim, const Tensor& index,
                       const Tensor& source);
Tensor& masked_select_out(Tensor& out, const Tensor& self, const Tensor& mask);
Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index);
Tensor& take_along_dim_out(Tensor& out, const Tensor& self, const Tensor& indices,
                           optional<int64_t> dim = nullopt);
Tensor& nonzero_out(Tensor& out, const Tensor& self);
Tensor& nonzero_static_out(Tensor& out, const Tensor& self, int64_t size, int64_t fill_value = -1);
Tensor& where_out(Tensor& out, const Tensor& condition, const Tensor& self, const Tensor& other);
Tensor& tril_out(Tensor& out, const Tensor& self, int64_t diagonal = 0);
Tensor& triu_out(Tensor& out, const Tensor& self, int64_t diagonal = 0);
Tensor& diag_out(Tensor& out, const Tensor& self, int64_t diagonal = 0);
Tensor& hstack_out(Tensor& out, TensorList tensors);
Tensor& vstack_out(Tensor& out, TensorList tensors);
Tensor& dstack_out(Tensor& out, TensorList tensors);
Tensor& column_stack_out(Tensor& out, TensorList tensors);

// ---------------------------------------------------------------- products
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec);
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor);
Tensor& vdot_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2);
Tensor& ger_out(Tensor& out, const Tensor& self, const Tensor& vec2);
Tensor& kron_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& cross_out(Tensor& out, const Tensor& self, const Tensor& other,
                  optional<int64_t> dim = nullopt);
Tensor& tensordot_out(Tensor& out, const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                      IntArrayRef dims_other);
Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias = {});

// ---------------------------------------------------------------- pointwise
Tensor& softmax_out(Tensor& out, const Tensor& self, int64_t dim,
                    optional<ScalarType> dtype = nullopt);
Tensor& log_softmax_out(Tensor& out, const Tensor& self, int64_t dim,
                        optional<ScalarType> dtype = nullopt);
Tensor& elu_out(Tensor& out, const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                const Scalar& input_scale = 1);
Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate = "none");
Tensor& leaky_relu_out(Tensor& out, const Tensor& self, const Scalar& negative_slope = 0.01);
Tensor& silu_out(Tensor& out, const Tensor& self);
Tensor& mish_out(Tensor& out, const Tensor& self);
Tensor& softplus_out(Tensor& out, const Tensor& self, const Scalar& beta = 1,
                     const Scalar& threshold = 20);
Tensor& hardtanh_out(Tensor& out, const Tensor& self, const Scalar& min_val = -1,
                     const Scalar& max_val = 1);
Tensor& hardsigmoid_out(Tensor& out, const Tensor& self);
Tensor& hardswish_out(Tensor& out, const Tensor& self);
Tensor& hardshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
Tensor& softshrink_out(Tensor& out, const Tensor& self, const Scalar& lambd = 0.5);
Tensor& threshold_out(Tensor& out, const Tensor& self, const Scalar& threshold,
                      const Scalar& value);
Tensor& log_sigmoid_out(Tensor& out, const Tensor& self);
Tensor& glu_out(Tensor& out, const Tensor& self, int64_t dim = -1);
Tensor& complex_out(Tensor& out, const Tensor& real, const Tensor& imag);
Tensor& polar_out(Tensor& out, const Tensor& abs, const Tensor& angle);
Tensor& renorm_out(Tensor& out, const Tensor& self, const Scalar& p, int64_t dim,
                   const Scalar& maxnorm);
Tensor& mse_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                     int64_t reduction = Reduction::Mean);
Tensor& smooth_l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                           int64_t reduction = Reduction::Mean, double beta = 1.0);
Tensor& huber_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                       int64_t reduction = Reduction::Mean, double delta = 1.0);

}  // namespace taper

#pragma GCC visibility pop
