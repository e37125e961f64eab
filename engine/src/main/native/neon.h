/* 4 lanes: aarch64 with its dot product. Weights of up to seven bits are the same, signed or not. */
#include <arm_neon.h>

#define LANES 4
#define ROW_VECTORS 4
#define REGISTER_CLASS "w"
#define TILE_COLUMNS 4

typedef int32x4_t ints;
typedef float32x4_t floats;

static inline ints load(const void *from) { return vreinterpretq_s32_u8(vld1q_u8(from)); }
static inline ints broadcast(int32_t value) { return vdupq_n_s32(value); }
static inline ints and(ints a, ints b) { return vandq_s32(a, b); }
static inline ints or(ints a, ints b) { return vorrq_s32(a, b); }
#define shift_left(a, n) vshlq_n_s32(a, n)
#define shift_right(a, n) vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(a), n))

/* Sums of products of weights and activations: from a pair of 16-bit starts on. */
typedef ints dots;
static inline dots dots_from(ints pairs) { return vpaddlq_s16(vreinterpretq_s16_s32(pairs)); }
static inline dots dots_add(dots sum, ints weights, ints x) {
  return vdotq_s32(sum, vreinterpretq_s8_s32(weights), vreinterpretq_s8_s32(x));
}
static inline ints dots_result(dots sum) { return sum; }

static inline floats zeros(void) { return vdupq_n_f32(0); }
static inline void store_floats(float *to, floats a) { vst1q_f32(to, a); }
static inline floats broadcast_float(float value) { return vdupq_n_f32(value); }
static inline floats to_floats(ints a) { return vcvtq_f32_s32(a); }
static inline floats multiply(floats a, floats b) { return vmulq_f32(a, b); }
static inline floats multiply_add(floats a, floats b, floats c) { return vfmaq_f32(c, a, b); }
static inline floats as_floats(ints a) { return vreinterpretq_f32_s32(a); }
static inline ints widen_halves(const void *from) { return vmovl_s16(vreinterpret_s16_u8(vld1_u8(from))); }
static inline int8x8_t four(const void *from) {
  int32_t value;
  __builtin_memcpy(&value, from, 4);
  return vreinterpret_s8_s32(vdup_n_s32(value));
}
static inline ints widen_signed(const void *from) { return vmovl_s16(vget_low_s16(vmovl_s8(four(from)))); }
static inline ints widen_unsigned(const void *from) {
  return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_s8(four(from))))));
}

static inline ints add_ints(ints a, ints b) { return vaddq_s32(a, b); }
static inline ints subtract_ints(ints a, ints b) { return vsubq_s32(a, b); }
#define shift_right_signed(a, n) vshrq_n_s32(a, n)
static inline floats load_floats(const float *from) { return vld1q_f32(from); }
static inline floats subtract(floats a, floats b) { return vsubq_f32(a, b); }
static inline floats add(floats a, floats b) { return vaddq_f32(a, b); }
static inline floats divide(floats a, floats b) { return vdivq_f32(a, b); }
/* Not a number if one is not. */
static inline floats smaller(floats a, floats b) { return vminq_f32(a, b); }
static inline floats larger(floats a, floats b) { return vmaxq_f32(a, b); }
static inline ints as_ints(floats a) { return vreinterpretq_s32_f32(a); }
