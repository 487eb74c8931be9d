/* SPDX-License-Identifier: Apache-2.0
 *
 * assay/backend.h: how a kernel is handed to Assay. One table of functions over tensors in DLPack's
 * memory layout; plain C11, no other header of the project needed. Every backend, the built-in ones
 * too, is such a table.
 *
 * Ownership: the caller owns all operands and all texts it passes; the backend owns what its
 * functions return, for as long as the table is open. Threads: one table is used by one thread at a
 * time. Results are written to the destination operand that the caller passes; a backend must write
 * nothing else and must not keep a pointer after the call. Errors are status codes; no C++
 * exception or longjmp may leave a function. Versioning: struct_size comes first in every struct
 * that may grow; a reader uses only members that lie within it.
 */
#ifndef ASSAY_BACKEND_H_
#define ASSAY_BACKEND_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ABI_VERSION 1u

/* Layout-equal to DLPack's DLDevice, DLDataType and DLTensor. */
typedef struct AssayDevice {
  int32_t device_type; /* 1: CPU */
  int32_t device_id;
} AssayDevice;

typedef struct AssayDataType {
  uint8_t code; /* 0 signed and 1 unsigned integer, 2 IEEE float, 4 bfloat, 10 float8 e4m3fn,
                   12 float8 e5m2 (OCP) */
  uint8_t bits;
  uint16_t lanes; /* always 1 */
} AssayDataType;

typedef struct AssayTensor {
  void* data; /* start of the allocation; element (0,...,0) lies at data + byte_offset */
  AssayDevice device;
  int32_t ndim;
  AssayDataType dtype;
  int64_t* shape;   /* ndim entries, may be 0; never NULL for ndim > 0 */
  int64_t* strides; /* ndim entries, in elements, may be 0 or negative; never NULL for ndim > 0 */
  uint64_t byte_offset;
} AssayTensor;

/* Operations. Numbers never change. Operands in this order, the destination last; attributes in
 * this order, labels as their position (given in brackets). "in and out": read, then overwritten.
 *   gemm           a [m,k] or [k,m], b [k,n] or [n,k], c [m,n] in and out: c := alpha op(a) op(b) +
 * beta c alpha, beta, trans_a (n t), trans_b (n t) gemv           a [m,k] or [k,m], x [k], y [m] in
 * and out; alpha, beta, trans_a batched_gemm   gemm with a leading axis on every operand int8_gemm
 * a [m,k], b [k,n] 8 bits, c [m,n] 32 bits dot            x [n], y [n], out [] scal, axpy     x [n]
 * in and out: x := alpha x;  x [n], y [n] in and out: y := alpha x + y; alpha sum mean asum prod
 * nrm2 max min   x [n], out []       variance  the same; correction (0 or 1) argmax amax    x [n],
 * out [] 64-bit index from 0: of the maximum, of the largest magnitude cumsum         x [n], out
 * [n], inclusive softmax log_softmax   x [rows,n], out [rows,n] over the last axis      log_sum_exp
 * out [rows] layer_norm     x [rows,n], gain [n], bias [n], out; epsilon            rms_norm
 * without bias batch_norm     x [rows,channels], mean, variance, gain, bias [channels], out;
 * epsilon exp log tanh sqrt erf expm1 log1p rsqrt sigmoid silu mish relu   x [n], out [n] gelu the
 * same; form (erf tanh)                clamp  low, high add mul div minimum maximum pow hypot   x
 * [n], y [n], out [n] remainder      the same; style (truncated ieee floored) cast           x [n],
 * out [n] of another type; overflow (saturating ieee) quantize       x [n], out [n] 8 bits:
 * clamp(round(x / scale) + zero_point); scale, zero_point dequantize     x [n] 8 bits, out [n]: (x
 * - zero_point) scale gather         table [rows,columns], indices [count], out [count,columns]:
 * rows of the table embedding      table [rows,columns], indices [batch,count], out
 * [batch,count,columns] index_select   table [rows,columns], indices [count], out: along axis 0 or
 * 1 scatter_add    updates [count,columns], indices [count], out [rows,columns] in and out
 *   fused_linear   x [m,k], w [k,n], bias [n], residual [m,n], out: activation(x w + bias) +
 * residual activation (none relu gelu_erf gelu_tanh silu sigmoid tanh) attention      q
 * [heads,queries,head], k and v [heads,keys,head], mask [queries,keys], out softmax(scale q k^T +
 * mask) v; scale, causal (no yes: keys j <= i + keys - queries) conv2d         x
 * [batch,channels,height,width], w [filters,channels,kernel_h,kernel_w], out stride, padding,
 * dilation max_pool avg_pool     x, out; window, stride, padding (avg_pool also count: valid all)
 *   scaled_gradient       dy [m,n], x [m,k], out [n,k+1]: [sum_m s x, sum_m s] / scale with s =
 * scale dy stored as f16 or bf16; scale, store (f16 bf16) all_reduce     buffers [ranks,n], out
 * [ranks,n]; reduction (sum mean max min), bucket reduce_scatter buffers [ranks,ranks,n], out
 * [ranks,n]; the same all_gather     buffers [ranks,n], out [ranks,ranks,n]; bucket
 *   ger, syr       x [m], y [n], a [m,n] in and out: a := alpha x y^T + a; x [n], a [n,n] in and
 * out: a := alpha x x^T + a, in one triangle, the other is not touched; alpha (syr also uplo: upper
 * lower) trmv, trsv     a [n,n], x [n] in and out: x := op(a) x, x := op(a)^-1 x; uplo (upper
 * lower), trans (n t), diag (nonunit unit). Of a only that triangle is read, without the diagonal
 * if it is unit trmm, trsm     a, b [m,n] in and out: b := alpha op(a) b or alpha b op(a), and the
 * same with op(a)^-1; alpha, side (left right), then as trmv; a is [m,m] on the left, [n,n] on the
 * right
 *   complex_scal   x [n,2] in and out: x := alpha x; alpha, alpha_imag. The last axis holds real and
 * imaginary parts, here and below complex_dot    x, y [n,2], out [2]; conjugate (of x: no yes)
 *   complex_gemv   a [m,k,2], x [k,2] or [m,2], y the other, in and out: y := alpha op(a) x + beta y;
 * alpha, alpha_imag, beta, beta_imag, trans (n t c) complex_abs    x [n,2], out [n] */
enum {
  ASSAY_OP_GEMM = 0,
  ASSAY_OP_DOT = 1,
  ASSAY_OP_SUM = 2,
  ASSAY_OP_SOFTMAX = 3,
  ASSAY_OP_EXP = 4,
  ASSAY_OP_LOG = 5,
  ASSAY_OP_TANH = 6,
  ASSAY_OP_SQRT = 7,
  ASSAY_OP_ERF = 8,
  ASSAY_OP_GELU = 9,
  ASSAY_OP_GATHER = 10,
  ASSAY_OP_GEMV = 11,
  ASSAY_OP_BATCHED_GEMM = 12,
  ASSAY_OP_INT8_GEMM = 13,
  ASSAY_OP_SCAL = 14,
  ASSAY_OP_AXPY = 15,
  ASSAY_OP_NRM2 = 16,
  ASSAY_OP_ASUM = 17,
  ASSAY_OP_MEAN = 18,
  ASSAY_OP_PROD = 19,
  ASSAY_OP_CUMSUM = 20,
  ASSAY_OP_VARIANCE = 21,
  ASSAY_OP_MAX = 22,
  ASSAY_OP_MIN = 23,
  ASSAY_OP_ARGMAX = 24,
  ASSAY_OP_AMAX = 25,
  ASSAY_OP_LOG_SOFTMAX = 26,
  ASSAY_OP_LOG_SUM_EXP = 27,
  ASSAY_OP_LAYER_NORM = 28,
  ASSAY_OP_RMS_NORM = 29,
  ASSAY_OP_BATCH_NORM = 30,
  ASSAY_OP_EXPM1 = 31,
  ASSAY_OP_LOG1P = 32,
  ASSAY_OP_RSQRT = 33,
  ASSAY_OP_SIGMOID = 34,
  ASSAY_OP_SILU = 35,
  ASSAY_OP_MISH = 36,
  ASSAY_OP_RELU = 37,
  ASSAY_OP_CLAMP = 38,
  ASSAY_OP_ADD = 39,
  ASSAY_OP_MUL = 40,
  ASSAY_OP_DIV = 41,
  ASSAY_OP_MINIMUM = 42,
  ASSAY_OP_MAXIMUM = 43,
  ASSAY_OP_POW = 44,
  ASSAY_OP_REMAINDER = 45,
  ASSAY_OP_HYPOT = 46,
  ASSAY_OP_CAST = 47,
  ASSAY_OP_QUANTIZE = 48,
  ASSAY_OP_DEQUANTIZE = 49,
  ASSAY_OP_EMBEDDING = 50,
  ASSAY_OP_INDEX_SELECT = 51,
  ASSAY_OP_SCATTER_ADD = 52,
  ASSAY_OP_FUSED_LINEAR = 53,
  ASSAY_OP_ATTENTION = 54,
  ASSAY_OP_CONV2D = 55,
  ASSAY_OP_MAX_POOL = 56,
  ASSAY_OP_AVG_POOL = 57,
  ASSAY_OP_SCALED_GRADIENT = 58,
  ASSAY_OP_ALL_REDUCE = 59,
  ASSAY_OP_REDUCE_SCATTER = 60,
  ASSAY_OP_ALL_GATHER = 61,
  ASSAY_OP_GER = 62,
  ASSAY_OP_SYR = 63,
  ASSAY_OP_TRMV = 64,
  ASSAY_OP_TRSV = 65,
  ASSAY_OP_TRMM = 66,
  ASSAY_OP_TRSM = 67,
  ASSAY_OP_COMPLEX_SCAL = 68,
  ASSAY_OP_COMPLEX_DOT = 69,
  ASSAY_OP_COMPLEX_GEMV = 70,
  ASSAY_OP_COMPLEX_ABS = 71
};

typedef struct AssayCall {
  uint32_t struct_size; /* bytes */
  uint32_t op;          /* ASSAY_OP_ */
  const double* attributes;
  int32_t attribute_count;
  int32_t operand_count;
  const AssayTensor* operands;
  uint64_t schedule_seed; /* for backends that choose a schedule: a pure function of it */
  uint32_t run_number;    /* 0, 1, ... for repeats of one case */
  uint32_t threads;       /* at most so many; 0: as the backend likes */
} AssayCall;

enum {
  ASSAY_OK = 0,
  ASSAY_RAISED = 1,      /* a declared rejection of this input, such as an index error */
  ASSAY_UNSUPPORTED = 2, /* this backend does not do such calls */
  ASSAY_FAILED = 3       /* an internal failure */
};

/* Where a function puts a text for people: at most `capacity` bytes, no terminator needed. */
typedef struct AssayText {
  char* data;
  size_t capacity;
  size_t size; /* set by the backend */
} AssayText;

typedef struct AssayBackend {
  uint32_t struct_size; /* bytes */
  uint32_t abi_version; /* ASSAY_ABI_VERSION */
  void* self;           /* first argument of every function */
  const char* family; /* "[a-z0-9_]+": the library whatever its version, one word of a signature */
  /* As the library itself reports, not as asked for. Never NULL. */
  const char* (*version)(void* self);
  const char* (*pins)(void* self); /* "core=SkylakeX", "" if there is nothing to say */
  /* ASSAY_OK or ASSAY_UNSUPPORTED with a reason. Looks at shapes, strides, types and attributes
   * only: data may be NULL. */
  int32_t (*supports)(void* self, const AssayCall* call, AssayText* reason);
  int32_t (*run)(void* self, const AssayCall* call, AssayText* text);
  /* Declarations for the profile, by key; NULL where nothing is declared. Key "profile" names a
   * profile that comes with Assay; "schedules" and "threads" say, by any text, that schedule_seed
   * and threads of a call choose something. */
  const char* (*declare)(void* self, const char* key);
  void (*close)(void* self);
} AssayBackend;

/* The one symbol a plug-in exports. `options` is what follows '#' or ':' in the backend's name, or
 * "". Returns NULL and a text on failure. */
typedef const AssayBackend* (*AssayOpenFunction)(const char* options, AssayText* error);
#define ASSAY_OPEN_SYMBOL "assay_backend_open"
const AssayBackend* assay_backend_open(const char* options, AssayText* error);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_BACKEND_H_ */
