#include <taper/ops/elementwise/special_bessel.h>

#include <cmath>

#include <taper/ops/elementwise/binary.h>

#include "ops/elementwise/special_definitions.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

void expect_near(const std::string& name, const Tensor& y, const std::vector<double>& expected,
                 double tolerance) {
  const std::vector<double> got = values_of(y);
  ASSERT_EQ(got.size(), expected.size()) << name;
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(got[i] == expected[i] ||
                std::abs(got[i] - expected[i]) <= tolerance * (1e-12 + std::abs(expected[i])))
        << name << " at " << i << ": expected " << expected[i] << ", got " << got[i];
}

// Expected values were computed with 40 digits; PyTorch 1.13 agrees to 6 and more.
TEST(SpecialBessel, OfOne) {
  struct Row {
    std::string name;
    Tensor (*f)(const Tensor&);
    std::vector<double> at, expected;
  };
  const std::vector<Row> rows{
      {"erfcx",
       &special::erfcx,
       {-5.0, -1.0, 0.0, 0.5, 1.9, 2.1, 5.0, 50.0},
       {144009798674.66104, 5.008980080762283, 1.0, 0.6156903441929259, 0.26650937366167265,
        0.24511912334517233, 0.11070463773306863, 0.011281536265323773}},
      {"log_ndtr",
       &special::log_ndtr,
       {-40.0, -5.0, -1.1, -0.9, 0.0, 2.0, 6.0},
       {-804.6084420137538, -15.064998393988725, -1.997558846986297, -1.6924928065613383,
        -0.6931471805599453, -0.02301290932896349, -9.865876455243758e-10}},
      {"ndtri",
       &special::ndtri,
       {1e-300, 1e-20, 1e-10, 0.02, 0.24, 0.26, 0.5, 0.9, 0.999},
       {-37.0470962993612, -9.262340089798405, -6.361340902404056, -2.0537489106318225,
        -0.7063025628400875, -0.6433454053929168, 0.0, 1.2815515655446008, 3.090232306167813}},
      {"i0e",
       &special::i0e,
       {-30.0, -3.0, 0.0, 0.7, 5.0, 19.0, 25.0},
       {0.0731459464822373, 0.2430003541618254, 1.0, 0.5593055265070683, 0.18354081260932836,
        0.09214465721171876, 0.0801967735474367}},
      {"i1e",
       &special::i1e,
       {-30.0, -3.0, 0.0, 0.7, 5.0, 19.0, 25.0},
       {-0.07191633059864755, -0.19682671329730086, 0.0, 0.18466998276274732, 0.16397226694454237,
        0.08968605682161496, 0.07857611331929278}},
      {"bessel_j0",
       &special::bessel_j0,
       {-3.0, 0.0, 0.5, 4.0, 20.0},
       {-0.26005195490193345, 1.0, 0.9384698072408129, -0.39714980986384735, 0.16702466434058316}},
      {"bessel_j1",
       &special::bessel_j1,
       {-3.0, 0.0, 0.5, 4.0, 20.0},
       {-0.3390589585259365, 0.0, 0.2422684576748739, -0.06604332802354913, 0.06683312417585005}},
      {"bessel_y0",
       &special::bessel_y0,
       {0.1, 1.0, 4.0, 20.0},
       {-1.5342386513503667, 0.08825696421567696, -0.016940739325064992, 0.06264059680938383}},
      {"bessel_y1",
       &special::bessel_y1,
       {0.1, 1.0, 4.0, 20.0},
       {-6.4589510947020266, -0.7812128213002887, 0.3979257105571, -0.1655116143625213}},
      {"modified_bessel_i0",
       &special::modified_bessel_i0,
       {-3.0, 0.0, 0.5, 4.0, 15.0},
       {4.8807925858650245, 1.0, 1.0634833707413236, 11.30192195213633, 339649.3732979139}},
      {"modified_bessel_i1",
       &special::modified_bessel_i1,
       {-3.0, 0.0, 0.5, 4.0, 15.0},
       {-3.9533702174026093, 0.0, 0.2578943053908963, 9.75946515370445, 328124.9219702064}},
      {"modified_bessel_k0",
       &special::modified_bessel_k0,
       {0.01, 0.5, 1.9, 2.1, 8.0, 40.0},
       {4.721244730161095, 0.9244190712276659, 0.1288459792760475, 0.10078374088996693,
        0.0001464707052228154, 8.392861100099567e-19}},
      {"modified_bessel_k1",
       &special::modified_bessel_k1,
       {0.01, 0.5, 1.9, 2.1, 8.0, 40.0},
       {99.97389411829624, 1.656441120003301, 0.15966015303266762, 0.12274641153350789,
        0.00015536921180500115, 8.497131954861039e-19}},
      {"scaled_modified_bessel_k0",
       &special::scaled_modified_bessel_k0,
       {0.01, 0.5, 1.9, 2.1, 8.0, 400.0},
       {4.768694028544462, 1.5241093857739094, 0.8614506167517558, 0.8230171525316621,
        0.4366230186015861, 0.06264615129957811}},
      {"scaled_modified_bessel_k1",
       &special::scaled_modified_bessel_k1,
       {0.01, 0.5, 1.9, 2.1, 8.0, 400.0},
       {100.97864845824004, 2.731009708211786, 1.0674709298145701, 1.0023680527405792,
        0.4631490928704961, 0.06272441016827716}},
      {"spherical_bessel_j0",
       &special::spherical_bessel_j0,
       {-3.0, 0.0, 1e-05, 0.5, 20.0},
       {0.0470400026866224, 1.0, 0.9999999999833333, 0.958851077208406, 0.045647262536381385}},
      {"airy_ai",
       &special::airy_ai,
       {-20.0, -9.5, -8.7, -5.0, -2.5, -0.3, 0.0, 0.5, 1.9, 2.2, 5.0, 9.0},
       {-0.1764061270779847, 0.3191032477191282, -0.2692045407005097, 0.35076100902411433,
        -0.11232506769296609, 0.43090309528558085, 0.3550280538878172, 0.23169360648083348,
        0.0405944200315295, 0.025610404421773213, 0.00010834442813607442, 2.47116843087249e-09}},
  };
  for (const Row& row : rows)
    expect_near(row.name, row.f(values(row.at, kDouble)), row.expected, 1e-11);
  const double inf = INFINITY, nan = std::nan("");
  expect_values(special::bessel_y0(values({0})), {1}, {-inf});
  expect_values(special::modified_bessel_k1(values({0})), {1}, {inf});
  expect_values(special::ndtri(values({0, 1}, kDouble)), {2}, {-inf, inf});
  EXPECT_TRUE(special::ndtri(values({-0.1, 1.1, nan})).isnan().all().item<bool>());
  // Past the least double, and where the phase is past all digits.
  expect_values(special::airy_ai(values({110, 1e100, 1e300, inf, -1e300, -inf}, kDouble)), {6},
                {0, 0, 0, 0, 0, 0});
  EXPECT_TRUE(special::bessel_y1(values({-1})).isnan().item<bool>());
  EXPECT_TRUE(special::modified_bessel_k0(values({-1, nan})).isnan().all().item<bool>());
  EXPECT_TRUE(special::erfcx(values({nan})).isnan().item<bool>());
  expect_values(special::erfcx(values({inf, -inf})), {2}, {0, inf});
  EXPECT_EQ(special::i0e(values({2}, kLong)).scalar_type(), kFloat);
}

// Expected values are PyTorch 1.13's.
TEST(SpecialBessel, Polynomials) {
  struct Row {
    std::string name;
    Tensor (*f)(const Tensor&, const Tensor&);
    std::vector<double> expected;
  };
  const std::vector<Row> rows{
      {"chebyshev_polynomial_t",
       &special::chebyshev_polynomial_t,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -1.5,
        -0.4,
        0.3,
        0.9,
        2.0,
        -9.0,
        0.944,
        -0.792,
        0.2160000000000002,
        26.0,
        -2889.0,
        0.5329295360000004,
        0.3888276480000005,
        -0.6076892160000001,
        70226.0}},
      {"chebyshev_polynomial_u",
       &special::chebyshev_polynomial_u,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -3.0,
        -0.8,
        0.6,
        1.8,
        4.0,
        -21.0,
        1.088,
        -0.984,
        2.2320000000000007,
        56.0,
        -6765.0,
        0.9022238719999996,
        0.09908889600000047,
        -2.247455232,
        151316.0}},
      {"chebyshev_polynomial_v",
       &special::chebyshev_polynomial_v,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -4.0,
        -1.8,
        -0.4,
        0.8,
        3.0,
        -29.0,
        1.448,
        -0.344,
        -0.007999999999999821,
        41.0,
        -9349.0,
        1.825459712,
        1.064884736000001,
        -0.42549299200000085,
        110771.0}},
      {"chebyshev_polynomial_w",
       &special::chebyshev_polynomial_w,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -2.0,
        0.19999999999999996,
        1.6,
        2.8,
        5.0,
        -13.0,
        0.728,
        -1.624,
        4.472,
        71.0,
        -4181.0,
        -0.021011968000000072,
        -0.866706943999998,
        -4.069417471999999,
        191861.0}},
      {"shifted_chebyshev_polynomial_t",
       &special::shifted_chebyshev_polynomial_t,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -4.0,
        -1.8,
        -0.4,
        0.8,
        3.0,
        -244.0,
        -17.928,
        0.944,
        -0.3519999999999998,
        99.0,
        -58106404.0,
        -22995.398251008006,
        0.5329295360000004,
        0.8815431679999994,
        3880899.0}},
      {"shifted_chebyshev_polynomial_u",
       &special::shifted_chebyshev_polynomial_u,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -8.0,
        -3.6,
        -0.8,
        1.6,
        6.0,
        -496.0,
        -39.456,
        1.088,
        0.8960000000000005,
        204.0,
        -118118440.0,
        -50651.40235161601,
        0.9022238719999996,
        0.25207193599999794,
        7997214.0}},
      {"shifted_chebyshev_polynomial_v",
       &special::shifted_chebyshev_polynomial_v,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -9.0,
        -4.6,
        -1.8,
        0.6000000000000001,
        5.0,
        -559.0,
        -51.416,
        1.448,
        -0.6639999999999998,
        169.0,
        -133121449.0,
        -66015.849074176,
        1.825459712,
        1.038910976,
        6625109.0}},
      {"shifted_chebyshev_polynomial_w",
       &special::shifted_chebyshev_polynomial_w,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -7.0,
        -2.6,
        0.19999999999999996,
        2.6,
        7.0,
        -433.0,
        -27.496000000000006,
        0.728,
        2.4560000000000013,
        239.0,
        -103115431.0,
        -35286.955629056014,
        -0.021011968000000072,
        -0.5347671040000038,
        9369319.0}},
      {"hermite_polynomial_h",
       &special::hermite_polynomial_h,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -3.0,
        -0.8,
        0.6,
        1.8,
        4.0,
        -9.0,
        4.288,
        -3.384,
        -4.968,
        40.0,
        -2835.0,
        -7415.526883327999,
        7010.287658496,
        -7209.916780032002,
        46144.0}},
      {"hermite_polynomial_he",
       &special::hermite_polynomial_he,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -1.5,
        -0.4,
        0.3,
        0.9,
        2.0,
        1.125,
        1.1360000000000001,
        -0.873,
        -1.971,
        2.0,
        541.212890625,
        -301.171999744,
        250.390686483,
        138.33395208899998,
        -190.0}},
      {"laguerre_polynomial_l",
       &special::laguerre_polynomial_l,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        2.5,
        1.4,
        0.7,
        0.09999999999999998,
        -1.0,
        9.4375,
        2.4506666666666668,
        0.23050000000000007,
        -0.6064999999999999,
        -0.3333333333333333,
        138.25833783830916,
        8.521641716531928,
        -0.41794299755200853,
        0.15719056237522366,
        0.008112874779541467}},
      {"legendre_polynomial_p",
       &special::legendre_polynomial_p,
       {1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        -1.5,
        -0.4,
        0.3,
        0.9,
        2.0,
        -6.1875,
        0.43999999999999995,
        -0.3825,
        0.47250000000000014,
        17.0,
        -1165.556167602539,
        0.18876356,
        0.0637003817578125,
        -0.3695104859765628,
        27100.671875}},
  };
  const Tensor x = values({-1.5, -0.4, 0.3, 0.9, 2}, kDouble);
  const Tensor n = values({0, 1, 3, 9}, kLong).view({4, 1});
  for (const Row& row : rows) expect_near(row.name, row.f(x, n), row.expected, 1e-10);
  expect_near("T4", special::chebyshev_polynomial_t(x, 4),
              values_of(x.square() * x.square() * 8 - x.square() * 8 + 1), 1e-12);
  EXPECT_EQ(special::legendre_polynomial_p(0.5, values({2}, kDouble)).item<double>(), -0.125);
  expect_values(special::hermite_polynomial_h(values({2}), values({-1})), {1}, {0});
}

// Those of igamma and igammac were computed with 40 digits.
TEST(SpecialBessel, IncompleteGammaAndZeta) {
  const Tensor a = values({0.1, 0.5, 2.0, 5.0, 30.0, 200.0, 200.0, 1000.0, 0.0, 3.0}, kDouble);
  const Tensor x = values({0.05, 3.0, 1.0, 12.0, 25.0, 190.0, 230.0, 1100.0, 1.0, 0.0}, kDouble);
  expect_near(
      "igamma", igamma(a, x),
      {0.7755386354510305, 0.9856941215645704, 0.26424111765711533, 0.992399609318933,
       0.18210391597745512, 0.2433474271006238, 0.9796688566711638, 0.99894067674607, 1.0, 0.0},
      1e-11);
  expect_near("igammac", igammac(a, x),
              {0.22446136454896942, 0.01430587843542964, 0.7357588823428847, 0.007600390681066996,
               0.8178960840225449, 0.7566525728993762, 0.020331143328836235, 0.0010593232539299773,
               0.0, 1.0},
              1e-11);
  EXPECT_TRUE(igamma(values({-1}), values({1})).isnan().item<bool>());
  EXPECT_TRUE(special::gammaincc(values({0}), values({0})).isnan().item<bool>());
  expect_near("zeta",
              special::zeta(values({1.5, 2, 3.3, 1, 2, 3}, kDouble),
                            values({1, 0.25, 7, 2, -1.5, -2}, kDouble)),
              {2.612375348685488, 17.197329154507113, 0.005825839889780288, INFINITY,
               9.379246644989124, INFINITY},
              1e-12);
  EXPECT_NEAR(special::zeta(2, values({1}, kDouble)).item<double>(), kPi * kPi / 6, 1e-14);
  EXPECT_EQ(igamma(values({1}), values({1}, kDouble)).scalar_type(), kDouble);
  Tensor order = values({2}).requires_grad_();
  expect_error("derivative for aten::igamma is not implemented",
               [&] { igamma(order, values({1})).sum().backward(); });
}

TEST(Frexp, EqualsPyTorchs) {
  auto [m, e] = frexp(values({1, 0, -3.5, INFINITY, 1e-40}));
  expect_values(e, {5}, {1, 0, 2, 0, -132});
  EXPECT_EQ(e.scalar_type(), kInt);
  EXPECT_EQ(m[2].item<float>(), -0.875f);
  EXPECT_TRUE(std::isinf(m[3].item<float>()));
}

}  // namespace
}  // namespace torch::taper::testing
