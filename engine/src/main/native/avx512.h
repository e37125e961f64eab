/* 16 lanes: AVX-512 F, BW and VNNI. */
#include <immintrin.h>

#define LANES 16
#define ROW_VECTORS 2 /* of a tile: 32 rows by 8 columns */
#define REGISTER_CLASS "v"
#define TILE_COLUMNS 8

typedef __m512i ints;
typedef __m512 floats;

static inline ints load(const void *from) { return _mm512_loadu_si512(from); }
static inline ints broadcast(int32_t value) { return _mm512_set1_epi32(value); }
static inline ints and(ints a, ints b) { return _mm512_and_si512(a, b); }
static inline ints or(ints a, ints b) { return _mm512_or_si512(a, b); }
#define shift_left(a, n) _mm512_slli_epi32(a, n)
#define shift_right(a, n) _mm512_srli_epi32(a, n)

/* Sums of products of unsigned weights and signed activations: from a pair of 16-bit starts on. */
typedef ints dots;
static inline dots dots_from(ints pairs) { return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)); }
static inline dots dots_add(dots sum, ints weights, ints x) { return _mm512_dpbusd_epi32(sum, weights, x); }
static inline ints dots_result(dots sum) { return sum; }

static inline floats zeros(void) { return _mm512_setzero_ps(); }
static inline void store_floats(float *to, floats a) { _mm512_storeu_ps(to, a); }
static inline floats broadcast_float(float value) { return _mm512_set1_ps(value); }
static inline floats to_floats(ints a) { return _mm512_cvtepi32_ps(a); }
static inline floats multiply(floats a, floats b) { return _mm512_mul_ps(a, b); }
static inline floats multiply_add(floats a, floats b, floats c) { return _mm512_fmadd_ps(a, b, c); }
static inline floats as_floats(ints a) { return _mm512_castsi512_ps(a); }
static inline ints widen_halves(const void *from) { return _mm512_cvtepi16_epi32(_mm256_loadu_si256(from)); }
static inline ints widen_signed(const void *from) { return _mm512_cvtepi8_epi32(_mm_loadu_si128(from)); }
static inline ints widen_unsigned(const void *from) { return _mm512_cvtepu8_epi32(_mm_loadu_si128(from)); }

static inline ints add_ints(ints a, ints b) { return _mm512_add_epi32(a, b); }
static inline ints subtract_ints(ints a, ints b) { return _mm512_sub_epi32(a, b); }
#define shift_right_signed(a, n) _mm512_srai_epi32(a, n)
static inline floats load_floats(const float *from) { return _mm512_loadu_ps(from); }
static inline floats subtract(floats a, floats b) { return _mm512_sub_ps(a, b); }
static inline floats add(floats a, floats b) { return _mm512_add_ps(a, b); }
static inline floats divide(floats a, floats b) { return _mm512_div_ps(a, b); }
/* The second one if one is not a number. */
static inline floats smaller(floats a, floats b) { return _mm512_min_ps(a, b); }
static inline floats larger(floats a, floats b) { return _mm512_max_ps(a, b); }
static inline ints as_ints(floats a) { return _mm512_castps_si512(a); }
