package dev.millrace.http.jobnik.entity;

/**
 * How much goes into one answer: entries until their characters are enough. They are read in steps
 * that grow only while they prove light, so that what is read at once stays small as well.
 */
public final class ResponseBudget {
  /** Characters after which nothing is added. */
  static final long MAX_CHARACTERS = 8_000_000;

  private static final int FIRST_STEP = 8;
  private static final int GROWTH = 4;

  private long characters;
  private int entries;

  public void add(long weight) {
    characters += weight;
    entries++;
  }

  public boolean isFull() {
    return characters >= MAX_CHARACTERS;
  }

  /** How many to read next, 1 to {@code most}: as many as will fit if they are like those before. */
  public int batchSize(int most) {
    long fit = entries == 0 ? FIRST_STEP : (MAX_CHARACTERS - characters) * entries / characters;
    long wide = Math.max(FIRST_STEP, (long) GROWTH * entries);
    return Math.clamp(Math.min(fit, wide), 1, most);
  }
}
