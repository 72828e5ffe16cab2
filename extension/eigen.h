// Views Eigen's matrices as tensors, and tensors as Eigen's matrices, without copying. This header
// needs Eigen 3.
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include <taper/ops/tensor/factory.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A tensor on the CPU, viewed as a matrix with any strides. A tensor with one dimension becomes a
/// matrix with one column.
template <class T>
using EigenMap = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
                            Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

/// Returns a tensor that shares the memory of `matrix`: an Eigen matrix, array, map or block. The
/// tensor's sizes are [rows, cols], or [size] for a vector. The matrix must outlive the tensor, and
/// must not be resized.
///
///     Eigen::MatrixXd m = Eigen::MatrixXd::Random(2, 3);
///     Tensor x = from_eigen(m);  // [2, 3]
template <class Derived>
Tensor from_eigen(Eigen::DenseBase<Derived>& matrix) {
  Derived& m = matrix.derived();
  static_assert(std::is_lvalue_reference<decltype(m.coeffRef(0, 0))>::value,
                "from_eigen needs a matrix that can be written: it shares the memory");
  const TensorOptions options(CppTypeToScalarType<typename Derived::Scalar>::value);
  void* const data = const_cast<typename Derived::Scalar*>(m.data());
  if constexpr (Derived::IsVectorAtCompileTime)
    return from_blob(data, {m.size()}, {m.innerStride()}, options);
  const int64_t row = Derived::IsRowMajor ? m.outerStride() : m.innerStride();
  const int64_t column = Derived::IsRowMajor ? m.innerStride() : m.outerStride();
  return from_blob(data, {m.rows(), m.cols()}, {row, column}, options);
}

/// Returns a map that shares the memory of `x`, a tensor of one or two dimensions on the CPU. The
/// tensor must outlive the map. Throws Error for other tensors, and unless T is the element type.
///
///     as_eigen<float>(x) *= 2;
template <class T>
EigenMap<T> as_eigen(const Tensor& x) {
  TAPER_CHECK(x.is_cpu() && (x.dim() == 1 || x.dim() == 2),
              "as_eigen: expected a tensor of 1 or 2 dimensions on the CPU, got sizes ", x.sizes(),
              " on ", x.device(), "; call cpu(), or select a matrix");
  const bool matrix = x.dim() == 2;
  return EigenMap<T>(
      x.data_ptr<T>(), x.size(0), matrix ? x.size(1) : 1,
      Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(x.stride(0), matrix ? x.stride(1) : 1));
}
template <class T>
EigenMap<T> as_eigen(Tensor&& x) = delete;

}  // namespace torch::taper

#pragma GCC visibility pop
