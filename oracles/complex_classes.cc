// SPDX-License-Identifier: Apache-2.0
#include "oracles/complex_classes.h"

#include <cmath>
#include <complex>

#include "oracles/enclosure.h"
#include "oracles/evidence_columns.h"
#include "oracles/signs.h"

namespace assay {
namespace {

using namespace signs;
using Complex = std::complex<double>;

// What the two parts may be.
struct Pair {
  Signs real = kNull, imaginary = kNull;
};

constexpr Signs kInfinite = kPlusInf | kMinusInf;

Pair PairOf(const Complex& z) { return {SignOf(z.real()), SignOf(z.imag())}; }
Pair Sum(const Pair& a, const Pair& b) {
  return {Plus(a.real, b.real), Plus(a.imaginary, b.imaginary)};
}
Pair Either(const Pair& a, const Pair& b) {
  return {static_cast<Signs>(a.real | b.real), static_cast<Signs>(a.imaginary | b.imaginary)};
}

Pair Product(const Pair& a, const Pair& b) {
  Pair product = {Minus(Times(a.real, b.real), Times(a.imaginary, b.imaginary)),
                  Plus(Times(a.real, b.imaginary), Times(a.imaginary, b.real))};
  const bool infinite = ((a.real | a.imaginary | b.real | b.imaginary) & kInfinite) != 0;
  const bool recovers = infinite && (product.real & product.imaginary & kNot) != 0;
  if (recovers) product = Either(product, {kInfinite, kInfinite});
  return product;
}

// The ways to multiply by a scalar.
Pair Scaled(const Complex& scalar, const Pair& z) {
  Pair product = Product(PairOf(scalar), z);
  if (scalar.imag() != 0) return product;
  const Signs real = SignOf(scalar.real());
  product = Either(product, {Times(real, z.real), Times(real, z.imaginary)});
  return scalar == 1.0 ? Either(product, z) : product;
}

Pair SumOfProductPairs(const ComplexTerms& terms, bool alpha_first) {
  Pair sum;
  for (size_t k = 0; k < terms.a.size(); ++k) {
    const Pair a = PairOf(terms.a[k]), b = PairOf(terms.b[k]);
    Pair term = terms.a_is_scalar ? Scaled(terms.a[k], b) : Product(a, b);
    if (alpha_first) {
      term = Either(Product(a, Scaled(terms.alpha, b)), Product(Scaled(terms.alpha, a), b));
    }
    sum = k == 0 ? term : Sum(sum, term);
  }
  return sum;
}

// c as it is added: skipped for beta = 0.
Pair ScaledAddend(const ComplexTerms& terms) {
  if (terms.beta == 0.0) return {};
  return Scaled(terms.beta, PairOf(terms.c));
}

bool IsFinite(const Complex& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

void Store(const Pair& pair, int64_t index, Evidence& evidence) {
  const Signs parts[] = {pair.real, pair.imaginary};
  for (int part = 0; part < 2; ++part) {
    const int64_t at = 2 * index + part;
    StoreTruth({0, 0, 0}, at, evidence);
    StoreClasses(ClassesOf(parts[part]), at, evidence);
  }
}

}  // namespace

void StoreSpecialAnswer(const ComplexTerms& terms, int64_t index, Evidence& evidence) {
  if (!IsFinite(terms.alpha) || !IsFinite(terms.beta)) {
    for (int part = 0; part < 2; ++part) {
      StoreTruth({0, 0, 0}, 2 * index + part, evidence);
      evidence.legal[2 * index + part] = kAnyClass | kClassByValue;
    }
    return;
  }
  Pair sum = SumOfProductPairs(terms, /*alpha_first=*/false);
  if (terms.scaled) {
    const Pair first = SumOfProductPairs(terms, /*alpha_first=*/true);
    sum = Either(Scaled(terms.alpha, sum), first);
  }
  if (terms.a.empty()) return Store(ScaledAddend(terms), index, evidence);
  Store(terms.beta == 0.0 ? sum : Sum(sum, ScaledAddend(terms)), index, evidence);
}

void StoreScaledAddend(const ComplexTerms& terms, int64_t index, Evidence& evidence) {
  if (terms.beta != 0.0) return;
  for (int part = 0; part < 2; ++part) StoreClasses(kClassZero, 2 * index + part, evidence);
}

}  // namespace assay
