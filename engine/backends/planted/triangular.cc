// SPDX-License-Identifier: Apache-2.0
//
// Rank-one updates, triangular products and solves, with one fault each, and those that are right
// in an unusual way.
#include <cmath>
#include <span>

#include "contracts/operator.h"
#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

Triangle TriangleOfCall(const AssayCall& call) {
  return TriangleOf(static_cast<OpId>(call.op),
                    std::span(call.attributes, static_cast<size_t>(call.attribute_count)));
}

// op(a) as it multiplies a column, so transposed where it stands on the right: elements in the
// triangle, and the diagonal as stored.
template <class Acc>
struct Matrix {
  Matrix(const AssayCall& call, const Triangle& how)
      : triangle(how), stored(ReadDense(call.operands[0])), order(call.operands[0].shape[0]) {}

  bool Holds(int64_t i, int64_t j) const {
    return triangle.right ? triangle.Holds(j, i) : triangle.Holds(i, j);
  }
  Acc Stored(int64_t i, int64_t j) const {
    const bool turned = triangle.transposed != triangle.right;
    return static_cast<Acc>(stored[static_cast<size_t>(turned ? j * order + i : i * order + j)]);
  }
  Acc At(int64_t i, int64_t j) const { return triangle.unit && i == j ? Acc{1} : Stored(i, j); }
  bool forward() const { return Holds(1, 0); }

  Triangle triangle;
  std::vector<double> stored;
  int64_t order;
};

// Calls change(matrix, side, alpha) for every column of b, or row where a stands on its right, as
// a vector of accumulators, and stores what it made of it.
template <class Change>
int32_t ForEachSide(const AssayCall& call, const Triangle& triangle, const Change& change) {
  const AssayTensor& b = call.operands[1];
  return WithAccumulator(TypeOf(b), [&](auto zero) {
    using Acc = decltype(zero);
    const Matrix<Acc> a(call, triangle);
    std::vector<double> values = ReadDense(b);
    const int64_t columns = b.ndim == 1 ? 1 : b.shape[1];
    const int64_t sides = triangle.right ? b.shape[0] : columns;
    std::vector<Acc> side(static_cast<size_t>(a.order));
    const auto at = [&](int64_t i, int64_t s) {
      return static_cast<size_t>(triangle.right ? s * columns + i : i * columns + s);
    };
    for (int64_t s = 0; s < sides; ++s) {
      for (int64_t i = 0; i < a.order; ++i) {
        side[static_cast<size_t>(i)] = static_cast<Acc>(values[at(i, s)]);
      }
      if (triangle.alpha == 0) {
        side.assign(side.size(), 0);
      } else {
        change(a, side, static_cast<Acc>(triangle.alpha));
      }
      for (int64_t i = 0; i < a.order; ++i) {
        values[at(i, s)] = static_cast<double>(side[static_cast<size_t>(i)]);
      }
    }
    WriteDense(b, values);
  });
}

template <class Change>
int32_t ForEachSide(const AssayCall& call, const Change& change) {
  return ForEachSide(call, TriangleOfCall(call), change);
}

// Each element of the product is sum(i): the order of its terms is the caller's.
template <class Acc, class Sum>
void Replace(std::vector<Acc>& side, Acc alpha, const Sum& sum) {
  std::vector<Acc> product(side.size());
  for (size_t i = 0; i < side.size(); ++i) product[i] = alpha * sum(static_cast<int64_t>(i));
  side = product;
}

// Row by row in the order of substitution: step(i, sum) turns what is left of b into x.
template <class Acc, class Step>
void Substitute(const Matrix<Acc>& a, std::vector<Acc>& x, Acc alpha, const Step& step) {
  for (int64_t s = 0; s < a.order; ++s) {
    const int64_t i = a.forward() ? s : a.order - 1 - s;
    Acc sum = alpha * x[static_cast<size_t>(i)];
    for (int64_t k = 0; k < a.order; ++k) {
      if (k != i && a.Holds(i, k)) sum -= a.At(i, k) * x[static_cast<size_t>(k)];
    }
    x[static_cast<size_t>(i)] = step(i, sum);
  }
}

}  // namespace

int32_t GerAlphaZeroReads(const AssayCall& call) {
  const View x(call.operands[0]), y(call.operands[1]), a(call.operands[2]);
  return WithAccumulator(a.type(), [&](auto zero) {
    using Acc = decltype(zero);
    const Acc alpha = static_cast<Acc>(call.attributes[0]);
    for (int64_t i = 0; i < a.extent(0); ++i) {
      for (int64_t j = 0; j < a.extent(1); ++j) {
        const Acc term = alpha * static_cast<Acc>(x.Get(i)) * static_cast<Acc>(y.Get(j));
        a.Set(i, j, static_cast<Acc>(a.Get(i, j)) + term);
      }
    }
  });
}

namespace {

// `touches(i, j)`: which elements of the other triangle are updated, too.
template <class Touches>
int32_t Symmetric(const AssayCall& call, const Touches& touches) {
  if (call.attributes[0] == 0) return ASSAY_OK;
  const View x(call.operands[0]), a(call.operands[1]);
  const bool upper = call.attributes[1] == 0;
  return WithAccumulator(a.type(), [&](auto zero) {
    using Acc = decltype(zero);
    const Acc alpha = static_cast<Acc>(call.attributes[0]);
    for (int64_t i = 0; i < a.extent(0); ++i) {
      for (int64_t j = 0; j < a.extent(1); ++j) {
        const bool held = upper ? i <= j : i >= j;
        if (!held && !touches(i, j)) continue;
        const Acc scaled = alpha * static_cast<Acc>(x.Get(i));
        const Acc result =
            std::fma(scaled, static_cast<Acc>(x.Get(j)), static_cast<Acc>(a.Get(i, j)));
        a.Set(i, j, result);
      }
    }
  });
}

}  // namespace

int32_t SyrWholeTail(const AssayCall& call) {
  constexpr int64_t kTile = 8;
  const int64_t body = call.operands[0].shape[0] / kTile * kTile;
  return Symmetric(call, [body](int64_t i, int64_t j) { return i >= body && j >= body; });
}

int32_t SyrFused(const AssayCall& call) {
  return Symmetric(call, [](int64_t, int64_t) { return false; });
}

int32_t TriangularMasked(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Replace(x, alpha, [&](int64_t i) {
      Acc sum = 0;
      for (int64_t k = 0; k < a.order; ++k) {
        const Acc mask = a.Holds(i, k) ? Acc{1} : Acc{0};
        sum += mask * a.At(i, k) * x[static_cast<size_t>(k)];
      }
      return sum;
    });
  });
}

int32_t TriangularUnitCorrected(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Replace(x, alpha, [&](int64_t i) {
      Acc sum = 0;
      for (int64_t k = 0; k < a.order; ++k) {
        if (a.Holds(i, k)) sum += a.Stored(i, k) * x[static_cast<size_t>(k)];
      }
      return a.triangle.unit ? sum + (1 - a.Stored(i, i)) * x[static_cast<size_t>(i)] : sum;
    });
  });
}

// The triangle of the transpose where only the lower one is stored, which the tame tests have not.
int32_t TriangularLowerUnturned(const AssayCall& call) {
  Triangle triangle = TriangleOfCall(call);
  if (!triangle.upper && triangle.transposed) {
    triangle.upper = true;
    triangle.transposed = false;
  }
  return ForEachSide(call, triangle, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Replace(x, alpha, [&](int64_t i) {
      Acc sum = 0;
      for (int64_t k = 0; k < a.order; ++k) {
        if (a.Holds(i, k)) sum += a.At(i, k) * x[static_cast<size_t>(k)];
      }
      return sum;
    });
  });
}

int32_t TriangularByColumns(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    std::vector<Acc> product(x.size());
    for (int64_t k = a.order - 1; k >= 0; --k) {
      const Acc scaled = alpha * x[static_cast<size_t>(k)];
      if (x[static_cast<size_t>(k)] == 0) continue;
      for (int64_t i = 0; i < a.order; ++i) {
        if (!a.Holds(i, k)) continue;
        Acc& sum = product[static_cast<size_t>(i)];
        sum = std::fma(a.At(i, k), scaled, sum);
      }
    }
    x = product;
  });
}

int32_t SolveMasked(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Substitute(a, x, alpha, [&](int64_t i, Acc sum) {
      for (int64_t k = 0; k < a.order; ++k) {
        if (!a.Holds(i, k)) sum += 0 * a.Stored(i, k);
      }
      return sum / a.At(i, i);
    });
  });
}

int32_t SolveUnitDivides(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Substitute(a, x, alpha, [&](int64_t i, Acc sum) {
      const Acc diagonal = a.Stored(i, i);
      return a.triangle.unit ? sum * diagonal / diagonal : sum / diagonal;
    });
  });
}

int32_t SolveRoughReciprocal(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Substitute(a, x, alpha, [&](int64_t i, Acc sum) {
      return sum * static_cast<Acc>(Round(Format::kHf32, 1 / static_cast<double>(a.At(i, i))));
    });
  });
}

int32_t SolveLowerUnturned(const AssayCall& call) {
  Triangle triangle = TriangleOfCall(call);
  if (!triangle.upper && triangle.transposed) {
    triangle.upper = true;
    triangle.transposed = false;
  }
  return ForEachSide(call, triangle, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Substitute(a, x, alpha, [&](int64_t i, Acc sum) { return sum / a.At(i, i); });
  });
}

int32_t SolveByReciprocal(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    Substitute(a, x, alpha, [&](int64_t i, Acc sum) { return sum * (1 / a.At(i, i)); });
  });
}

int32_t SolveByColumns(const AssayCall& call) {
  return ForEachSide(call, [](const auto& a, auto& x, auto alpha) {
    using Acc = decltype(alpha);
    for (Acc& value : x) value *= alpha;
    for (int64_t s = 0; s < a.order; ++s) {
      const int64_t k = a.forward() ? s : a.order - 1 - s;
      Acc& solved = x[static_cast<size_t>(k)];
      if (solved == 0) continue;
      solved /= a.At(k, k);
      for (int64_t i = 0; i < a.order; ++i) {
        if (i == k || !a.Holds(i, k)) continue;
        Acc& rest = x[static_cast<size_t>(i)];
        rest = std::fma(-a.At(i, k), solved, rest);
      }
    }
  });
}

}  // namespace assay::planted
