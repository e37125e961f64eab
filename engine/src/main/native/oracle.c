/*
 * Compares the kernels of one instruction set (-DSET=…) with plain loops, bit for bit, where no JVM can do it. Random
 * weights are made as they are packed, so this knows the layout as kernels.h does; the tests in Java compare with
 * weights from files.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN(a, b, c) a##b##_##c
#define NAMED(format, set) JOIN(millrace_, format, set)
#define KERNEL(format) NAMED(format, SET)
typedef void product(const uint8_t *, long, int, int, const int8_t *, const float *, const float *, const int32_t *,
                     int, int, float *, long, long);
product KERNEL(q4_0), KERNEL(q4_k), KERNEL(q6_k);
void KERNEL(q8_0)(const uint8_t *, long, int, int, const float *, int, int, float *, long, long);
void KERNEL(quantize)(const float *, int, long, int8_t *, float *, float *, int32_t *, int32_t *);

enum { COLUMNS = 512, BLOCKS = COLUMNS / 32, ROWS = 77, COUNT = 13 };
static const int place[8] = {0, 2, 4, 6, 1, 3, 5, 7}; /* of columns 0 to 7 among the bytes */
static float values[COUNT * COLUMNS], scales[COUNT * BLOCKS], sums[COUNT * BLOCKS];
static int8_t bytes[COUNT * COLUMNS];
static int32_t minus8[COUNT * BLOCKS], minus32[2 * COUNT * BLOCKS];
static uint8_t weights[3 * BLOCKS * 1088];

static float half(const uint8_t *from) {
  int16_t bits;
  memcpy(&bits, from, 2);
  uint32_t wide = ((uint32_t)(int32_t)bits << 13) & 0x8fffe000;
  float value;
  memcpy(&value, &wide, 4);
  return value * 0x1p112f;
}

static int x(int c, int k) { return bytes[c * COLUMNS + (k & ~7) + place[k & 7]]; }

/* Bits from (k & 1) * 16 + shift on of the lane of a row. */
static int bits(const uint8_t *lanes, int r, int shift, int mask) {
  uint32_t lane;
  memcpy(&lane, lanes + r * 4, 4);
  return lane >> shift & mask;
}

static int nibble(const uint8_t *quants, int r, int k) {
  return bits(quants + k / 8 * 128, r, (k & 1) * 16 + (k / 2 & 3) * 4, 15);
}

static float q4_0(const uint8_t *band, int r, int c) {
  float sum = 0;
  for (int b = 0; b < BLOCKS; b++, band += 576) {
    int dot = 0;
    for (int k = 0; k < 32; k++) dot += (nibble(band, r, k) - 8) * x(c, b * 32 + k);
    sum = fmaf((float)dot, half(band + 512 + r * 2) * scales[c * BLOCKS + b], sum);
  }
  return sum;
}

static float q4_k(const uint8_t *band, int r, int c) {
  float sum = 0;
  for (int b = 0; b < BLOCKS; b++) {
    const uint8_t *super = band + b / 8 * (128 + 8 * 576), *block = super + 128 + b % 8 * 576;
    int dot = 0;
    for (int k = 0; k < 32; k++) dot += nibble(block, r, k) * x(c, b * 32 + k);
    float scale = half(super + r * 2) * block[512 + r], minimum = half(super + 64 + r * 2) * block[544 + r];
    sum = fmaf((float)dot, scale * scales[c * BLOCKS + b], sum);
    sum = fmaf(minimum, -sums[c * BLOCKS + b], sum);
  }
  return sum;
}

static float q6_k(const uint8_t *band, int r, int c) {
  float sum = 0;
  for (int b = 0; b < 2 * BLOCKS; b++) {
    const uint8_t *super = band + b / 16 * (64 + 8 * 832), *pair = super + 64 + b % 16 / 2 * 832;
    const uint8_t *high = pair + 64 + (b & 1) * 384;
    int dot = 0;
    for (int k = 0; k < 16; k++) {
      int top = bits(high, r, (k & 1) * 16 + k / 2 * 2, 3);
      dot += ((nibble(high + 128, r, k) | top << 4) - 32) * x(c, b * 16 + k);
    }
    float scale = half(super + r * 2) * (int8_t)pair[(b & 1) * 32 + r];
    sum = fmaf((float)dot, scale * scales[c * BLOCKS + b / 2], sum);
  }
  return sum;
}

static float q8_0(const uint8_t *band, int r, int c) {
  float sum = 0;
  for (int b = 0; b < BLOCKS; b++, band += 1088) {
    float dot = 0;
    for (int k = 0; k < 32; k++) dot = fmaf((float)(int8_t)band[k * 32 + r], values[c * COLUMNS + b * 32 + k], dot);
    sum = fmaf(dot, half(band + 1024 + r * 2), sum);
  }
  return sum;
}

static void q8_0_product(const uint8_t *w, long band, int rows, int blocks, const int8_t *b, const float *s,
                         const float *t, const int32_t *m, int row, int count, float *out, long at, long stride) {
  (void)b, (void)s, (void)t, (void)m;
  KERNEL(q8_0)(w, band, rows, blocks, values, row, count, out, at, stride);
}

static int compare(const char *name, product *kernel, float (*oracle)(const uint8_t *, int, int), long band) {
  static float out[COUNT * ROWS];
  memset(out, 0, sizeof out);
  kernel(weights, band, ROWS, BLOCKS, bytes, scales, sums, strcmp(name, "q6_k") ? minus8 : minus32, 0, COUNT, out, 0, ROWS);
  int different = 0;
  for (int c = 0; c < COUNT; c++)
    for (int r = 0; r < ROWS; r++) {
      float expected = oracle(weights + r / 32 * band, r % 32, c);
      different += memcmp(&expected, &out[c * ROWS + r], 4) != 0;
    }
  printf("%s: %d of %d elements differ\n", name, different, COUNT * ROWS);
  return different;
}

int main(void) {
  srand(7);
  for (size_t i = 0; i < sizeof weights; i++) weights[i] = (uint8_t)(rand() >> 7);
  for (int i = 0; i < COUNT * COLUMNS; i++) values[i] = (float)(rand() - RAND_MAX / 2) / 1e8f;
  KERNEL(quantize)(values, COUNT * BLOCKS, 0, bytes, scales, sums, minus8, minus32);
  int different = 0;
  for (int i = 0; i < COUNT * COLUMNS; i++) {
    float inverse = 127.0f / (scales[i / 32] * 127.0f);
    different += fabsf((float)x(i / COLUMNS, i % COLUMNS) - values[i] * inverse) > 0.501f;
  }
  printf("quantize: %d of %d are not the nearest byte\n", different, COUNT * COLUMNS);
  different += compare("q4_0", KERNEL(q4_0), q4_0, BLOCKS * 576L);
  different += compare("q4_k", KERNEL(q4_k), q4_k, BLOCKS / 8 * (128 + 8 * 576L));
  different += compare("q6_k", KERNEL(q6_k), q6_k, BLOCKS / 8 * (64 + 8 * 832L));
  different += compare("q8_0", q8_0_product, q8_0, BLOCKS * 1088L);
  return different != 0;
}
