/* SPDX-License-Identifier: Apache-2.0
 *
 * A module that adds up one vector of f32, or misbehaves as its option says. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "engine/include/assay/backend.h"

static char behaviour[16];

static const char* Version(void* self) {
  (void)self;
  return "7";
}
static const char* Pins(void* self) {
  (void)self;
  const char* pins = getenv("ASSAY_VICTIM_PINS");
  return pins == NULL ? "" : pins;
}

static int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  (void)self, (void)call, (void)reason;
  return ASSAY_OK;
}

static int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  (void)self;
  const AssayTensor* x = &call->operands[0];
  const volatile float* from = (const float*)((const char*)x->data + x->byte_offset);
  volatile float* out = (float*)((char*)call->operands[1].data + call->operands[1].byte_offset);
  const int64_t n = x->shape[0];
  if (strcmp(behaviour, "abort") == 0) abort();
  if (strcmp(behaviour, "exit") == 0) _Exit(9);
  if (strcmp(behaviour, "null") == 0) *(volatile int*)8 = 0;
  if (strcmp(behaviour, "flush") == 0) _mm_setcsr(_mm_getcsr() | 0x8000u);
  if (strcmp(behaviour, "write") == 0) out[1] = 1;
  if (strcmp(behaviour, "raise") == 0) {
    memcpy(text->data, "no such place", 13);
    text->size = 13;
    return ASSAY_RAISED;
  }
  float sum = 0;
  const int64_t count = strcmp(behaviour, "read") == 0 ? n + 3 : n;
  for (int64_t i = 0; i < count; ++i) sum += from[i * x->strides[0]];
  *out = sum;
  return ASSAY_OK;
}

static const char* Declare(void* self, const char* key) {
  (void)self;
  return strcmp(key, "profile") == 0 ? "reference" : NULL;
}
static void Close(void* self) { (void)self; }

static const AssayBackend kTable = {sizeof(AssayBackend),
                                    ASSAY_ABI_VERSION,
                                    NULL,
                                    "victim",
                                    Version,
                                    Pins,
                                    Supports,
                                    Run,
                                    Declare,
                                    Close};

const AssayBackend* assay_backend_open(const char* options, AssayText* error) {
  if (strcmp(options, "die") == 0) raise(SIGKILL);
  if (strcmp(options, "refuse") == 0) {
    memcpy(error->data, "not today", 9);
    error->size = 9;
    return NULL;
  }
  strncpy(behaviour, options, sizeof behaviour - 1);
  return &kTable;
}
