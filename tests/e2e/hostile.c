/* SPDX-License-Identifier: Apache-2.0
 *
 * A backend that sums correctly, except on every eighth length, where it does what its option says:
 * crash, hang, exit, abort or overflow (of the stack). For tests of what the program survives. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/include/assay/backend.h"

enum Mode { kCrash, kHang, kExit, kAbort, kOverflow };

struct Hostile {
  AssayBackend table;
  enum Mode mode;
};

static const char* Version(void* self) {
  (void)self;
  return "1";
}

static const char* Pins(void* self) {
  (void)self;
  return "";
}

static int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  (void)self;
  (void)reason;
  const AssayDataType type = call->operands[0].dtype;
  return call->op == ASSAY_OP_SUM && type.code == 2 && type.bits == 64 ? ASSAY_OK
                                                                       : ASSAY_UNSUPPORTED;
}

static int Deeper(volatile char* above) {
  volatile char frame[4096];
  frame[0] = above[0];
  return frame[0] == 0 ? 0 : Deeper(frame) + frame[0];
}

static void Misbehave(enum Mode mode) {
  volatile char bottom = 1;
  switch (mode) {
    case kCrash:
      *(volatile int*)8 = 1;
      break;
    case kHang:
      for (;;) usleep(1000);
    case kExit:
      exit(0);
    case kAbort:
      abort();
    case kOverflow:
      Deeper(&bottom);
      break;
  }
}

static int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  (void)text;
  const AssayTensor* x = &call->operands[0];
  const AssayTensor* out = &call->operands[1];
  if (x->shape[0] % 8 == 3) Misbehave(((struct Hostile*)self)->mode);
  const double* from = (const double*)((const char*)x->data + x->byte_offset);
  double sum = 0;
  for (int64_t i = 0; i < x->shape[0]; ++i) sum += from[i * x->strides[0]];
  memcpy((char*)out->data + out->byte_offset, &sum, sizeof sum);
  return ASSAY_OK;
}

static const char* Declare(void* self, const char* key) {
  (void)self;
  return strcmp(key, "profile") == 0 ? "reference" : NULL;
}

static void Close(void* self) { free(self); }

__attribute__((visibility("default"))) const AssayBackend* assay_backend_open(const char* options,
                                                                              AssayText* error) {
  static const char* const kNames[] = {"crash", "hang", "exit", "abort", "overflow"};
  (void)error;
  struct Hostile* hostile = calloc(1, sizeof *hostile);
  for (int mode = 0; mode < 5; ++mode) {
    if (strstr(options, kNames[mode]) != NULL) hostile->mode = (enum Mode)mode;
  }
  hostile->table = (AssayBackend){sizeof(AssayBackend),
                                  ASSAY_ABI_VERSION,
                                  hostile,
                                  "hostile",
                                  Version,
                                  Pins,
                                  Supports,
                                  Run,
                                  Declare,
                                  Close};
  return &hostile->table;
}
