package dev.millrace.engine.internal.grammar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A set of Unicode scalar values as ascending ranges, none touching another. Surrogates are in no
 * set: UTF-8 has no bytes for them.
 *
 * @param bounds first and last of each range, alternating
 */
public record CodePointSet(int[] bounds) {
  public static final CodePointSet NONE = new CodePointSet(new int[0]);
  public static final CodePointSet ALL = range(0, Character.MAX_CODE_POINT);

  public static CodePointSet range(int first, int last) {
    return ranges(first, last);
  }

  public static CodePointSet of(int codePoint) {
    return ranges(codePoint, codePoint);
  }

  /** The characters of a string. */
  public static CodePointSet of(String characters) {
    return ranges(characters.codePoints().flatMap(c -> IntStream.of(c, c)).toArray());
  }

  /** The union of ranges in any order, given as alternating first and last. */
  public static CodePointSet ranges(int... pairs) {
    List<int[]> sorted = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      // leave out D800 to DFFF
      if (pairs[i] < 0xd800) {
        sorted.add(new int[] {pairs[i], Math.min(pairs[i + 1], 0xd7ff)});
      }
      if (pairs[i + 1] > 0xdfff) {
        sorted.add(new int[] {Math.max(pairs[i], 0xe000), pairs[i + 1]});
      }
    }
    sorted.sort(Comparator.comparingInt(range -> range[0]));
    int[] bounds = new int[2 * sorted.size()];
    int size = 0;
    for (int[] range : sorted) {
      if (range[0] > range[1]) {
        continue;
      }
      if (size > 0 && range[0] <= bounds[size - 1] + 1) {
        bounds[size - 1] = Math.max(bounds[size - 1], range[1]);
      } else {
        bounds[size++] = range[0];
        bounds[size++] = range[1];
      }
    }
    return new CodePointSet(Arrays.copyOf(bounds, size));
  }

  public static CodePointSet union(List<CodePointSet> sets) {
    return ranges(sets.stream().flatMapToInt(set -> IntStream.of(set.bounds)).toArray());
  }

  public CodePointSet or(CodePointSet other) {
    int[] both = Arrays.copyOf(bounds, bounds.length + other.bounds.length);
    System.arraycopy(other.bounds, 0, both, bounds.length, other.bounds.length);
    return ranges(both);
  }

  public CodePointSet not() {
    int[] gaps = new int[bounds.length + 2];
    int size = 0;
    int next = 0;
    for (int i = 0; i < bounds.length; i += 2) {
      gaps[size++] = next;
      gaps[size++] = bounds[i] - 1;
      next = bounds[i + 1] + 1;
    }
    gaps[size++] = next;
    gaps[size] = Character.MAX_CODE_POINT;
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < gaps.length; i += 2) {
      if (gaps[i] <= gaps[i + 1]) {
        kept.add(gaps[i]);
        kept.add(gaps[i + 1]);
      }
    }
    return ranges(kept.stream().mapToInt(Integer::intValue).toArray());
  }

  public CodePointSet and(CodePointSet other) {
    return not().or(other.not()).not();
  }

  CodePointSet minus(CodePointSet other) {
    return and(other.not());
  }

  public boolean isEmpty() {
    return bounds.length == 0;
  }

  boolean contains(int codePoint) {
    for (int i = 0; i < bounds.length; i += 2) {
      if (codePoint >= bounds[i] && codePoint <= bounds[i + 1]) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CodePointSet that && Arrays.equals(bounds, that.bounds);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bounds);
  }

  @Override
  public String toString() {
    return "CodePoints" + Arrays.toString(bounds);
  }
}
