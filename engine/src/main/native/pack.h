/*
 * Packs 16 rows of a file into one side of a band, as pack does in the classes of the formats in Java. The rows lie
 * row_bytes apart; the side is 0 for the first 16 rows of a band, 1 for the others.
 */
#define SIDE 16

INLINE uint64_t eight(const uint8_t *from) {
  uint64_t value;
  __builtin_memcpy(&value, from, 8);
  return value;
}

INLINE void copy_half(uint8_t *to, const uint8_t *from) { __builtin_memcpy(to, from, 2); }

INLINE void store_lane(uint8_t *to, uint32_t lane) { __builtin_memcpy(to, &lane, 4); }

/* The low four bits of eight bytes: those of bytes 0 2 4 6, then those of 1 3 5 7. */
INLINE uint32_t lane_of_nibbles(uint64_t bytes) {
  uint64_t pairs = bytes & 0x0f0f0f0f0f0f0f0f;
  pairs |= pairs >> 12;
  return (pairs & 0xff) | (pairs >> 24 & 0xff00) | (pairs & 0xff00) << 8 | (pairs >> 16 & 0xff000000);
}

/* The low two bits of eight bytes, in the low halves of 16 bits each. */
INLINE uint32_t lane_of_pairs(uint64_t bytes) {
  uint64_t pairs = bytes & 0x0303030303030303;
  pairs |= pairs >> 14;
  return (pairs & 15) | (pairs >> 28 & 0xf0) | (pairs & 0xf00) << 8 | (pairs >> 20 & 0xf00000);
}

EXPORT void NAME(pack_q4_0)(const uint8_t *source, long row_bytes, int blocks, uint8_t *band, int side) {
  for (int b = 0; b < blocks; b++)
    for (int r = 0; r < SIDE; r++) {
      const uint8_t *block = source + r * row_bytes + b * 18L;
      uint8_t *to = band + b * 576L;
      copy_half(to + 512 + side * 32 + r * 2, block);
      for (int j = 0; j < 4; j++)
        store_lane(to + j * 128 + side * 64 + r * 4, lane_of_nibbles(eight(block + 2 + (j & 1) * 8) >> (j >> 1) * 4));
    }
}

INLINE uint8_t six_bits(const uint8_t *scales, int b, int first) {
  return b < 4 ? scales[first + b] & 63
               : (scales[4 + b] >> first & 15) | (scales[first + b - 4] >> 6 & 3) << 4;
}

EXPORT void NAME(pack_q4_k)(const uint8_t *source, long row_bytes, int blocks, uint8_t *band, int side) {
  for (int s = 0; s < blocks / 8; s++)
    for (int r = 0; r < SIDE; r++) {
      const uint8_t *super = source + r * row_bytes + s * 144L;
      uint8_t *to = band + s * (128 + 8 * 576L);
      copy_half(to + side * 32 + r * 2, super);
      copy_half(to + 64 + side * 32 + r * 2, super + 2);
      for (int b = 0; b < 8; b++) {
        uint8_t *block = to + 128 + b * 576;
        block[512 + side * 16 + r] = six_bits(super + 4, b, 0);
        block[544 + side * 16 + r] = six_bits(super + 4, b, 4);
        for (int j = 0; j < 4; j++)
          store_lane(block + j * 128 + side * 64 + r * 4,
                     lane_of_nibbles(eight(super + 16 + b / 2 * 32 + 8 * j) >> 4 * (b & 1)));
      }
    }
}

EXPORT void NAME(pack_q6_k)(const uint8_t *source, long row_bytes, int blocks, uint8_t *band, int side) {
  for (int s = 0; s < blocks / 8; s++)
    for (int r = 0; r < SIDE; r++) {
      const uint8_t *super = source + r * row_bytes + s * 210L;
      uint8_t *to = band + s * (64 + 8 * 832L);
      copy_half(to + side * 32 + r * 2, super + 208);
      for (int b = 0; b < 16; b++) {
        uint8_t *pair = to + 64 + b / 2 * 832;
        uint8_t *bits = pair + 64 + (b & 1) * 384 + side * 64 + r * 4;
        pair[(b & 1) * 32 + side * 16 + r] = super[192 + b];
        uint32_t highs = 0;
        for (int j = 0; j < 2; j++) {
          int k = b * 16 + j * 8, half = k / 128, run = k / 32 & 3;
          uint64_t lows = eight(super + half * 64 + (run & 1) * 32 + (k & 31)) >> (run >> 1) * 4;
          uint64_t tops = eight(super + 128 + half * 32 + (k & 31)) >> run * 2;
          store_lane(bits + 128 + j * 128, lane_of_nibbles(lows));
          highs |= lane_of_pairs(tops) << 8 * j;
        }
        store_lane(bits, highs);
      }
    }
}

EXPORT void NAME(pack_q8_0)(const uint8_t *source, long row_bytes, int blocks, uint8_t *band, int side) {
  for (int b = 0; b < blocks; b++)
    for (int r = 0; r < SIDE; r++) {
      const uint8_t *block = source + r * row_bytes + b * 34L;
      uint8_t *to = band + b * 1088L + side * 16;
      copy_half(to + 1024 + side * 16 + r * 2, block);
      for (int k = 0; k < 32; k++) to[k * 32 + r] = block[2 + k];
    }
}
