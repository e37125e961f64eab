/* 8 lanes: AVX2 and FMA, with AVX-VNNI if the compiler may use it. */
#include <immintrin.h>

#define LANES 8
#define ROW_VECTORS 2
#define REGISTER_CLASS "x"
#define TILE_COLUMNS 4

typedef __m256i ints;
typedef __m256 floats;

static inline ints load(const void *from) { return _mm256_loadu_si256(from); }
static inline ints broadcast(int32_t value) { return _mm256_set1_epi32(value); }
static inline ints and(ints a, ints b) { return _mm256_and_si256(a, b); }
static inline ints or(ints a, ints b) { return _mm256_or_si256(a, b); }
#define shift_left(a, n) _mm256_slli_epi32(a, n)
#define shift_right(a, n) _mm256_srli_epi32(a, n)

#ifdef __AVXVNNI__
/* Sums of products of unsigned weights and signed activations: from a pair of 16-bit starts on. */
typedef ints dots;
static inline dots dots_from(ints pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); }
static inline dots dots_add(dots sum, ints weights, ints x) { return _mm256_dpbusd_avx_epi32(sum, weights, x); }
static inline ints dots_result(dots sum) { return sum; }
#else
/*
 * Sums of products of unsigned weights and signed activations in 16 bits, even columns in the low half of a lane.
 * A product of two pairs fits: 2 * 63 * 127. The sum over a block fits in the end, and may wrap on the way.
 */
typedef ints dots;
static inline dots dots_from(ints pairs) { return pairs; }
static inline dots dots_add(dots sum, ints weights, ints x) {
  return _mm256_add_epi16(sum, _mm256_maddubs_epi16(weights, x));
}
static inline ints dots_result(dots sum) { return _mm256_madd_epi16(sum, _mm256_set1_epi16(1)); }
#endif

static inline floats zeros(void) { return _mm256_setzero_ps(); }
static inline void store_floats(float *to, floats a) { _mm256_storeu_ps(to, a); }
static inline floats broadcast_float(float value) { return _mm256_set1_ps(value); }
static inline floats to_floats(ints a) { return _mm256_cvtepi32_ps(a); }
static inline floats multiply(floats a, floats b) { return _mm256_mul_ps(a, b); }
static inline floats multiply_add(floats a, floats b, floats c) { return _mm256_fmadd_ps(a, b, c); }
static inline floats as_floats(ints a) { return _mm256_castsi256_ps(a); }
static inline ints widen_halves(const void *from) { return _mm256_cvtepi16_epi32(_mm_loadu_si128(from)); }
static inline ints widen_signed(const void *from) { return _mm256_cvtepi8_epi32(_mm_loadl_epi64(from)); }
static inline ints widen_unsigned(const void *from) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64(from)); }

static inline ints add_ints(ints a, ints b) { return _mm256_add_epi32(a, b); }
static inline ints subtract_ints(ints a, ints b) { return _mm256_sub_epi32(a, b); }
#define shift_right_signed(a, n) _mm256_srai_epi32(a, n)
static inline floats load_floats(const float *from) { return _mm256_loadu_ps(from); }
static inline floats subtract(floats a, floats b) { return _mm256_sub_ps(a, b); }
static inline floats add(floats a, floats b) { return _mm256_add_ps(a, b); }
static inline floats divide(floats a, floats b) { return _mm256_div_ps(a, b); }
/* The second one if one is not a number. */
static inline floats smaller(floats a, floats b) { return _mm256_min_ps(a, b); }
static inline floats larger(floats a, floats b) { return _mm256_max_ps(a, b); }
static inline ints as_ints(floats a) { return _mm256_castps_si256(a); }
