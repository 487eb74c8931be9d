// SPDX-License-Identifier: Apache-2.0
//
// Enclosures of linear operators on generated cases hold what MPFR computes from the operator's
// definition, written here a second time, element by element.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_sum.h"

namespace assay::fixtures {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBf16};

// A definition: calls `add(a, b)` for every product of output `at`, gives what the sum is divided
// by.
using Products = std::function<void(double, double)>;
using Definition = std::function<double(const Values&, int64_t at, const Products& add)>;

double Draw(DType type, int spread, Random& random) {
  if (random.Below(6) == 0) return 0;
  const FormatInfo& format = InfoOf(FormatOf(type));
  switch (spread) {
    case 0:
      return random.Scaled(-3, 3);
    case 1:
      return random.Scaled(format.min_exponent * 2 / 5, format.max_exponent * 2 / 5);
    default:
      return random.Scaled(format.min_exponent - format.precision, format.min_exponent / 2);
  }
}

void FillAll(Fixture& fixture, Random& random) {
  const int spread = random.Below(3);
  for (size_t i = 0; i < fixture.values.operands.size(); ++i) {
    const OperandValues& operand = fixture.values.operands[i];
    if (!IsFloat(operand.dtype)) continue;
    std::vector<double> reals;
    for (int64_t at = 0; at < operand.count; ++at) {
      reals.push_back(Draw(operand.dtype, spread, random));
    }
    fixture.SetReal(static_cast<int>(i), reals);
  }
}

// hi + lo encloses (sum a b) / divisor: sum = divisor (hi + lo) within divisor radius.
void ExpectEnclosed(const Evidence& evidence, int64_t at, double divisor, MpfrSum& sum) {
  ASSERT_TRUE(evidence.legal[at] & kClassByValue);
  sum.AddProduct(-evidence.hi[at], divisor);
  sum.AddProduct(-evidence.lo[at], divisor);
  const double reach = std::nextafter(evidence.radius[at] * std::fabs(divisor), kInf);
  // Beyond 2^-1000 the referee's conversion to double loses nothing that counts.
  const double rest = std::fabs(sum.Nearest());
  ASSERT_LE(rest * (1 - 0x1p-50), reach)
      << "output " << at << ": " << evidence.hi[at] << " + " << evidence.lo[at] << " +- "
      << evidence.radius[at] << ", divided by " << divisor;
}

void Check(Fixture& fixture, const Definition& definition, Random& random) {
  FillAll(fixture, random);
  MpfrSum sum, size;
  for (const bool highest : {false, true}) {
    const Evidence& evidence = highest ? fixture.MeasureHighest() : fixture.Measure();
    ASSERT_EQ(evidence.count, fixture.values.operands.back().count);
    for (int64_t at = 0; at < evidence.count; ++at) {
      sum.Clear();
      size.Clear();
      double count = 0;
      const double divisor = definition(fixture.values, at, [&](double a, double b) {
        sum.AddProduct(a, b);
        size.AddProduct(std::fabs(a), std::fabs(b));
        count += a != 0 && b != 0 ? 1 : 0;
      });
      ExpectEnclosed(evidence, at, divisor, sum);
      if (::testing::Test::HasFatalFailure()) return;
      const double abs_sum = QuantityOf(evidence, Quantity::kAbsSum, at) * std::fabs(divisor);
      ASSERT_GE(abs_sum * (1 + 0x1p-50), size.Nearest());
      ASSERT_LE(abs_sum, size.Nearest() * (1 + 0x1p-39) + 0x1p-1060);
      ASSERT_EQ(QuantityOf(evidence, Quantity::kNonZeros, at), count);
    }
  }
}

void Repeat(int times, const std::function<void(DType, Random&)>& body) {
  Random random(7);
  for (int i = 0; i < times && !::testing::Test::HasFatalFailure(); ++i) {
    body(kTypes[i % 4], random);
  }
}

TEST(LinearTiers, EncloseGemvAndBatchedGemm) {
  Repeat(120, [](DType type, Random& random) {
    const int64_t m = random.Between(1, 5), k = random.Between(1, 40);
    Fixture gemv(OpId::kGemv, type, {m, k});
    const bool t = random.Below(2) == 1;
    gemv.source.attributes[kGemmTransA].choice = t ? 1 : 0;
    gemv.Reset({m, k});
    Check(
        gemv,
        [=](const Values& values, int64_t at, const Products& add) {
          for (int64_t p = 0; p < k; ++p) {
            add(values.operands[0].real[t ? p * m + at : at * k + p], values.operands[1].real[p]);
          }
          return 1.0;
        },
        random);
    const int64_t batch = random.Between(1, 3), n = random.Between(1, 10);
    Fixture batched(OpId::kBatchedGemm, type, {batch, m, n, k});
    Check(
        batched,
        [=](const Values& values, int64_t at, const Products& add) {
          const int64_t b = at / (m * n), i = at / n % m, j = at % n;
          for (int64_t p = 0; p < k; ++p) {
            add(values.operands[0].real[(b * m + i) * k + p],
                values.operands[1].real[(b * k + p) * n + j]);
          }
          return 1.0;
        },
        random);
  });
}

TEST(LinearTiers, EncloseMeanAsumAndCumsum) {
  Repeat(200, [](DType type, Random& random) {
    const int64_t n = random.Below(8) == 0 ? random.Between(200, 400) : random.Between(1, 30);
    Fixture mean(OpId::kMean, type, {n});
    Check(
        mean,
        [=](const Values& values, int64_t, const Products& add) {
          for (const double x : values.operands[0].real) add(x, 1);
          return static_cast<double>(n);
        },
        random);
    Fixture asum(OpId::kAsum, type, {n});
    Check(
        asum,
        [](const Values& values, int64_t, const Products& add) {
          for (const double x : values.operands[0].real) add(std::fabs(x), 1);
          return 1.0;
        },
        random);
    Fixture cumsum(OpId::kCumsum, type, {std::min<int64_t>(n, 60)});
    Check(
        cumsum,
        [](const Values& values, int64_t at, const Products& add) {
          for (int64_t i = 0; i <= at; ++i) add(values.operands[0].real[i], 1);
          return 1.0;
        },
        random);
  });
}

TEST(LinearTiers, EncloseScalAndAxpy) {
  Repeat(200, [](DType type, Random& random) {
    const int64_t n = random.Between(1, 20);
    Fixture scal(OpId::kScal, type, {n});
    scal.source.attributes[0].real = random.Scaled(-4, 4);
    const double alpha = ScalarAttribute(scal.source, 0);
    Check(
        scal,
        [=](const Values& values, int64_t at, const Products& add) {
          add(values.operands[0].real[at], alpha);
          return 1.0;
        },
        random);
  });
  // The addend y of axpy is no product: only x counts.
  Repeat(200, [](DType type, Random& random) {
    Fixture axpy(OpId::kAxpy, type, {7});
    axpy.source.attributes[0].real = random.Scaled(-4, 4);
    const double alpha = ScalarAttribute(axpy.source, 0);
    FillAll(axpy, random);
    const Evidence& evidence = axpy.Measure();
    for (int64_t at = 0; at < 7; ++at) {
      MpfrSum sum;
      sum.AddProduct(axpy.values.operands[0].real[at], alpha);
      sum.AddProduct(axpy.values.operands[1].real[at], 1);
      ASSERT_TRUE(sum.Encloses(evidence.hi[at], evidence.lo[at], evidence.radius[at]));
    }
  });
}

TEST(LinearTiers, EncloseConvolutions) {
  Repeat(80, [](DType type, Random& random) {
    const NamedDims dims{random.Between(1, 2), random.Between(1, 3), random.Between(3, 6),
                         random.Between(3, 6), random.Between(1, 4), random.Between(1, 2),
                         random.Between(1, 3)};
    Fixture conv(OpId::kConv2d, type, dims);
    const int64_t stride = random.Between(1, 2), padding = random.Between(0, 2);
    const int64_t dilation = random.Between(1, 2);
    conv.source.attributes[kConvStride].real = static_cast<double>(stride);
    conv.source.attributes[kConvPadding].real = static_cast<double>(padding);
    conv.source.attributes[kConvDilation].real = static_cast<double>(dilation);
    if (dims[3] + 2 * padding < dilation * (dims[6] - 1) + 1) return;
    conv.Reset(dims);
    Check(
        conv,
        [=](const Values& values, int64_t at, const Products& add) {
          const Dims& out = values.operands[2].shape;
          const int64_t ox = at % out[3], oy = at / out[3] % out[2],
                        f = at / (out[2] * out[3]) % out[1];
          const int64_t b = at / (out[1] * out[2] * out[3]);
          for (int64_t c = 0; c < dims[1]; ++c) {
            for (int64_t i = 0; i < dims[5]; ++i) {
              for (int64_t j = 0; j < dims[6]; ++j) {
                const int64_t y = oy * stride + i * dilation - padding;
                const int64_t x = ox * stride + j * dilation - padding;
                if (y < 0 || x < 0 || y >= dims[2] || x >= dims[3]) continue;
                add(values.operands[0].real[((b * dims[1] + c) * dims[2] + y) * dims[3] + x],
                    values.operands[1].real[((f * dims[1] + c) * dims[5] + i) * dims[6] + j]);
              }
            }
          }
          return 1.0;
        },
        random);
  });
}

TEST(LinearTiers, EncloseAveragePools) {
  Repeat(120, [](DType type, Random& random) {
    const int64_t window = random.Between(1, 3), stride = random.Between(1, 3);
    const int64_t padding = random.Between(0, static_cast<int>(window / 2));
    const NamedDims dims{random.Between(1, 2), random.Between(1, 2), random.Between(3, 7),
                         random.Between(3, 7)};
    Fixture pool(OpId::kAvgPool, type, dims);
    const bool all = random.Below(2) == 1;
    pool.source.attributes[kPoolWindow].real = static_cast<double>(window);
    pool.source.attributes[kPoolStride].real = static_cast<double>(stride);
    pool.source.attributes[kPoolPadding].real = static_cast<double>(padding);
    pool.source.attributes[kPoolCount].choice = all ? 1 : 0;
    pool.Reset(dims);
    Check(
        pool,
        [=](const Values& values, int64_t at, const Products& add) {
          const Dims& out = values.operands[1].shape;
          const int64_t plane = at / (out[2] * out[3]), oy = at / out[3] % out[2], ox = at % out[3];
          double count = 0;
          for (int64_t y = oy * stride - padding; y < oy * stride - padding + window; ++y) {
            for (int64_t x = ox * stride - padding; x < ox * stride - padding + window; ++x) {
              const bool inside = y >= 0 && x >= 0 && y < dims[2] && x < dims[3];
              count += inside || all ? 1 : 0;
              if (inside) add(values.operands[0].real[(plane * dims[2] + y) * dims[3] + x], 1);
            }
          }
          return count;
        },
        random);
  });
}

TEST(LinearTiers, EncloseScattersAndCollectives) {
  Repeat(120, [](DType type, Random& random) {
    const int64_t rows = random.Between(1, 4), columns = random.Between(1, 3);
    const int64_t count = random.Between(0, 12);
    Fixture scatter(OpId::kScatterAdd, type, {rows, columns, count});
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < count; ++i) indices.push_back(random.Below(static_cast<int>(rows)));
    scatter.SetInteger(1, indices);
    Check(
        scatter,
        [=](const Values& values, int64_t at, const Products& add) {
          add(values.operands[2].real[at], 1);
          for (int64_t i = 0; i < count; ++i) {
            if (values.operands[1].integer[i] != at / columns) continue;
            add(values.operands[0].real[i * columns + at % columns], 1);
          }
          return 1.0;
        },
        random);
    const int64_t ranks = random.Between(1, 9), n = random.Between(1, 5);
    const bool mean = random.Below(2) == 1;
    const double divisor = mean ? static_cast<double>(ranks) : 1;
    Fixture reduce(OpId::kAllReduce, type, {ranks, n});
    reduce.source.attributes[kCollectiveReduction].choice = mean ? 1 : 0;
    Check(
        reduce,
        [=](const Values& values, int64_t at, const Products& add) {
          for (int64_t r = 0; r < ranks; ++r) add(values.operands[0].real[r * n + at % n], 1);
          return divisor;
        },
        random);
    Fixture parts(OpId::kReduceScatter, type, {ranks, n});
    parts.source.attributes[kCollectiveReduction].choice = mean ? 1 : 0;
    Check(
        parts,
        [=](const Values& values, int64_t at, const Products& add) {
          for (int64_t r = 0; r < ranks; ++r) {
            add(values.operands[0].real[(r * ranks + at / n) * n + at % n], 1);
          }
          return divisor;
        },
        random);
  });
}

TEST(LinearTiers, EncloseScaledGradients) {
  Repeat(160, [](DType, Random& random) {
    const int64_t m = random.Between(1, 9), n = random.Between(1, 3), k = random.Between(0, 4);
    Fixture gradient(OpId::kScaledGradient, DType::kF32, {m, n, k});
    const Format store = random.Below(2) == 0 ? Format::kF16 : Format::kBf16;
    gradient.source.attributes[kGradientStore].choice = store == Format::kF16 ? 0 : 1;
    gradient.source.attributes[kGradientScale].real =
        random.Below(2) == 0 ? std::ldexp(-1, random.Between(-8, 2)) : random.Scaled(-8, 2);
    const double scale = ScalarAttribute(gradient.source, kGradientScale);
    FillAll(gradient, random);
    std::vector<double> dy;
    for (int64_t i = 0; i < m * n; ++i) dy.push_back(random.Scaled(-12, 10));
    gradient.SetReal(0, dy);
    const Evidence& evidence = gradient.Measure();
    for (int64_t at = 0; at < n * (k + 1); ++at) {
      const int64_t row = at / (k + 1), column = at % (k + 1);
      MpfrSum sum;
      for (int64_t i = 0; i < m; ++i) {
        const double x = column == k ? 1 : gradient.values.operands[1].real[i * k + column];
        const double product = scale * gradient.values.operands[0].real[i * n + row];
        sum.AddProduct(Round(store, Round(Format::kF32, product)), x);
      }
      ExpectEnclosed(evidence, at, scale, sum);
    }
  });
}

}  // namespace
}  // namespace assay::fixtures
