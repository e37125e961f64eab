package dev.millrace.http.jobnik.entity;

/**
 * Limits the size of one answer: entries are added until their characters reach the limit. They are
 * read in batches, which grow only while entries are small, so one batch stays small as well.
 */
public final class ResponseBudget {
  /** No entry is added after this many characters. */
  static final long MAX_CHARACTERS = 8_000_000;

  private static final int FIRST_BATCH = 8;
  private static final int GROWTH = 4;

  private long characters;
  private int entries;

  public void add(long entryCharacters) {
    characters += entryCharacters;
    entries++;
  }

  public boolean isFull() {
    return characters >= MAX_CHARACTERS;
  }

  /** How many to read next, 1 to {@code most}: as many as fit at the average size so far. */
  public int batchSize(int most) {
    long fit = entries == 0 ? FIRST_BATCH : (MAX_CHARACTERS - characters) * entries / characters;
    long growth = Math.max(FIRST_BATCH, (long) GROWTH * entries);
    return Math.clamp(Math.min(fit, growth), 1, most);
  }
}
