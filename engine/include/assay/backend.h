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

/* Operations. Numbers never change. Beside each: its operands in order, the destination last, then
 * after a semicolon its attributes in order; a label is passed as its position in the brackets. io:
 * read, then overwritten. */
/* clang-format off */
enum {
  ASSAY_OP_GEMM = 0,              /* a [m,k] or [k,m], b [k,n] or [n,k], c [m,n] io: c := alpha
                                   * op(a) op(b) + beta c; alpha, beta, trans_a (n t), trans_b (n
                                   * t) */
  ASSAY_OP_DOT = 1,               /* x [n], y [n], out [] */
  ASSAY_OP_SUM = 2,               /* x [n], out [] */
  ASSAY_OP_SOFTMAX = 3,           /* x [rows,n], out [rows,n], over the last axis */
  ASSAY_OP_EXP = 4,               /* x [n], out [n] */
  ASSAY_OP_LOG = 5,               /* x [n], out [n] */
  ASSAY_OP_TANH = 6,              /* x [n], out [n] */
  ASSAY_OP_SQRT = 7,              /* x [n], out [n] */
  ASSAY_OP_ERF = 8,               /* x [n], out [n] */
  ASSAY_OP_GELU = 9,              /* x [n], out [n]; form (erf tanh) */
  ASSAY_OP_GATHER = 10,           /* table [rows,columns], indices [count], out [count,columns]:
                                   * rows of the table */
  ASSAY_OP_GEMV = 11,             /* a [m,k] or [k,m], x [k], y [m] io: y := alpha op(a) x + beta
                                   * y; alpha, beta, trans_a (n t) */
  ASSAY_OP_BATCHED_GEMM = 12,     /* gemm with a leading axis on every operand */
  ASSAY_OP_INT8_GEMM = 13,        /* a [m,k], b [k,n] of 8 bits, c [m,n] of 32 bits */
  ASSAY_OP_SCAL = 14,             /* x [n] io: x := alpha x; alpha */
  ASSAY_OP_AXPY = 15,             /* x [n], y [n] io: y := alpha x + y; alpha */
  ASSAY_OP_NRM2 = 16,             /* x [n], out [] */
  ASSAY_OP_ASUM = 17,             /* x [n], out [] */
  ASSAY_OP_MEAN = 18,             /* x [n], out [] */
  ASSAY_OP_PROD = 19,             /* x [n], out [] */
  ASSAY_OP_CUMSUM = 20,           /* x [n], out [n], inclusive */
  ASSAY_OP_VARIANCE = 21,         /* x [n], out []; correction (the divisor is n minus it: 0 or
                                   * 1) */
  ASSAY_OP_MAX = 22,              /* x [n], out [] */
  ASSAY_OP_MIN = 23,              /* x [n], out [] */
  ASSAY_OP_ARGMAX = 24,           /* x [n], out [], a 64-bit index from 0 */
  ASSAY_OP_AMAX = 25,             /* the same, of the largest magnitude */
  ASSAY_OP_LOG_SOFTMAX = 26,      /* x [rows,n], out [rows,n] */
  ASSAY_OP_LOG_SUM_EXP = 27,      /* x [rows,n], out [rows] */
  ASSAY_OP_LAYER_NORM = 28,       /* x [rows,n], gain [n], bias [n], out [rows,n]; epsilon */
  ASSAY_OP_RMS_NORM = 29,         /* x [rows,n], gain [n], out [rows,n]; epsilon */
  ASSAY_OP_BATCH_NORM = 30,       /* x [rows,channels], mean, variance, gain, bias [channels],
                                   * out [rows,channels]; epsilon */
  ASSAY_OP_EXPM1 = 31,            /* x [n], out [n] */
  ASSAY_OP_LOG1P = 32,            /* x [n], out [n] */
  ASSAY_OP_RSQRT = 33,            /* x [n], out [n] */
  ASSAY_OP_SIGMOID = 34,          /* x [n], out [n]: 1 / (1 + e^-x) */
  ASSAY_OP_SILU = 35,             /* x [n], out [n]: x / (1 + e^-x) */
  ASSAY_OP_MISH = 36,             /* x [n], out [n]: x tanh(ln(1 + e^x)) */
  ASSAY_OP_RELU = 37,             /* x [n], out [n] */
  ASSAY_OP_CLAMP = 38,            /* x [n], out [n]; low, high */
  ASSAY_OP_ADD = 39,              /* x [n], y [n], out [n] */
  ASSAY_OP_MUL = 40,              /* x [n], y [n], out [n] */
  ASSAY_OP_DIV = 41,              /* x [n], y [n], out [n] */
  ASSAY_OP_MINIMUM = 42,          /* x [n], y [n], out [n] */
  ASSAY_OP_MAXIMUM = 43,          /* x [n], y [n], out [n] */
  ASSAY_OP_POW = 44,              /* x [n], y [n], out [n] */
  ASSAY_OP_REMAINDER = 45,        /* x [n], y [n], out [n]; style (truncated ieee floored) */
  ASSAY_OP_HYPOT = 46,            /* x [n], y [n], out [n] */
  ASSAY_OP_CAST = 47,             /* x [n], out [n] of another type; overflow (saturating ieee) */
  ASSAY_OP_QUANTIZE = 48,         /* x [n], out [n] of 8 bits: clamp(round(x / scale) +
                                   * zero_point); scale, zero_point */
  ASSAY_OP_DEQUANTIZE = 49,       /* x [n] of 8 bits, out [n]: (x - zero_point) scale; scale,
                                   * zero_point */
  ASSAY_OP_EMBEDDING = 50,        /* table [rows,columns], indices [batch,count], out
                                   * [batch,count,columns] */
  ASSAY_OP_INDEX_SELECT = 51,     /* table [rows,columns], indices [count], out; axis (0 or 1) */
  ASSAY_OP_SCATTER_ADD = 52,      /* updates [count,columns], indices [count], out [rows,columns]
                                   * io */
  ASSAY_OP_FUSED_LINEAR = 53,     /* x [m,k], w [k,n], bias [n], residual [m,n], out:
                                   * activation(x w + bias) + residual; activation (none relu
                                   * gelu_erf gelu_tanh silu sigmoid tanh) */
  ASSAY_OP_ATTENTION = 54,        /* q [heads,queries,head], k, v [heads,keys,head], mask
                                   * [queries,keys], out: softmax(scale q k^T + mask) v; scale,
                                   * causal (no yes: keys j <= i + keys - queries) */
  ASSAY_OP_CONV2D = 55,           /* x [batch,channels,height,width], w
                                   * [filters,channels,kernel_h,kernel_w], out; stride, padding,
                                   * dilation */
  ASSAY_OP_MAX_POOL = 56,         /* x [batch,channels,height,width], out; window, stride,
                                   * padding */
  ASSAY_OP_AVG_POOL = 57,         /* the same; also count (valid all) */
  ASSAY_OP_SCALED_GRADIENT = 58,  /* dy [m,n], x [m,k], out [n,k+1]: [sum_m s x, sum_m s] /
                                   * scale, s = scale dy stored as f16 or bf16; scale, store (f16
                                   * bf16) */
  ASSAY_OP_ALL_REDUCE = 59,       /* buffers [ranks,n], out [ranks,n]; reduction (sum mean max
                                   * min), bucket */
  ASSAY_OP_REDUCE_SCATTER = 60,   /* buffers [ranks,ranks,n], out [ranks,n]; the same */
  ASSAY_OP_ALL_GATHER = 61,       /* buffers [ranks,n], out [ranks,ranks,n]; bucket */
  ASSAY_OP_INT_DIV = 62,          /* x [n], y [n], out [n], integers: the quotient; style
                                   * (truncated floored) */
  ASSAY_OP_INT_REMAINDER = 63,    /* the same: what that quotient leaves */
  ASSAY_OP_GER = 64,              /* x [m], y [n], a [m,n] io: a := alpha x y^T + a; alpha */
  ASSAY_OP_SYR = 65,              /* x [n], a [n,n] io: a := alpha x x^T + a in one triangle, the
                                   * other is not touched; alpha, uplo (upper lower) */
  ASSAY_OP_TRMV = 66,             /* a [n,n], x [n] io: x := op(a) x; uplo (upper lower), trans
                                   * (n t), diag (nonunit unit). Only that triangle of a is read,
                                   * without the diagonal if it is unit */
  ASSAY_OP_TRSV = 67,             /* the same: x := op(a)^-1 x */
  ASSAY_OP_TRMM = 68,             /* a [m,m] or [n,n], b [m,n] io: b := alpha op(a) b or alpha b
                                   * op(a); alpha, side (left right), then as trmv */
  ASSAY_OP_TRSM = 69,             /* the same with op(a)^-1 */
  ASSAY_OP_SIN = 70,              /* x [n], out [n] */
  ASSAY_OP_COS = 71,              /* x [n], out [n] */
  ASSAY_OP_TAN = 72,              /* x [n], out [n] */
  ASSAY_OP_ASIN = 73,             /* x [n], out [n] */
  ASSAY_OP_ACOS = 74,             /* x [n], out [n] */
  ASSAY_OP_ATAN = 75,             /* x [n], out [n] */
  ASSAY_OP_SINH = 76,             /* x [n], out [n] */
  ASSAY_OP_COSH = 77,             /* x [n], out [n] */
  ASSAY_OP_ASINH = 78,            /* x [n], out [n] */
  ASSAY_OP_ACOSH = 79,            /* x [n], out [n] */
  ASSAY_OP_ATANH = 80,            /* x [n], out [n] */
  ASSAY_OP_EXP2 = 81,             /* x [n], out [n] */
  ASSAY_OP_EXP10 = 82,            /* x [n], out [n] */
  ASSAY_OP_LOG2 = 83,             /* x [n], out [n] */
  ASSAY_OP_LOG10 = 84,            /* x [n], out [n] */
  ASSAY_OP_CBRT = 85,             /* x [n], out [n] */
  ASSAY_OP_ERFC = 86,             /* x [n], out [n] */
  ASSAY_OP_TGAMMA = 87,           /* x [n], out [n] */
  ASSAY_OP_LGAMMA = 88,           /* x [n], out [n]: ln |Gamma(x)| */
  ASSAY_OP_J0 = 89,               /* x [n], out [n]: Bessel function of the first kind, order 0 */
  ASSAY_OP_SOFTPLUS = 90,         /* x [n], out [n]: ln(1 + e^x) */
  ASSAY_OP_SOFTSIGN = 91,         /* x [n], out [n]: x / (1 + |x|) */
  ASSAY_OP_ABS = 92,              /* x [n], out [n] */
  ASSAY_OP_MINIMUM_NUMBER = 93,   /* x [n], y [n], out [n]: a NaN gives way to a number; edition
                                   * (ieee2019 ieee2008) */
  ASSAY_OP_MAXIMUM_NUMBER = 94,   /* the same */
  ASSAY_OP_NAN_MAX = 95,          /* x [n], out []: NaN are passed over */
  ASSAY_OP_NAN_MIN = 96,          /* the same */
  ASSAY_OP_NAN_SUM = 97,          /* the same */
  ASSAY_OP_SORT = 98,             /* x [rows,n], out [rows,n], along the last axis; order
                                   * (ascending descending), nan (last first): where a NaN
                                   * goes */
  ASSAY_OP_TOPK = 99,             /* x [rows,n], out [rows,min(k,n)]: the largest, in descending
                                   * order; k, nan */
  ASSAY_OP_TOPK_INDICES = 100,    /* the same, out of 64 bits: where in its row each of them lies */
  ASSAY_OP_COMPLEX_SCAL = 101,    /* x [n,2] io: x := alpha x; alpha, alpha_imag. The last axis
                                   * holds real and imaginary parts, here and below */
  ASSAY_OP_COMPLEX_DOT = 102,     /* x [n,2], y [n,2], out [2]; conjugate (of x: no yes) */
  ASSAY_OP_COMPLEX_GEMV = 103,    /* a [m,k,2], x [k,2] or [m,2], y the other, io: y := alpha
                                   * op(a) x + beta y; alpha, alpha_imag, beta, beta_imag, trans (n
                                   * t c) */
  ASSAY_OP_COMPLEX_ABS = 104      /* x [n,2], out [n] */
};
/* clang-format on */

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
