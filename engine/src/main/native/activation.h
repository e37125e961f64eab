/*
 * x / (1 + exp(slope (x + cube x^3))), times a factor: SiLU and GELU as SiluGelu and FloatExp have them in Java, with
 * every rounding in the same place.
 */
#define ROUNDER 0x1.8p23f

INLINE floats times_power_of_two(floats p, ints exponent) {
  return multiply(p, as_floats(shift_left(add_ints(exponent, broadcast(127)), 23)));
}

INLINE floats exponential(floats x) {
  floats c = larger(broadcast_float(-104), smaller(broadcast_float(89), x));
  floats shifted = multiply_add(c, broadcast_float(0x1.715476p0f), broadcast_float(ROUNDER));
  floats k = subtract(shifted, broadcast_float(ROUNDER));
  floats r = multiply_add(k, broadcast_float(-0x1.62e43p-1f), c);
  r = multiply_add(k, broadcast_float(0x1.05c61p-29f), r);
  floats p = multiply_add(broadcast_float(1.9875691500e-4f), r, broadcast_float(1.3981999507e-3f));
  p = multiply_add(p, r, broadcast_float(8.3334519073e-3f));
  p = multiply_add(p, r, broadcast_float(4.1665795894e-2f));
  p = multiply_add(p, r, broadcast_float(1.6666665459e-1f));
  p = multiply_add(p, r, broadcast_float(5.0000001201e-1f));
  p = add(multiply_add(p, multiply(r, r), r), broadcast_float(1));
  ints exponent = subtract_ints(as_ints(shifted), as_ints(broadcast_float(ROUNDER)));
  ints half = shift_right_signed(exponent, 1);
  return times_power_of_two(times_power_of_two(p, half), subtract_ints(exponent, half));
}

INLINE floats gate(floats x, float cube, float slope) {
  floats inner = multiply_add(multiply(multiply(x, broadcast_float(cube)), x), x, x);
  return divide(x, add(exponential(multiply(inner, broadcast_float(slope))), broadcast_float(1)));
}

EXPORT void NAME(gate)(float *x, long at, int n, float cube, float slope, const float *factors, long first) {
  x += at;
  factors += first;
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    store_floats(x + i, multiply(gate(load_floats(x + i), cube, slope), load_floats(factors + i)));
  if (i < n) {
    float rest[LANES] = {0};
    for (int j = 0; i + j < n; j++) rest[j] = x[i + j];
    store_floats(rest, gate(load_floats(rest), cube, slope));
    for (int j = 0; i + j < n; j++) x[i + j] = rest[j] * factors[i + j];
  }
}
