/* Which of the kernels this processor and this operating system can run. */
#include <cpuid.h>
#include <stdint.h>

static uint64_t enabled_states(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

/* Bit 0: AVX2 and FMA; bit 1: AVX-VNNI as well; bit 2: AVX-512 F, BW, VL and VNNI. */
__attribute__((visibility("default"))) int millrace_cpu(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA)) return 0;
  uint64_t states = enabled_states();
  if ((states & 0x6) != 0x6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return 0;
  unsigned needed = bit_AVX512F | bit_AVX512BW | bit_AVX512VL;
  int wide = (states & 0xe6) == 0xe6 && (b & needed) == needed && (c & bit_AVX512VNNI);
  int vnni = a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & (1u << 4));
  return 1 | (vnni ? 2 : 0) | (wide ? 4 : 0);
}
