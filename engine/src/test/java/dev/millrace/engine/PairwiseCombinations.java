package dev.millrace.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/**
 * Rows of choices, one of each dimension, that contain every possible pair of values of two
 * dimensions. Each row is the best of some tries, and a try begins with a missing pair: so the rows
 * are few, though not the fewest.
 */
final class PairwiseCombinations {
  private static final int TRIES = 12;
  private static final int OPEN = -1;

  private final int[] sizes;
  private final Predicate<int[]> allowed;
  private final Random random;
  private final int[] offsets; // of a dimension's values among all values
  private final int values;
  private final BitSet missing; // pairs (value, value) of all values, the lower dimension first

  /**
   * @param sizes the number of values of each dimension
   * @param allowed whether a row is possible; for a row with open choices (-1), whether it can be
   *     completed
   */
  private PairwiseCombinations(int[] sizes, Predicate<int[]> allowed, long seed) {
    this.sizes = sizes;
    this.allowed = allowed;
    random = new Random(seed);
    offsets = new int[sizes.length];
    for (int i = 1; i < sizes.length; i++) {
      offsets[i] = offsets[i - 1] + sizes[i - 1];
    }
    values = Arrays.stream(sizes).sum();
    missing = pairs();
  }

  /** The rows; the same for the same seed. */
  static List<int[]> rows(int[] sizes, Predicate<int[]> allowed, long seed) {
    PairwiseCombinations pairs = new PairwiseCombinations(sizes, allowed, seed);
    List<int[]> rows = new ArrayList<>();
    while (!pairs.missing.isEmpty()) {
      int[] best = pairs.attempt();
      for (int i = 1; i < TRIES; i++) {
        int[] other = pairs.attempt();
        best = pairs.gain(other) > pairs.gain(best) ? other : best;
      }
      pairs.meet(best);
      rows.add(best);
    }
    return rows;
  }

  /** The number of possible pairs that are missing in these rows. */
  static int missing(List<int[]> rows, int[] sizes, Predicate<int[]> allowed) {
    PairwiseCombinations pairs = new PairwiseCombinations(sizes, allowed, 0);
    rows.forEach(pairs::meet);
    return pairs.missing.cardinality();
  }

  private BitSet pairs() {
    BitSet pairs = new BitSet(values * values);
    int[] row = open();
    for (int a = 0; a < sizes.length; a++) {
      for (int b = a + 1; b < sizes.length; b++) {
        for (int i = 0; i < sizes[a] * sizes[b]; i++) {
          row[a] = i / sizes[b];
          row[b] = i % sizes[b];
          pairs.set(pair(row, a, b), allowed.test(row));
        }
        row[b] = OPEN;
      }
      row[a] = OPEN;
    }
    return pairs;
  }

  private int[] open() {
    int[] row = new int[sizes.length];
    Arrays.fill(row, OPEN);
    return row;
  }

  private int pair(int[] row, int a, int b) {
    return (offsets[a] + row[a]) * values + offsets[b] + row[b];
  }

  /** A row with a missing pair, completed with the values that add most pairs. */
  private int[] attempt() {
    int[] row = open();
    int start = missing.nextSetBit(random.nextInt(values * values));
    start = start < 0 ? missing.nextSetBit(0) : start;
    choose(row, start / values);
    choose(row, start % values);
    int turn = random.nextInt(sizes.length);
    for (int i = 0; i < sizes.length; i++) {
      int dimension = (turn + i) % sizes.length;
      if (row[dimension] == OPEN) {
        complete(row, dimension);
      }
    }
    return row;
  }

  private void choose(int[] row, int value) {
    int dimension = sizes.length - 1;
    while (offsets[dimension] > value) {
      dimension--;
    }
    row[dimension] = value - offsets[dimension];
  }

  private void complete(int[] row, int dimension) {
    int best = OPEN;
    int most = -1;
    int turn = random.nextInt(sizes[dimension]);
    for (int i = 0; i < sizes[dimension]; i++) {
      row[dimension] = (turn + i) % sizes[dimension];
      int gain = allowed.test(row) ? gain(row) : -1;
      if (gain > most) {
        most = gain;
        best = row[dimension];
      }
    }
    row[dimension] = best;
  }

  /** The number of missing pairs in the row. */
  private int gain(int[] row) {
    int gain = 0;
    for (int a = 0; a < row.length; a++) {
      for (int b = a + 1; b < row.length; b++) {
        gain += row[a] != OPEN && row[b] != OPEN && missing.get(pair(row, a, b)) ? 1 : 0;
      }
    }
    return gain;
  }

  private void meet(int[] row) {
    for (int a = 0; a < row.length; a++) {
      for (int b = a + 1; b < row.length; b++) {
        missing.clear(pair(row, a, b));
      }
    }
  }
}
