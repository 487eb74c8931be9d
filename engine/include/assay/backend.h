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
  uint8_t code; /* 0 signed integer, 2 IEEE float, 4 bfloat */
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

/* Operations. Numbers never change. Operands in this order, the destination last:
 *   gemm     a [m,k] or [k,m], b [k,n] or [n,k], c [m,n] in and out: c := alpha op(a) op(b) + beta
 * c attributes alpha, beta, trans_a (0 n, 1 t), trans_b dot      x [n], y [n], out [] sum      x
 * [n], out [] softmax  x [rows,n], out [rows,n], over the last axis exp log tanh sqrt erf   x [n],
 * out [n]       gelu     the same; attribute form (0 erf, 1 tanh) gather   table [rows,columns],
 * indices [count], out [count,columns]: rows of the table */
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
  ASSAY_OP_GATHER = 10
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
   * profile that comes with Assay. */
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
