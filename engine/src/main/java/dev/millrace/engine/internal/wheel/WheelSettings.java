package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.KvPageSize;

/**
 * The settings of a scheduler; validated, immutable.
 *
 * @param maxRows the most tokens of one batch, and so the largest chunk of a prompt when nothing
 *     else runs
 * @param maxSequences the most admitted sequences; each may have a token in every batch
 * @param prefillRows the most prompt tokens of a batch while sequences decode: it bounds how long
 *     those wait
 * @param pages of the cache, for all sequences together
 * @param context the most positions of one sequence
 * @param prefixReuse whether sequences with equal prefixes share pages, which stay cached for later
 *     ones
 * @param groups the most batches in flight; a pipe has as many as it has nodes, so that all of them
 *     compute at the same time
 */
public record WheelSettings(
    int maxRows,
    int maxSequences,
    int prefillRows,
    int pages,
    int context,
    boolean prefixReuse,
    int groups) {

  public WheelSettings {
    check(maxSequences >= 1, "maxSequences", maxSequences, "at least 1");
    check(maxRows >= maxSequences, "maxRows", maxRows, "at least maxSequences, " + maxSequences);
    check(prefillRows >= 1, "prefillRows", prefillRows, "at least 1");
    check(pages >= 1, "pages", pages, "at least 1");
    check(context >= 2, "context", context, "at least 2");
    check(groups >= 1, "groups", groups, "at least 1");
  }

  /**
   * Defaults that fit most uses: 16 sequences, chunks of 512 tokens, of 128 while others decode.
   */
  public static WheelSettings of(int pages, int context) {
    return new WheelSettings(512, 16, 128, pages, context, true, 1);
  }

  /** The settings for an engine with that many pages, and that many positions per sequence. */
  public static WheelSettings of(EngineSettings settings, int pages, int context) {
    return of(pages, context)
        .withSequences(settings.slots())
        .withPrefixReuse(settings.prefixReuse());
  }

  public WheelSettings withRows(int rows, int whileDecoding) {
    return new WheelSettings(
        rows, maxSequences, whileDecoding, pages, context, prefixReuse, groups);
  }

  public WheelSettings withSequences(int sequences) {
    return new WheelSettings(
        Math.max(maxRows, sequences), sequences, prefillRows, pages, context, prefixReuse, groups);
  }

  public WheelSettings withPages(int count) {
    return new WheelSettings(
        maxRows, maxSequences, prefillRows, count, context, prefixReuse, groups);
  }

  public WheelSettings withPrefixReuse(boolean reuse) {
    return new WheelSettings(maxRows, maxSequences, prefillRows, pages, context, reuse, groups);
  }

  public WheelSettings withGroups(int count) {
    return new WheelSettings(
        maxRows, maxSequences, prefillRows, pages, context, prefixReuse, count);
  }

  /**
   * The most positions of a sequence: the model's context, or less if the cache does not have
   * enough pages.
   */
  public int capacity() {
    return (int) Math.min(context, (long) pages * KvPageSize.POSITIONS);
  }

  private static void check(boolean holds, String field, int value, String rule) {
    if (!holds) {
      throw new EngineException("wheel: %s is %d; it must be %s".formatted(field, value, rule));
    }
  }
}
