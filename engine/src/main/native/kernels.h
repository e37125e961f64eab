/*
 * Matrix products with quantized weights, in the engine's own order of rounding: every element is
 * the same bits as that of the scalar oracle in Java. Included once for each instruction set, after
 * a header with its vectors.
 *
 * Weights are packed by the classes of dev.millrace.engine.internal.kernel that have the names of
 * the formats: bands of 32 rows, where lane r of a vector is row r of the band. A lane of 32 bits
 * has eight weights of four bits: columns 0 2 4 6 in its low half and 1 3 5 7 in the high half, so
 * that a mask leaves columns 0 4 1 5 as bytes, and a shift and a mask columns 2 6 3 7. Activations
 * are signed bytes in that order.
 *
 * A dot product inside a block is exact, so its order does not matter. Floats are rounded where the
 * oracle rounds: the compiler must not contract products and sums (-ffp-contract=off).
 */
#define BAND 32

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))

/* What the columns of a product share: see Matrix.multiply in Java. */
struct activations {
  const float *values;   /* (row, columns): for weights of eight bits */
  const int8_t *bytes;   /* (row, columns), eight in the order 0 4 1 5 2 6 3 7 */
  const float *scales;   /* (row, columns / 32) */
  const float *sums;     /* (row, columns / 32): scale times the sum of a block's bytes */
  const int32_t *minus;  /* Q4_0 (row, columns / 32), Q6_K (row, columns / 16): starts, as pairs of 16 bits */
};

/* 16-bit floats that are finite, exactly: see HalfFloat in Java. */
INLINE floats halves(const void *from) {
  ints wide = and(shift_left(widen_halves(from), 13), broadcast(0x8fffe000));
  return multiply(as_floats(wide), broadcast_float(0x1p112f));
}

INLINE int32_t pair(int low, int high) { return (int32_t)(((uint32_t)low & 0xffff) | (uint32_t)high << 16); }

INLINE ints four_bytes(const int8_t *from) {
  int32_t value;
  __builtin_memcpy(&value, from, 4);
  return broadcast(value);
}

/* Adds eight columns of each row and column of a tile. */
INLINE void dot_nibbles(int n, const uint8_t *quants, const int8_t *x, long stride, dots sum[ROW_VECTORS][TILE_COLUMNS]) {
  ints mask = broadcast(0x0f0f0f0f);
  ints w[ROW_VECTORS], low[ROW_VECTORS], high[ROW_VECTORS];
  for (int v = 0; v < ROW_VECTORS; v++) {
    w[v] = load(quants + v * 4 * LANES);
    low[v] = and(w[v], mask);
    high[v] = and(shift_right(w[v], 4), mask);
  }
  for (int c = 0; c < n; c++) {
    ints y = four_bytes(x + c * stride);
    for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = dots_add(sum[v][c], low[v], y);
    y = four_bytes(x + c * stride + 4);
    for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = dots_add(sum[v][c], high[v], y);
  }
}

/* One block of 32 columns: a scale for each row. */
INLINE void q4_0_tile(
    int n, const uint8_t *band, int lane, int blocks, struct activations x, long row, floats out[ROW_VECTORS][TILE_COLUMNS]) {
  long columns = blocks * 32L;
  for (int v = 0; v < ROW_VECTORS; v++)
    for (int c = 0; c < n; c++) out[v][c] = zeros();
  for (int b = 0; b < blocks; b++, band += 576) {
    dots sum[ROW_VECTORS][TILE_COLUMNS];
    for (int c = 0; c < n; c++) {
      dots start = dots_from(broadcast(x.minus[(row + c) * blocks + b]));
      for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = start;
    }
    for (int j = 0; j < 4; j++)
      dot_nibbles(n, band + j * 128 + lane * 4, x.bytes + row * columns + b * 32 + j * 8, columns, sum);
    for (int v = 0; v < ROW_VECTORS; v++) {
      floats d = halves(band + 512 + (lane + v * LANES) * 2);
      for (int c = 0; c < n; c++) {
        floats scale = multiply(d, broadcast_float(x.scales[(row + c) * blocks + b]));
        out[v][c] = multiply_add(to_floats(dots_result(sum[v][c])), scale, out[v][c]);
      }
    }
  }
}

/* Superblocks of eight blocks of 32 columns: scale and minimum are bytes under those of the superblock. */
INLINE void q4_k_tile(
    int n, const uint8_t *band, int lane, int blocks, struct activations x, long row, floats out[ROW_VECTORS][TILE_COLUMNS]) {
  long columns = blocks * 32L;
  for (int v = 0; v < ROW_VECTORS; v++)
    for (int c = 0; c < n; c++) out[v][c] = zeros();
  for (int s = 0; s < blocks; s += 8, band += 128 + 8 * 576) {
    const uint8_t *block = band + 128;
    for (int b = s; b < s + 8; b++, block += 576) {
      dots sum[ROW_VECTORS][TILE_COLUMNS];
      for (int c = 0; c < n; c++)
        for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = dots_from(broadcast(0));
      for (int j = 0; j < 4; j++)
        dot_nibbles(n, block + j * 128 + lane * 4, x.bytes + row * columns + b * 32 + j * 8, columns, sum);
      for (int v = 0; v < ROW_VECTORS; v++) {
        int at = lane + v * LANES;
        floats d = multiply(to_floats(widen_unsigned(block + 512 + at)), halves(band + at * 2));
        floats m = multiply(to_floats(widen_unsigned(block + 544 + at)), halves(band + 64 + at * 2));
        for (int c = 0; c < n; c++) {
          long i = (row + c) * blocks + b;
          floats scale = multiply(d, broadcast_float(x.scales[i]));
          out[v][c] = multiply_add(to_floats(dots_result(sum[v][c])), scale, out[v][c]);
          out[v][c] = multiply_add(m, broadcast_float(-x.sums[i]), out[v][c]);
        }
      }
    }
  }
}

/* Superblocks of sixteen blocks of 16 columns: a signed scale each; two high bits lie apart. */
INLINE void q6_k_tile(
    int n, const uint8_t *band, int lane, int blocks, struct activations x, long row, floats out[ROW_VECTORS][TILE_COLUMNS]) {
  long columns = blocks * 32L;
  ints nibble = broadcast(0x0f0f0f0f);
  for (int v = 0; v < ROW_VECTORS; v++)
    for (int c = 0; c < n; c++) out[v][c] = zeros();
  for (int b = 0; b < blocks; b++) {
    const uint8_t *super = band + b / 8 * (64 + 8 * 832L);
    const uint8_t *pair = super + 64 + b % 8 * 832;
    for (int half = 0; half < 2; half++) {
      const uint8_t *bits = pair + 64 + half * 384 + lane * 4;
      dots sum[ROW_VECTORS][TILE_COLUMNS];
      for (int c = 0; c < n; c++) {
        dots start = dots_from(broadcast(x.minus[((row + c) * blocks + b) * 2 + half]));
        for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = start;
      }
      for (int j = 0; j < 2; j++) {
        ints first[ROW_VECTORS], second[ROW_VECTORS];
        for (int v = 0; v < ROW_VECTORS; v++) {
          ints high = load(bits + v * 4 * LANES);
          ints low = load(bits + 128 + j * 128 + v * 4 * LANES);
          if (j == 1) high = shift_right(high, 8);
          first[v] = or(and(low, nibble),
                        or(and(shift_left(high, 4), broadcast(0x00300030)), and(shift_left(high, 8), broadcast(0x30003000))));
          second[v] = or(and(shift_right(low, 4), nibble),
                         or(and(shift_left(high, 2), broadcast(0x00300030)), and(shift_left(high, 6), broadcast(0x30003000))));
        }
        for (int c = 0; c < n; c++) {
          const int8_t *at = x.bytes + (row + c) * columns + b * 32 + half * 16 + j * 8;
          ints y = four_bytes(at);
          for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = dots_add(sum[v][c], first[v], y);
          y = four_bytes(at + 4);
          for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = dots_add(sum[v][c], second[v], y);
        }
      }
      for (int v = 0; v < ROW_VECTORS; v++) {
        int at = lane + v * LANES;
        floats d = multiply(to_floats(widen_signed(pair + half * 32 + at)), halves(super + at * 2));
        for (int c = 0; c < n; c++) {
          floats scale = multiply(d, broadcast_float(x.scales[(row + c) * blocks + b]));
          out[v][c] = multiply_add(to_floats(dots_result(sum[v][c])), scale, out[v][c]);
        }
      }
    }
  }
}

/* One block of 32 columns, a byte each, with activations as floats: a block is summed by itself, then scaled. */
INLINE void q8_0_tile(
    int n, const uint8_t *band, int lane, int blocks, struct activations x, long row, floats out[ROW_VECTORS][TILE_COLUMNS]) {
  long columns = blocks * 32L;
  for (int v = 0; v < ROW_VECTORS; v++)
    for (int c = 0; c < n; c++) out[v][c] = zeros();
  for (int b = 0; b < blocks; b++, band += 1088) {
    floats sum[ROW_VECTORS][TILE_COLUMNS];
    for (int v = 0; v < ROW_VECTORS; v++)
      for (int c = 0; c < n; c++) sum[v][c] = zeros();
    const float *from = x.values + row * columns + b * 32;
    for (int k = 0; k < 32; k++) {
      floats w[ROW_VECTORS];
      for (int v = 0; v < ROW_VECTORS; v++) w[v] = to_floats(widen_signed(band + k * 32 + lane + v * LANES));
      for (int c = 0; c < n; c++) {
        floats y = broadcast_float(from[c * columns + k]);
        for (int v = 0; v < ROW_VECTORS; v++) sum[v][c] = multiply_add(w[v], y, sum[v][c]);
      }
    }
    for (int v = 0; v < ROW_VECTORS; v++) {
      floats d = halves(band + 1024 + (lane + v * LANES) * 2);
      for (int c = 0; c < n; c++) out[v][c] = multiply_add(sum[v][c], d, out[v][c]);
    }
  }
}

/* Stores the rows of a tile that the matrix has. */
INLINE void store_tile(int n, floats tile[ROW_VECTORS][TILE_COLUMNS], int rows, float *out, long stride) {
  for (int c = 0; c < n; c++)
    for (int v = 0; v < ROW_VECTORS; v++) {
      int left = rows - v * LANES;
      if (left >= LANES) {
        store_floats(out + c * stride + v * LANES, tile[v][c]);
      } else if (left > 0) {
        float lanes[LANES];
        store_floats(lanes, tile[v][c]);
        for (int r = 0; r < left; r++) out[c * stride + v * LANES + r] = lanes[r];
      }
    }
}

/*
 * Rows [0, rows) of some bands by rows [row, row + count) of the activations: out[c * stride + r].
 * A loop over columns inside one over bands: activations stay in the nearer caches.
 */
#define PRODUCT(format)                                                                                            \
  INLINE void format##_columns(                                                                                    \
      int n, const uint8_t *band, int blocks, struct activations x, long row, int rows, float *out, long stride) { \
    for (int lane = 0; lane < BAND; lane += ROW_VECTORS * LANES) {                                                 \
      floats tile[ROW_VECTORS][TILE_COLUMNS];                                                                      \
      format##_tile(n, band, lane, blocks, x, row, tile);                                                          \
      store_tile(n, tile, rows - lane, out + lane, stride);                                                        \
    }                                                                                                              \
  }                                                                                                                \
  static void format##_rows(                                                                                      \
      const uint8_t *weights, long band_bytes, int rows, int blocks, struct activations x, int row, int count,     \
      float *out, long at, long stride) {                                                                          \
    for (int r = 0; r < rows; r += BAND, weights += band_bytes) {                                                  \
      for (int c = 0; c < count; c += TILE_COLUMNS) {                                                              \
        float *to = out + at + c * stride + r;                                                                     \
        switch (count - c) {                                                                                       \
          TAILS(format)                                                                                            \
          default: format##_columns(TILE_COLUMNS, weights, blocks, x, row + c, rows - r, to, stride);              \
        }                                                                                                          \
      }                                                                                                            \
    }                                                                                                              \
  }

/* The last columns, all in one pass over the weights. */
#define TAIL(format, n) \
  case n: format##_columns(n, weights, blocks, x, row + c, rows - r, to, stride); break;
#if TILE_COLUMNS == 8
#define TAILS(format) \
  TAIL(format, 1) TAIL(format, 2) TAIL(format, 3) TAIL(format, 4) TAIL(format, 5) TAIL(format, 6) TAIL(format, 7)
#else
#define TAILS(format) TAIL(format, 1) TAIL(format, 2) TAIL(format, 3)
#endif

PRODUCT(q4_0)
PRODUCT(q4_k)
PRODUCT(q6_k)
PRODUCT(q8_0)

#define BYTES_ENTRY(format)                                                                                        \
  EXPORT void NAME(format)(                                                                                        \
      const uint8_t *weights, long band_bytes, int rows, int blocks, const int8_t *bytes, const float *scales,     \
      const float *sums, const int32_t *minus, int row, int count, float *out, long at, long stride) {             \
    struct activations x = {0, bytes, scales, sums, minus};                                                        \
    format##_rows(weights, band_bytes, rows, blocks, x, row, count, out, at, stride);                              \
  }

BYTES_ENTRY(q4_0)
BYTES_ENTRY(q4_k)
BYTES_ENTRY(q6_k)

EXPORT void NAME(q8_0)(
    const uint8_t *weights, long band_bytes, int rows, int blocks, const float *values, int row, int count, float *out,
    long at, long stride) {
  struct activations x = {values, 0, 0, 0, 0};
  q8_0_rows(weights, band_bytes, rows, blocks, x, row, count, out, at, stride);
}

INLINE uint32_t float_bits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}

/* A cast of Java's: 0 for what is not a number, the nearest integer for what is too large. */
INLINE int32_t java_int(float value) {
  if (value != value) return 0;
  return value >= 0x1p31f ? INT32_MAX : value < -0x1p31f ? INT32_MIN : (int32_t)value;
}

#define TO_NEAREST 12582912.0f

/*
 * Rows of floats as bytes in blocks of 32, as ggml does it: Activations.quantise in Java. Sizes of floats compare like
 * their bits, and NaN is the largest. Where a block is so small or so large that bytes make no sense, this gives the
 * nonsense that Java gives, so that a damaged model fails alike.
 */
EXPORT void NAME(quantize)(
    const float *values, int blocks, long block, int8_t *bytes, float *scales, float *sums, int32_t *minus8,
    int32_t *minus32) {
  static const int order[8] = {0, 4, 1, 5, 2, 6, 3, 7};
  const float *from = values + block * 32;
  for (long b = block; b < block + blocks; b++, from += 32) {
    uint32_t size = 0;
    for (int i = 0; i < 32; i++) {
      uint32_t bits = float_bits(from[i]) & 0x7fffffff;
      size = bits > size ? bits : size;
    }
    if (size > 0x7f800000) size = 0x7fc00000;
    float most;
    __builtin_memcpy(&most, &size, 4);
    float inverse = most == 0 ? 0 : 127.0f / most;
    int32_t rounded[32];
    if (most < __builtin_inff() && inverse < __builtin_inff()) {
      for (int i = 0; i < 32; i++) rounded[i] = (int32_t)((from[i] * inverse + TO_NEAREST) - TO_NEAREST);
    } else {
      for (int i = 0; i < 32; i++) rounded[i] = java_int((from[i] * inverse + TO_NEAREST) - TO_NEAREST);
    }
    int8_t *to = bytes + b * 32;
    for (int i = 0; i < 32; i++) to[i] = (int8_t)rounded[(i & ~7) + order[i & 7]];
    uint32_t even[2] = {0, 0}, odd[2] = {0, 0}; /* which may wrap */
    for (int half = 0; half < 2; half++)
      for (int i = half * 16; i < half * 16 + 16; i += 2) {
        even[half] += (uint32_t)rounded[i];
        odd[half] += (uint32_t)rounded[i + 1];
      }
    int first_even = (int16_t)even[0], first_odd = (int16_t)odd[0];
    int second_even = (int16_t)even[1], second_odd = (int16_t)odd[1];
    scales[b] = most / 127.0f;
    sums[b] = scales[b] * (float)(first_even + second_even + first_odd + second_odd);
    minus8[b] = pair(-8 * (first_even + second_even), -8 * (first_odd + second_odd));
    minus32[2 * b] = pair(-32 * first_even, -32 * first_odd);
    minus32[2 * b + 1] = pair(-32 * second_even, -32 * second_odd);
  }
}

/* As many dot products as the processor can do: 12 chains, so that none waits for the one before. */
EXPORT int32_t NAME(peak)(long loops) {
  dots sum[12];
  for (int i = 0; i < 12; i++) sum[i] = dots_from(broadcast(i));
  for (long n = 0; n < loops; n++)
    for (int i = 0; i < 12; i++) {
      sum[i] = dots_add(sum[i], broadcast(0x01010101), broadcast(0x01010101));
      __asm__ volatile("" : "+" REGISTER_CLASS(sum[i]));
    }
  ints all = broadcast(0);
  for (int i = 0; i < 12; i++) all = or(all, dots_result(sum[i]));
  int32_t lanes[LANES];
  __builtin_memcpy(lanes, &all, sizeof lanes);
  return lanes[0];
}
