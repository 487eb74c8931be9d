// SPDX-License-Identifier: Apache-2.0
//
// The operators of BLAS on every library that has them, on small integers that every order of
// computing gets exactly right: layouts, increments and labels that an adapter can get wrong.
#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend.h"
#include "engine/backend_spec.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

const bool pinned = (PinLibraryEnvironment(), true);

using Numbers = std::vector<double>;

class BlasOperators : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(pinned);
    Result<std::unique_ptr<Backend>> opened = OpenBackend(GetParam());
    if (!opened.ok()) GTEST_SKIP() << opened.error().Text();
    backend_ = std::move(opened).value();
  }
  bool Takes(PlacedCall& call) {
    // BLIS reads beside operands, which other tests see.
    if (backend_->family() == "blis") call.SetSlack(64);
    return call.Supports(backend_->table());
  }
  Numbers OutputOf(PlacedCall& call) {
    EXPECT_EQ(call.Run(backend_->table()), ASSAY_OK);
    EXPECT_FALSE(call.result().guard.has_value());
    return call.Output();
  }
  std::unique_ptr<Backend> backend_;
};

TEST_P(BlasOperators, TakeVectorsWithTheIncrementsThatBlasDefines) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int64_t stride : {1, 3, -2}) {
      const bool forward = stride > 0;
      PlacedCall axpy(OpId::kAxpy, type, {3});
      axpy.Attribute(0, 2).Layout(0, {3}, {stride}).Layout(1, {3}, {-stride});
      ASSERT_TRUE(Takes(axpy));
      axpy.Place(0, {1, 2, 3}).Place(1, {10, 20, 30});
      EXPECT_EQ(OutputOf(axpy), Numbers({12, 24, 36}));
      PlacedCall scal(OpId::kScal, type, {3});
      scal.Attribute(0, -3).Layout(0, {3}, {stride});
      const bool reference = backend_->family() == "reference";
      EXPECT_EQ(Takes(scal), forward || reference) << stride;
      if (!forward) continue;
      scal.Place(0, {1, 2, 4});
      EXPECT_EQ(OutputOf(scal), Numbers({-3, -6, -12}));
    }
  }
}

TEST_P(BlasOperators, ReduceVectors) {
  struct Row {
    OpId op;
    double due;
  };
  // 3, -4, 12: 13^2 = 9 + 16 + 144.
  for (const Row& row : {Row{OpId::kNrm2, 13}, Row{OpId::kAsum, 19}, Row{OpId::kAmax, 2}}) {
    for (const DType type : {DType::kF32, DType::kF64}) {
      for (const int64_t stride : {1, 2}) {
        PlacedCall call(row.op, type, {3});
        call.Layout(0, {3}, {stride});
        ASSERT_TRUE(Takes(call));
        call.Place(0, {3, -4, 12}).Place(1, {-1});
        const double got = OutputOf(call)[0];
        // A root of an exact square may be off by its last place where it was scaled.
        EXPECT_NEAR(got, row.due, row.op == OpId::kNrm2 ? 1e-5 : 0);
      }
    }
  }
}

TEST_P(BlasOperators, MultiplyMatrixAndVectorInEveryOrder) {
  // y := 2 a x + 3 y, a = [1 2 3; 4 5 6].
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int trans : {0, 1}) {
      for (const Dims& strides : {Dims{3, 1}, Dims{7, 1}, Dims{1, 2}, Dims{1, 5}}) {
        for (const int64_t step : {1, -2}) {
          const int64_t rows = trans != 0 ? 3 : 2, columns = 5 - rows;
          PlacedCall call(OpId::kGemv, type, {rows, columns});
          call.Attribute(0, 2).Attribute(1, 3).Choice(2, trans);
          call.Layout(0, {2, 3}, strides);
          call.Layout(1, {columns}, {step}).Layout(2, {rows}, {-step});
          ASSERT_TRUE(Takes(call));
          call.Place(0, {1, 2, 3, 4, 5, 6});
          call.Place(1, trans != 0 ? Numbers{1, -1} : Numbers{1, 0, -1});
          call.Place(2, trans != 0 ? Numbers{1, 2, 3} : Numbers{1, 2});
          EXPECT_EQ(OutputOf(call), trans != 0 ? Numbers({-3, 0, 3}) : Numbers({-1, 2})) << trans;
        }
      }
    }
  }
}

TEST_P(BlasOperators, UpdateByRankOne) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const Dims& strides : {Dims{3, 1}, Dims{4, 1}, Dims{1, 2}}) {
      for (const int64_t step : {1, -1}) {
        PlacedCall ger(OpId::kGer, type, {2, 3});
        ger.Attribute(0, -1);
        ger.Layout(0, {2}, {step}).Layout(1, {3}, {-step}).Layout(2, {2, 3}, strides);
        ASSERT_TRUE(Takes(ger));
        ger.Place(0, {1, 2}).Place(1, {3, 4, 5}).Place(2, {1, 1, 1, 1, 1, 1});
        EXPECT_EQ(OutputOf(ger), Numbers({-2, -3, -4, -5, -7, -9}));
      }
    }
    for (const Dims& strides : {Dims{2, 1}, Dims{1, 3}}) {
      for (const int lower : {0, 1}) {
        PlacedCall syr(OpId::kSyr, type, {2});
        syr.Attribute(0, 2).Choice(1, lower).Layout(0, {2}, {-3}).Layout(1, {2, 2}, strides);
        ASSERT_TRUE(Takes(syr));
        syr.Place(0, {1, 3}).Place(1, {10, 20, 30, 40});
        EXPECT_EQ(OutputOf(syr),
                  lower != 0 ? Numbers({12, 20, 36, 58}) : Numbers({12, 26, 30, 58}));
      }
    }
  }
}

// A triangular matrix with 2 or -1 on the diagonal, and op of it written out in full. What must not
// be read holds NaN.
struct Triangles {
  Triangles(int order, bool lower, bool turned, bool unit) {
    stored.resize(static_cast<size_t>(order * order));
    full.resize(stored.size());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i < order; ++i) {
      for (int j = 0; j < order; ++j) {
        const bool held = (lower ? i >= j : i <= j) && !(unit && i == j);
        const double value = i == j ? (i % 2 == 0 ? 2 : -1) : (3 * i + 5 * j) % 7 - 3;
        stored[static_cast<size_t>(i * order + j)] = held ? value : nan;
        const double read = held ? value : unit && i == j ? 1 : 0;
        full[static_cast<size_t>(turned ? j * order + i : i * order + j)] = read;
      }
    }
  }
  Numbers stored, full;
};

Numbers Product(const Numbers& a, const Numbers& b, int m, int k, int n) {
  Numbers c(static_cast<size_t>(m * n));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int p = 0; p < k; ++p) {
        c[static_cast<size_t>(i * n + j)] +=
            a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
      }
    }
  }
  return c;
}

TEST_P(BlasOperators, MultiplyAndSolveWithTrianglesAndVectors) {
  constexpr int kOrder = 5;
  const Numbers x = {1, -2, 3, 0, 2};
  for (int labels = 0; labels < 8; ++labels) {
    const Triangles a(kOrder, labels & 1, labels & 2, labels & 4);
    const Numbers product = Product(a.full, x, kOrder, kOrder, 1);
    for (const DType type : {DType::kF32, DType::kF64}) {
      for (const Dims& strides : {Dims{5, 1}, Dims{1, 5}, Dims{8, 1}, Dims{1, 6}}) {
        for (const bool solves : {false, true}) {
          PlacedCall call(solves ? OpId::kTrsv : OpId::kTrmv, type, {kOrder});
          for (int i = 0; i < 3; ++i) call.Choice(i, labels >> i & 1);
          call.Layout(0, {kOrder, kOrder}, strides).Layout(1, {kOrder}, {labels % 3 == 0 ? -2 : 1});
          ASSERT_TRUE(Takes(call));
          call.Place(0, a.stored).Place(1, solves ? product : x);
          EXPECT_EQ(OutputOf(call), solves ? x : product) << labels << " " << solves;
        }
      }
    }
  }
}

TEST_P(BlasOperators, MultiplyAndSolveWithTrianglesAndMatrices) {
  const Numbers x = {1, -2, 3, 0, 2, 4, -1, 1, 2, -3, 0, 5};
  for (int labels = 0; labels < 16; ++labels) {
    const bool right = labels & 1;
    const int m = 3, n = 4, order = right ? n : m;
    const Triangles a(order, labels & 2, labels & 4, labels & 8);
    Numbers product = right ? Product(x, a.full, m, n, n) : Product(a.full, x, m, m, n);
    for (const DType type : {DType::kF32, DType::kF64}) {
      for (const Dims& a_strides : {Dims{order, 1}, Dims{1, order + 2}}) {
        for (const Dims& b_strides : {Dims{n, 1}, Dims{n + 3, 1}, Dims{1, m}}) {
          for (const bool solves : {false, true}) {
            PlacedCall call(solves ? OpId::kTrsm : OpId::kTrmm, type, {m, n});
            call.Attribute(0, solves ? 0.5 : 2);
            for (int i = 0; i < 4; ++i) call.Choice(i + 1, labels >> i & 1);
            call.Layout(0, {order, order}, a_strides).Layout(1, {m, n}, b_strides);
            ASSERT_TRUE(Takes(call));
            Numbers doubled = product;
            for (double& value : doubled) value *= 2;
            call.Place(0, a.stored).Place(1, solves ? doubled : x);
            EXPECT_EQ(OutputOf(call), solves ? x : doubled) << labels << " " << solves;
          }
        }
      }
    }
  }
}

// (1 + 2i), (3 - i), (-1 + i)
const Numbers kNumbers = {1, 2, 3, -1, -1, 1};

TEST_P(BlasOperators, ScaleAndPairComplexVectors) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int64_t step : {2, 6, -4}) {
      for (const int64_t other : {step, -step}) {
        for (const int conjugates : {0, 1}) {
          // OpenBLAS 0.3.21 reads outside of vectors whose increment is not 1.
          if (backend_->family() == "openblas" && (step != 2 || other != 2)) continue;
          PlacedCall dot(OpId::kComplexDot, type, {3});
          dot.Choice(0, conjugates).Layout(0, {3, 2}, {step, 1}).Layout(1, {3, 2}, {other, 1});
          ASSERT_TRUE(Takes(dot));
          dot.Place(0, kNumbers).Place(1, {1, 0, 0, 1, 2, 2}).Place(2, {-7, -7});
          // (1 + 2i) + (1 + 3i) - 4, and (1 - 2i) + (-1 + 3i) - 4i
          EXPECT_EQ(OutputOf(dot), conjugates != 0 ? Numbers({0, -3}) : Numbers({-2, 5}));
        }
      }
      if (step < 0) continue;
      PlacedCall scal(OpId::kComplexScal, type, {3});
      scal.Attribute(0, 2).Attribute(1, 1).Layout(0, {3, 2}, {step, 1});
      ASSERT_TRUE(Takes(scal));
      scal.Place(0, kNumbers);
      EXPECT_EQ(OutputOf(scal), Numbers({0, 5, 7, 1, -3, 1}));
    }
  }
}

TEST_P(BlasOperators, MultiplyComplexMatrixAndVectorInEveryOrder) {
  // a = [1+i, 2; -i, 3-2i], x = (1, i); alpha = 1 - i, beta = 2i, y = (1, 1).
  const Numbers due[] = {// a x = (1+3i, 2+2i), a^T x = (2+i, 4+3i), a^H x = (-i, 3i)
                         {4, 4, 4, 2},
                         {3, 1, 7, 1},
                         {-1, 1, 3, 5}};
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (int trans = 0; trans < 3; ++trans) {
      for (const Dims& strides : {Dims{4, 2, 1}, Dims{10, 2, 1}, Dims{2, 6, 1}}) {
        PlacedCall call(OpId::kComplexGemv, type, {2, 2});
        call.Attribute(0, 1).Attribute(1, -1).Attribute(3, 2).Choice(4, trans);
        call.Layout(0, {2, 2, 2}, strides).Layout(1, {2, 2}, {-2, 1}).Layout(2, {2, 2}, {4, 1});
        ASSERT_TRUE(Takes(call));
        call.Place(0, {1, 1, 2, 0, 0, -1, 3, -2}).Place(1, {1, 0, 0, 1}).Place(2, {1, 0, 1, 0});
        EXPECT_EQ(OutputOf(call), due[trans]) << trans;
      }
    }
  }
}

TEST_P(BlasOperators, RefuseWhatBlasCannotSay) {
  if (backend_->family() == "reference") return;
  std::string reason;
  PlacedCall narrow(OpId::kScal, DType::kF16, {3});
  EXPECT_FALSE(narrow.Supports(backend_->table(), &reason));
  EXPECT_EQ(reason, "BLAS takes operands of f64 or of f32 only");
  PlacedCall broadcast(OpId::kAxpy, DType::kF32, {3});
  broadcast.Layout(0, {3}, {0});
  EXPECT_FALSE(broadcast.Supports(backend_->table(), &reason));
  EXPECT_EQ(reason, "BLAS does not define an increment of 0");
  PlacedCall apart(OpId::kComplexScal, DType::kF32, {2});
  apart.Layout(0, {2, 2}, {1, 2});
  EXPECT_FALSE(apart.Supports(backend_->table(), &reason));
  EXPECT_EQ(reason, "the parts of a complex number must lie beside each other");
  apart.Layout(0, {2, 2}, {3, 1});
  EXPECT_FALSE(apart.Supports(backend_->table(), &reason));
  PlacedCall empty(OpId::kAmax, DType::kF32, {0});
  EXPECT_FALSE(empty.Supports(backend_->table(), &reason));
  PlacedCall spread(OpId::kTrmv, DType::kF32, {2});
  spread.Layout(0, {2, 2}, {6, 2});
  EXPECT_FALSE(spread.Supports(backend_->table(), &reason));
}

INSTANTIATE_TEST_SUITE_P(Library, BlasOperators,
                         testing::Values("reference", "openblas", "openblas#core=SkylakeX",
                                         "openblas#core=Haswell", "openblas#core=Nehalem", "blis",
                                         "netlib", "atlas", "gsl"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name;
                           for (const char* c = info.param; *c != 0; ++c) {
                             name += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace assay
