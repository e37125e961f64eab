package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.KvPages;

/**
 * How a wheel turns; validated, immutable.
 *
 * @param maxRows tokens in one turn at most; so large a chunk of a prompt is computed at once when
 *     nothing else runs
 * @param maxSequences admitted at the same time at most; each may have a token in every turn
 * @param prefillRows prompt tokens in a turn at most while sequences decode: it bounds how long
 *     those wait for a turn
 * @param pages of the cache, for all sequences together
 * @param context positions of one sequence at most, as the model was trained
 * @param prefixReuse whether pages of equal beginnings are shared, and kept for later
 * @param groups batches in flight at most; of a pipe fly as many as it has nodes, so that each can
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

  /** What serves well for most: 16 sequences, chunks of 512, of 128 while others decode. */
  public static WheelSettings of(int pages, int context) {
    return new WheelSettings(512, 16, 128, pages, context, true, 1);
  }

  /** How the scheduler of an engine runs, with that many pages and positions a sequence. */
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
   * Positions that a sequence can have: the model's context, or less where the cache has not the
   * pages for it.
   */
  public int capacity() {
    return (int) Math.min(context, (long) pages * KvPages.SIZE);
  }

  private static void check(boolean holds, String field, int value, String rule) {
    if (!holds) {
      throw new EngineException("wheel: %s is %d; it must be %s".formatted(field, value, rule));
    }
  }
}
