package dev.millrace.server.infer;

/**
 * How many bytes models may take together.
 *
 * @param taken by those that stay, whoever needs room
 */
record Budget(long all, long taken) {

  /** For those that come and go. */
  long left() {
    return all - taken;
  }

  /**
   * @throws Refusal if a model that comes and goes can never have room
   */
  void check(String model, long bytes) {
    if (bytes > left()) {
      throw new Refusal(
          "model \"%s\" needs %s with its cache, and all models together may take %s%s; allow more memory, a smaller context or fewer slots"
              .formatted(
                  model,
                  Bytes.shown(bytes),
                  Bytes.shown(all),
                  taken == 0 ? "" : ", of which %s are taken".formatted(Bytes.shown(taken))));
    }
  }
}
