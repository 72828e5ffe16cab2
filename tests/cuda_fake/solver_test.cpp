// Factors and solutions by cuSOLVER and cuBLAS, on a fake that computes by LAPACK: each result
// makes the matrix again. Each rule that the fake checks is broken once on purpose.
#include <taper/framework/cuda/solver.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/capture/graph.h>
#include <taper/framework/cuda/gpu/handles.h>
#include <taper/framework/cuda/stream.h>
#include <taper/ops/index/index.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/reduce/reduce.h>

#include "cuda_fake/util.h"

namespace torch::taper {
namespace {

using cuda::solver::Triangle;
using numbers::part_t;
using testing::as_launch;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_violation;
using testing::in_own_process;
using testing::on_device;

template <class T>
class FakeSolver : public ::testing::Test {};
using Types = ::testing::Types<float, double, numbers::complex<float>, numbers::complex<double>>;
TYPED_TEST_SUITE(FakeSolver, Types);

template <class T>
constexpr ScalarType kType = CppTypeToScalarType<T>::value;
template <class T>
constexpr double kClose = sizeof(part_t<T>) == 8 ? 1e-11 : 2e-4;

/// A batch of m x n matrices on the device, by columns.
template <class T>
struct Matrices {
  Tensor memory;
  explicit Matrices(const Tensor& host) : memory(on_device(host.transpose(-2, -1))) {}
  Matrices(int64_t m, int64_t n) : Matrices(zeros({m, n}, kType<T>)) {}
  T* get() const { return static_cast<T*>(memory.data_ptr()); }
  Tensor now() const { return memory.cpu().transpose(-2, -1); }
};
/// Numbers on the device.
template <class T>
struct Array {
  Tensor memory;
  explicit Array(int64_t n) : memory(on_device(zeros({n}, kType<T>))) {}
  T* get() const { return static_cast<T*>(memory.data_ptr()); }
  Tensor now() const { return memory.cpu(); }
};
/// Pointers to the matrices of a batch, on the device.
template <class T>
struct Places {
  Tensor memory;
  explicit Places(const Matrices<T>& all) {
    const int64_t n = all.memory.size(0), step = all.memory.numel() / n;
    const Tensor host = empty({n}, kLong);
    for (int64_t i = 0; i < n; ++i)
      host.data_ptr<int64_t>()[i] = reinterpret_cast<int64_t>(all.get() + i * step);
    memory = on_device(host);
  }
  T* const* get() const { return static_cast<T* const*>(memory.data_ptr()); }
};

/// a * b, a with its columns scaled by real numbers.
Tensor scaled(const Tensor& a, const Tensor& by, const Tensor& b) {
  return a.mul(by.to(a.scalar_type()).unsqueeze(-2)).matmul(b);
}
/// The matrix whose factors, and swaps of rows, are there.
Tensor from_lu(const Tensor& lu, const Tensor& pivots) {
  const int64_t m = lu.size(0), n = lu.size(1), k = std::min(m, n);
  const Tensor l = lu.narrow(1, 0, k).tril(-1).add(eye(m, k, lu.options()));
  Tensor a = l.matmul(lu.narrow(0, 0, k).triu());
  for (int64_t i = k - 1; i >= 0; --i) {
    const int64_t other = pivots[i].item<int64_t>() - 1;
    const Tensor order = arange(m);
    order[i].fill_(other), order[other].fill_(i);
    a = a.index_select(0, order);
  }
  return a;
}
template <class T>
Tensor positive(int64_t batch, int64_t n) {
  const Tensor a = draw({batch, n, n}, kType<T>);
  return a.matmul(a.mH()).add(eye(n, a.options()));
}
template <class T>
Tensor hermitian(int64_t batch, int64_t n) {
  const Tensor a = draw({batch, n, n}, kType<T>);
  return a.add(a.mH());
}

TYPED_TEST(FakeSolver, LuMakesTheMatrixAndSolves) {
  using T = TypeParam;
  in_own_process([] {
    for (auto [m, n] : {std::pair<int, int>{4, 4}, {5, 3}, {3, 5}}) {
      const Tensor a = draw({m, n}, kType<T>);
      const Matrices<T> lu(a);
      const Array<int> pivots(std::min(m, n)), info(1);
      as_launch(
          0, [&, m = m, n = n] { cuda::solver::getrf(m, n, lu.get(), pivots.get(), info.get()); });
      expect_close(from_lu(lu.now(), pivots.now()), a, kClose<T>);
      EXPECT_EQ(info.now().template item<int>(), 0);
      if (m != n) continue;
      const Tensor b = draw({n, 2}, kType<T>);
      const Matrices<T> x(b);
      as_launch(0, [&, n = n] { cuda::solver::getrs(n, 2, lu.get(), pivots.get(), x.get()); });
      expect_close(a.matmul(x.now()), b, 100 * kClose<T>);
    }
  });
}

TYPED_TEST(FakeSolver, LuOfABatchMakesTheMatricesAndSolves) {
  using T = TypeParam;
  in_own_process([] {
    const Tensor a = draw({3, 4, 4}, kType<T>).add(eye(4, kType<T>).mul(4));
    const Tensor b = draw({3, 4, 2}, kType<T>);
    const Matrices<T> lu(a), x(b);
    const Places<T> at(lu), to(x);
    const Array<int> pivots(12), info(3);
    as_launch(0, [&] {
      cuda::solver::getrf_batched(4, at.get(), pivots.get(), info.get(), 3);
      cuda::solver::getrs_batched<T>(4, 2, at.get(), pivots.get(), to.get(), 3);
    });
    for (int64_t i = 0; i < 3; ++i)
      expect_close(from_lu(lu.now()[i], pivots.now().narrow(0, 4 * i, 4)), a[i], kClose<T>);
    expect_close(a.matmul(x.now()), b, kClose<T>);
  });
}

TYPED_TEST(FakeSolver, CholeskyMakesTheMatrixAndSolves) {
  using T = TypeParam;
  in_own_process([] {
    for (Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const bool lower = triangle == Triangle::lower;
      const Tensor a = positive<T>(3, 4), b = draw({3, 2, 4}, kType<T>);
      const Matrices<T> one(a[0]), all(a), x(b[0]), xs(b);
      const Places<T> at(all), to(xs);
      const Array<int> info(3);
      as_launch(0, [&] {
        cuda::solver::potrf(triangle, 4, one.get(), info.get());
        cuda::solver::potrf_batched(triangle, 4, at.get(), info.get(), 3);
        cuda::solver::trsm(triangle, false, 2, 4, one.get(), x.get());
        cuda::solver::trsm_batched<T>(triangle, false, 2, 4, at.get(), to.get(), 3);
      });
      const auto factor = [&](const Tensor& c) { return lower ? c.tril() : c.triu(); };
      const auto product = [&](const Tensor& c) {
        return lower ? c.matmul(c.mH()) : c.mH().matmul(c);
      };
      // The other triangle may hold anything.
      const Tensor c = factor(one.now()), cs = factor(all.now());
      expect_close(product(c), a[0], kClose<T>);
      for (int64_t i = 0; i < 3; ++i) {
        expect_close(product(cs[i]), a[i], kClose<T>);
        expect_close(xs.now()[i].matmul(cs[i]), b[i], kClose<T>);
      }
      expect_close(x.now().matmul(c), b[0], kClose<T>);
    }
    const Matrices<T> indefinite(eye(3, kType<T>).neg());
    const Array<int> info(1);
    as_launch(0, [&] { cuda::solver::potrf(Triangle::lower, 3, indefinite.get(), info.get()); });
    EXPECT_EQ(info.now().template item<int>(), 1);
  });
}

TYPED_TEST(FakeSolver, QrMakesTheMatrix) {
  using T = TypeParam;
  in_own_process([] {
    const Tensor a = draw({5, 3}, kType<T>);
    const Matrices<T> q(a);
    const Array<T> tau(3);
    as_launch(0, [&] { cuda::solver::geqrf(5, 3, q.get(), tau.get()); });
    const Tensor r = q.now().narrow(0, 0, 3).triu().clone();
    as_launch(0, [&] { cuda::solver::orgqr(5, 3, 3, q.get(), tau.get()); });
    expect_close(q.now().matmul(r), a, kClose<T>);
    expect_close(q.now().mH().matmul(q.now()), eye(3, kType<T>), kClose<T>);
  });
}

TYPED_TEST(FakeSolver, SvdMakesTheMatrix) {
  using T = TypeParam;
  in_own_process([] {
    for (auto [m, n] : {std::pair<int, int>{5, 3}, {3, 5}})
      for (bool thin : {false, true}) {
        const int k = std::min(m, n);
        const Tensor a = draw({m, n}, kType<T>);
        const Matrices<T> memory(a), again(a), u(m, thin ? k : m), v(n, thin ? k : n);
        const Array<part_t<T>> s(k), values(k);
        const Array<int> info(1);
        as_launch(0, [&, m = m, n = n] {
          cuda::solver::gesvdj(true, thin, m, n, memory.get(), s.get(), u.get(), v.get(),
                               info.get());
        });
        const Tensor left = u.now().narrow(1, 0, k), right = v.now().narrow(1, 0, k);
        expect_close(scaled(left, s.now(), right.mH()), a, kClose<T>);
        as_launch(0, [&, m = m, n = n] {
          cuda::solver::gesvdj(false, thin, m, n, again.get(), values.get(), u.get(), v.get(),
                               info.get());
        });
        expect_close(values.now(), s.now(), kClose<T>);
        EXPECT_EQ(info.now().template item<int>(), 0);
      }
    EXPECT_EQ(fake_cuda::live_objects("parameters"), 0);
  });
}

TYPED_TEST(FakeSolver, SvdOfABatchMakesTheMatrices) {
  using T = TypeParam;
  in_own_process([] {
    const Tensor a = draw({3, 4, 2}, kType<T>);
    const Matrices<T> memory(a), u(zeros({3, 4, 4}, kType<T>)), v(zeros({3, 2, 2}, kType<T>));
    const Array<part_t<T>> s(6);
    const Array<int> info(3);
    as_launch(0, [&] {
      cuda::solver::gesvdj_batched(true, 4, 2, memory.get(), s.get(), u.get(), v.get(), info.get(),
                                   3);
    });
    expect_close(scaled(u.now().narrow(2, 0, 2), s.now().view({3, 2}), v.now().mH()), a, kClose<T>);
  });
}

TYPED_TEST(FakeSolver, EigenvaluesOfHermitianMatricesMakeThem) {
  using T = TypeParam;
  in_own_process([] {
    for (Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const Tensor a = hermitian<T>(3, 4);
      const Matrices<T> one(a[0]), again(a[0]), all(a);
      const Array<part_t<T>> w(4), values(4), ws(12);
      const Array<int> info(3);
      as_launch(0, [&] {
        cuda::solver::syevd(true, triangle, 4, one.get(), w.get(), info.get());
        cuda::solver::syevd(false, triangle, 4, again.get(), values.get(), info.get());
        cuda::solver::syevj_batched(true, triangle, 4, all.get(), ws.get(), info.get(), 3);
      });
      expect_close(scaled(one.now(), w.now(), one.now().mH()), a[0], kClose<T>);
      expect_close(values.now(), w.now(), kClose<T>);
      expect_close(scaled(all.now(), ws.now().view({3, 4}), all.now().mH()), a, kClose<T>);
    }
    EXPECT_EQ(fake_cuda::live_objects("parameters"), 0);
  });
}

TYPED_TEST(FakeSolver, LdlSolves) {
  using T = TypeParam;
  in_own_process([] {
    const Tensor half = draw({4, 4}, kType<T>), a = half.add(half.t()), b = draw({4, 2}, kType<T>);
    const Matrices<T> ld(a), x(b);
    const Array<int> pivots(4), info(1);
    as_launch(0, [&] { cuda::solver::sytrf(4, ld.get(), pivots.get(), info.get()); });
    const Tensor wide = on_device(pivots.now().to(kLong));
    as_launch(0, [&] { cuda::solver::sytrs(4, 2, ld.get(), wide.data_ptr<int64_t>(), x.get()); });
    expect_close(a.matmul(x.now()), b, 100 * kClose<T>);
  });
}

TYPED_TEST(FakeSolver, EigenvaluesOfAnyMatrixAreThem) {
  using C = numbers::complex<part_t<TypeParam>>;
  in_own_process([] {
    const Tensor a = draw({4, 4}, kType<C>);
    const Matrices<C> memory(a), again(a), v(4, 4);
    const Array<C> w(4), values(4);
    const Array<int> info(1);
    as_launch(0, [&] {
      cuda::solver::geev<part_t<C>>(4, memory.get(), w.get(), v.get(), info.get());
      cuda::solver::geev<part_t<C>>(4, again.get(), values.get(), nullptr, info.get());
    });
    expect_close(a.matmul(v.now()), v.now().mul(w.now().unsqueeze(0)), kClose<C>);
    expect_close(values.now().prod(), w.now().prod(), 100 * kClose<C>);
    EXPECT_EQ(fake_cuda::live_objects("parameters"), 0);
  });
}

// ---------------------------------------------------------------------- errors
/// Memory for a call of any function on 3 x 3 matrices, which it does not make sense for.
struct AnyCall {
  Matrices<double> a{eye(3, kDouble).mul(2)}, u{3, 3}, v{3, 3}, x{eye(3, kDouble)};
  Matrices<double> two{eye(3, kDouble).mul(2).expand({2, 3, 3})}, xs{zeros({2, 3, 3}, kDouble)};
  Matrices<numbers::complex<double>> c{eye(3, kComplexDouble)}, cv{3, 3};
  Array<numbers::complex<double>> cw{3};
  Places<double> at{two}, to{xs};
  Array<double> s{9};
  Array<int> pivots{6}, info{2};
  Tensor wide = on_device(arange(1, 4));
};

TEST(FakeSolverErrors, AreThrownAndLeaveNothing) {
  in_own_process([] {
    const AnyCall k;
    namespace f = cuda::solver;
    const auto expect = [](const std::string& name, const std::string& in_message,
                           const auto& call) {
      const auto launched = [&] { as_launch(0, call); };
      launched();
      const bool is_blas = name.find("cublas") == 0;
      expect_failure(name,
                     {is_blas ? "cuBLAS error: " : "cuSOLVER error: CUSOLVER_STATUS_", in_message},
                     launched);
      EXPECT_NO_THROW(launched()) << name;
    };
    const auto lu = [&] { f::getrf(3, 3, k.a.get(), k.pivots.get(), k.info.get()); };
    expect("cusolverDnGetrf_bufferSize", "cusolverDnDgetrf_bufferSize", lu);
    expect("cusolverDnGetrf", "cusolverDnDgetrf", lu);
    expect("cusolverDnGetrs", "cusolverDnDgetrs",
           [&] { f::getrs(3, 3, k.a.get(), k.pivots.get(), k.x.get()); });
    const auto lus = [&] {
      f::getrf_batched(3, k.at.get(), k.pivots.get(), k.info.get(), 2);
      f::getrs_batched<double>(3, 3, k.at.get(), k.pivots.get(), k.to.get(), 2);
    };
    expect("cublasGetrfBatched", "cublasDgetrfBatched", lus);
    expect("cublasGetrsBatched", "cublasDgetrsBatched", lus);
    const auto cholesky = [&] {
      f::potrf(Triangle::lower, 3, k.a.get(), k.info.get());
      f::potrf_batched(Triangle::lower, 3, k.at.get(), k.info.get(), 2);
    };
    expect("cusolverDnPotrf", "cusolverDnDpotrf", cholesky);
    expect("cusolverDnPotrfBatched", "cusolverDnDpotrfBatched", cholesky);
    const auto triangular = [&] {
      f::trsm(Triangle::lower, true, 3, 3, k.a.get(), k.x.get());
      f::trsm_batched<double>(Triangle::lower, true, 3, 3, k.at.get(), k.to.get(), 2);
    };
    expect("cublasTrsm", "cublasDtrsm_v2", triangular);
    expect("cublasTrsmBatched", "cublasDtrsmBatched", triangular);
    const auto qr = [&] {
      f::geqrf(3, 3, k.a.get(), k.s.get());
      f::orgqr(3, 3, 3, k.a.get(), k.s.get());
    };
    expect("cusolverDnGeqrf", "cusolverDnDgeqrf", qr);
    expect("cusolverDnOrgqr", "cusolverDnDorgqr", qr);
    const auto svd = [&] {
      f::gesvdj(true, true, 3, 3, k.x.get(), k.s.get(), k.u.get(), k.v.get(), k.info.get());
    };
    for (const char* name : {"cusolverDnCreateGesvdjInfo", "cusolverDnXgesvdjSetTolerance",
                             "cusolverDnXgesvdjSetMaxSweeps"})
      expect(name, name, svd);
    expect("cusolverDnGesvdj_bufferSize", "cusolverDnDgesvdj_bufferSize", svd);
    expect("cusolverDnGesvdj", "cusolverDnDgesvdj", svd);
    expect("cusolverDnSyevd", "cusolverDnDsyevd",
           [&] { f::syevd(true, Triangle::lower, 3, k.a.get(), k.s.get(), k.info.get()); });
    const auto eigenvalues = [&] {
      f::syevj_batched(true, Triangle::lower, 3, k.two.get(), k.s.get(), k.info.get(), 2);
    };
    expect("cusolverDnCreateSyevjInfo", "cusolverDnCreateSyevjInfo", eigenvalues);
    expect("cusolverDnSyevjBatched", "cusolverDnDsyevjBatched", eigenvalues);
    expect("cusolverDnSytrf", "cusolverDnDsytrf",
           [&] { f::sytrf(3, k.a.get(), k.pivots.get(), k.info.get()); });
    const auto solution = [&] { f::sytrs(3, 3, k.a.get(), k.wide.data_ptr<int64_t>(), k.x.get()); };
    expect("cusolverDnXsytrs_bufferSize", "cusolverDnXsytrs_bufferSize", solution);
    expect("cusolverDnXsytrs", "cusolverDnXsytrs", solution);
    const auto general = [&] {
      f::geev<double>(3, k.c.get(), k.cw.get(), k.cv.get(), k.info.get());
    };
    expect("cusolverDnCreateParams", "cusolverDnCreateParams", general);
    expect("cusolverDnXgeev", "cusolverDnXgeev", general);
    EXPECT_EQ(fake_cuda::live_objects("parameters"), 0);
  });
}

TEST(FakeSolverErrors, CallsAgainstTheRulesAreRefused) {
  in_own_process([] {
    const AnyCall k;
    as_launch(0, [&] {
      const cusolverDnHandle_t h = cuda::cusolver_handle();
      double* const a = k.a.get();
      int length = 0;
      const auto factorize = [&](int lda, int n, int* info) {
        return cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 3, a, lda, k.xs.get(), n, info);
      };
      const Tensor room = empty({600}, k.a.memory.options());
      const auto run = [&](int less, double* work) {
        return cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, 3, a, 3, work, length - less,
                                k.info.get());
      };
      expect_violation("working memory that was not asked for",
                       [&] { factorize(3, 600, k.info.get()); });
      cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, 3, a, 3, &length);
      EXPECT_EQ(run(0, room.data_ptr<double>()), CUSOLVER_STATUS_SUCCESS);
      expect_violation("less working memory", [&] { run(1, room.data_ptr<double>()); });
      expect_violation("the workspace is no memory", [&] { run(0, nullptr); });
      expect_violation("the workspace has", [&] { run(0, room.data_ptr<double>() + 599); });
      expect_violation("a leading dimension", [&] { factorize(2, length, k.info.get()); });
      expect_violation("info is no memory", [&] { factorize(3, length, &length); });
      expect_violation("m >= n >= k", [&] {
        cusolverDnDorgqr(h, 2, 3, 2, a, 2, a, room.data_ptr<double>(), 600, k.info.get());
      });
      expect_violation("no place", [&] { cusolverDnDgetrf_bufferSize(h, 3, 3, a, 3, nullptr); });
      expect_violation("A is no memory", [&] {
        cusolverDnDgetrs(h, CUBLAS_OP_N, 1, 1, nullptr, 1, k.pivots.get(), a, 1, k.info.get());
      });
      expect_violation("what is no parameters of gesvdj", [&] {
        cusolverDnDgesvdjBatched(h, CUSOLVER_EIG_MODE_NOVECTOR, 3, 3, a, 3, k.s.get(), a, 3, a, 3,
                                 room.data_ptr<double>(), 600, k.info.get(), nullptr, 1);
      });
      expect_violation("what is no parameters", [] { cusolverDnDestroySyevjInfo(nullptr); });
      expect_violation("info that is not of the host", [&] {
        cublasDgetrsBatched(cuda::cublas_handle(), CUBLAS_OP_N, 3, 1, k.at.get(), 3, k.pivots.get(),
                            k.to.get(), 3, k.info.get(), 2);
      });
      expect_violation("negative sizes", [&] {
        cublasDgetrfBatched(cuda::cublas_handle(), -1, k.at.get(), 1, k.pivots.get(), k.info.get(),
                            2);
      });
    });
    as_launch(1, [&] {
      cuda::cusolver_handle();
      expect_violation("memory of device 0", [&] {
        EXPECT_THROW(cuda::solver::getrs(3, 3, k.a.get(), k.pivots.get(), k.x.get()), Error);
      });
    });
  });
}

TEST(FakeSolverErrors, ParametersAgainstTheRulesAreRefused) {
  in_own_process([] {
    const AnyCall k;
    const Tensor room = empty({1 << 12}, k.a.memory.options());
    double* const work = room.data_ptr<double>();
    std::vector<char> host(1 << 12);
    gesvdjInfo_t svd = nullptr;
    cusolverDnParams_t params = nullptr;
    ASSERT_EQ(cusolverDnCreateGesvdjInfo(&svd), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnCreateParams(&params), CUSOLVER_STATUS_SUCCESS);
    expect_violation("a tolerance", [&] { cusolverDnXgesvdjSetTolerance(svd, 0); });
    expect_violation("no sweeps", [&] { cusolverDnXgesvdjSetMaxSweeps(svd, 0); });
    as_launch(0, [&] {
      const cusolverDnHandle_t h = cuda::cusolver_handle();
      expect_violation("larger than 32", [&] {
        cusolverDnDgesvdjBatched(h, CUSOLVER_EIG_MODE_NOVECTOR, 33, 2, work, 33, work, work, 33,
                                 work, 2, work, 600, k.info.get(), svd, 1);
      });
      const auto eigen = [&](cusolverEigMode_t left, cudaDataType type, cudaDataType type_w,
                             size_t on_host) {
        size_t nbytes = 0, host_nbytes = 0;
        cusolverDnXgeev_bufferSize(h, params, left, CUSOLVER_EIG_MODE_NOVECTOR, 3, type, nullptr, 3,
                                   type_w, nullptr, type, nullptr, 3, type, nullptr, 3, type,
                                   &nbytes, &host_nbytes);
        cusolverDnXgeev(h, params, left, CUSOLVER_EIG_MODE_NOVECTOR, 3, type, k.c.get(), 3, type_w,
                        k.cw.get(), type, nullptr, 3, type, nullptr, 3, type, work, nbytes,
                        host.data(), on_host, k.info.get());
      };
      const cusolverEigMode_t none = CUSOLVER_EIG_MODE_NOVECTOR;
      eigen(none, CUDA_C_64F, CUDA_C_64F, host.size());
      EXPECT_TRUE(fake_cuda::violations().empty());
      expect_violation("left eigenvectors", [&] {
        eigen(CUSOLVER_EIG_MODE_VECTOR, CUDA_C_64F, CUDA_C_64F, host.size());
      });
      expect_violation("other types", [&] { eigen(none, CUDA_C_64F, CUDA_R_64F, host.size()); });
      expect_violation("memory of the host", [&] { eigen(none, CUDA_C_64F, CUDA_C_64F, 1); });
      expect_violation("a real matrix", [&] { eigen(none, CUDA_R_64F, CUDA_R_64F, host.size()); });
      expect_violation("a type that cuSOLVER does not have",
                       [&] { eigen(none, CUDA_R_16F, CUDA_R_16F, host.size()); });
    });
    EXPECT_EQ(cusolverDnDestroyGesvdjInfo(svd), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnDestroyParams(params), CUSOLVER_STATUS_SUCCESS);
  });
}

TEST(FakeSolverErrors, PointersOfABatchAreLookedAtWhenTheWorkRuns) {
  in_own_process([] {
    const AnyCall k;
    const Tensor wrong = on_device(zeros({2}, kLong));
    auto* const at = static_cast<double* const*>(wrong.data_ptr());
    expect_violation("matrix 0 is no memory", [&] {
      as_launch(0, [&] { cuda::solver::getrf_batched(3, at, k.pivots.get(), k.info.get(), 2); });
    });
    // Filled by what is queued before.
    const cuda::Stream stream(Device(kCUDA, 0));
    const fake_cuda::Lazy lazy;
    const cuda::StreamGuard guard(stream);
    detail::copy_on(stream.impl(), wrong.data_ptr(), k.at.memory.data_ptr(), 16);
    as_launch(0, [&] { cuda::solver::getrf_batched(3, at, k.pivots.get(), k.info.get(), 2); });
    as_launch(0, [&] { cuda::solver::potrf(Triangle::lower, 3, k.a.get(), k.info.get()); });
    stream.synchronize();
    EXPECT_EQ(k.info.now().sum().item<int64_t>(), 0);
    expect_close(k.a.now(), eye(3, kDouble).mul(std::sqrt(2.0)), 1e-12);
  });
}

// The eigenvalues of a general matrix need the host.
TEST(FakeSolverErrors, WhatWaitsIsRefusedInACapture) {
  in_own_process([] {
    const AnyCall k;
    as_launch(0, [] { cuda::cusolver_handle(); });
    Graph graph(Device(kCUDA, 0));
    expect_violation("it waits for its stream, which is captured", [&] {
      EXPECT_THROW(
          {
            GraphGuard guard(graph);
            as_launch(0, [&] {
              cuda::solver::geev<double>(3, k.c.get(), k.cw.get(), k.cv.get(), k.info.get());
            });
          },
          Error);
    });
  });
}

}  // namespace
}  // namespace torch::taper
