// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the opencl backend, built once with REAL float and once with REAL double. Operands
// are a pointer, the place of element 0 and a stride per axis, all in elements. Groups are GROUP
// work-items, or TILE by TILE.
#define TILE 8
#define GROUP 64

// Declared NaN policy: a NaN operand is the answer. +0 is above -0.
REAL larger(REAL a, REAL b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
REAL smaller(REAL a, REAL b) {
  if (isnan(a) || isnan(b)) return isnan(a) ? a : b;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}

// c := alpha a b + beta c, where a factor of zero leaves what it multiplies unread.
#define GEMM_ARGUMENTS                                                                           \
  long m, long n, long k, REAL alpha, REAL beta, __global const REAL *a, long a0, long ar,       \
      long ac, __global const REAL *b, long b0, long br, long bc, __global REAL *c, long c0,     \
      long cr, long cc

void store(REAL alpha, REAL sum, REAL beta, __global REAL *place) {
  REAL answer = alpha == 0 ? 0 : alpha * sum;
  if (beta != 0) answer += beta * *place;
  *place = answer;
}

__kernel void gemm_naive(GEMM_ARGUMENTS) {
  const long i = get_global_id(0), j = get_global_id(1);
  if (i >= m || j >= n) return;
  REAL sum = 0;
  for (long l = 0; l < k; ++l) sum += a[a0 + i * ar + l * ac] * b[b0 + l * br + j * bc];
  store(alpha, sum, beta, c + (c0 + i * cr + j * cc));
}

__kernel void gemm_tiled(GEMM_ARGUMENTS) {
  __local REAL left[TILE][TILE], right[TILE][TILE];
  const long i = get_global_id(0), j = get_global_id(1);
  const int x = get_local_id(0), y = get_local_id(1);
  REAL sum = 0;
  for (long l = 0; l < k; l += TILE) {
    left[x][y] = i < m && l + y < k ? a[a0 + i * ar + (l + y) * ac] : 0;
    right[x][y] = j < n && l + x < k ? b[b0 + (l + x) * br + j * bc] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // The last tile stops at k: a padding zero times an infinity would be a NaN.
    const int depth = k - l < TILE ? (int)(k - l) : TILE;
    for (int d = 0; d < depth; ++d) sum += left[x][d] * right[d][y];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < m && j < n) store(alpha, sum, beta, c + (c0 + i * cr + j * cc));
}

// Each work-item folds every GROUPth element, then a tree folds the work-items. `cells` ends with
// the result in place 0.
#define FOLD(cells, item, join)                                       \
  barrier(CLK_LOCAL_MEM_FENCE);                                       \
  for (int width = GROUP / 2; width > 0; width /= 2) {                \
    if (item < width) cells[item] = join(cells[item], cells[item + width]); \
    barrier(CLK_LOCAL_MEM_FENCE);                                     \
  }
#define PLUS(p, q) ((p) + (q))
#define TIMES(p, q) ((p) * (q))

#define REDUCE(name, start, load, join, finish)                                               \
  __kernel void name(long n, __global const REAL *x, long x0, long xs, __global REAL *out,    \
                     long o0) {                                                               \
    __local REAL cells[GROUP];                                                                \
    const int item = get_local_id(0);                                                         \
    REAL mine = start;                                                                        \
    for (long i = item; i < n; i += GROUP) mine = join(mine, load(x[x0 + i * xs]));           \
    cells[item] = mine;                                                                       \
    FOLD(cells, item, join)                                                                   \
    if (item == 0) out[o0] = finish(cells[0]);                                                \
  }
#define ITSELF(v) (v)
#define OVER_N(v) ((v) / (REAL)n)
REDUCE(sum, 0, ITSELF, PLUS, ITSELF)
REDUCE(mean, 0, ITSELF, PLUS, OVER_N)
REDUCE(asum, 0, fabs, PLUS, ITSELF)
REDUCE(prod, 1, ITSELF, TIMES, ITSELF)
REDUCE(max_of, -INFINITY, ITSELF, larger, ITSELF)
REDUCE(min_of, INFINITY, ITSELF, smaller, ITSELF)

__kernel void dot_of(long n, __global const REAL *x, long x0, long xs, __global const REAL *y,
                     long y0, long ys, __global REAL *out, long o0) {
  __local REAL cells[GROUP];
  const int item = get_local_id(0);
  REAL mine = 0;
  for (long i = item; i < n; i += GROUP) mine += x[x0 + i * xs] * y[y0 + i * ys];
  cells[item] = mine;
  FOLD(cells, item, PLUS)
  if (item == 0) out[o0] = cells[0];
}

// One group a row: the maximum, the sum of exponentials, the answers.
#define ROWS(name, answer)                                                                     \
  __kernel void name(long n, __global const REAL *x, long x0, long xr, long xs,                \
                     __global REAL *out, long o0, long or_, long os) {                         \
    __local REAL cells[GROUP];                                                                 \
    const int item = get_local_id(0);                                                          \
    const long row = get_group_id(0);                                                          \
    x += x0 + row * xr;                                                                        \
    out += o0 + row * or_;                                                                     \
    REAL mine = -INFINITY;                                                                     \
    for (long i = item; i < n; i += GROUP) mine = larger(mine, x[i * xs]);                     \
    cells[item] = mine;                                                                        \
    FOLD(cells, item, larger)                                                                  \
    const REAL top = cells[0];                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    mine = 0;                                                                                  \
    for (long i = item; i < n; i += GROUP) mine += exp(x[i * xs] - top);                       \
    cells[item] = mine;                                                                        \
    FOLD(cells, item, PLUS)                                                                    \
    const REAL total = cells[0];                                                               \
    for (long i = item; i < n; i += GROUP) {                                                   \
      const REAL shifted = x[i * xs] - top;                                                    \
      out[i * os] = answer;                                                                    \
    }                                                                                          \
  }
ROWS(softmax, exp(shifted) / total)
ROWS(log_softmax, shifted - log(total))

#define UNARY(name, answer)                                                                   \
  __kernel void name(long n, __global const REAL *x, long x0, long xs, __global REAL *out,    \
                     long o0, long os) {                                                      \
    const long i = get_global_id(0);                                                          \
    if (i >= n) return;                                                                       \
    const REAL v = x[x0 + i * xs];                                                            \
    out[o0 + i * os] = answer;                                                                \
  }
UNARY(exp_of, exp(v))
UNARY(log_of, log(v))
UNARY(tanh_of, tanh(v))
UNARY(sqrt_of, sqrt(v))
UNARY(erf_of, erf(v))
UNARY(expm1_of, expm1(v))
UNARY(log1p_of, log1p(v))
UNARY(rsqrt_of, rsqrt(v))
UNARY(relu_of, isnan(v) || v > 0 ? v : 0)

#define BINARY(name, answer)                                                                  \
  __kernel void name(long n, __global const REAL *x, long x0, long xs,                        \
                     __global const REAL *y, long y0, long ys, __global REAL *out, long o0,   \
                     long os) {                                                               \
    const long i = get_global_id(0);                                                          \
    if (i >= n) return;                                                                       \
    const REAL v = x[x0 + i * xs], w = y[y0 + i * ys];                                        \
    out[o0 + i * os] = answer;                                                                \
  }
BINARY(add, v + w)
BINARY(mul, v * w)
BINARY(div_of, v / w)
BINARY(minimum, smaller(v, w))
BINARY(maximum, larger(v, w))
BINARY(pow_of, pow(v, w))
BINARY(hypot_of, hypot(v, w))
