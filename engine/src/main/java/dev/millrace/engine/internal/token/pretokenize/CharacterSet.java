package dev.millrace.engine.internal.token.pretokenize;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A set of characters, as a class of a regular expression names it. Fast for ASCII. */
final class CharacterSet {
  private final long low; // which of the code points 0 to 63
  private final long high; // which of 64 to 127
  private final int kinds; // beyond ASCII: which kinds, as bits
  private final int[] ranges; // beyond ASCII: first and last, in pairs, in order
  private final boolean negated; // beyond ASCII only: the bits above say it for ASCII
  private final @Nullable CharacterSet except;

  private CharacterSet(Builder from, @Nullable CharacterSet except) {
    long[] ascii = from.ascii.clone();
    for (int i = 0; i < 2 && from.negated; i++) {
      ascii[i] = ~ascii[i];
    }
    this.low = ascii[0] & (except == null ? ~0L : ~except.low);
    this.high = ascii[1] & (except == null ? ~0L : ~except.high);
    this.kinds = from.kinds;
    this.ranges = from.ranges;
    this.negated = from.negated;
    this.except = except;
  }

  boolean contains(CodePointText text, int index) {
    int point = text.normalizedPoint(index);
    if (point < 0x80) {
      return ((point < 64 ? low : high) >>> point & 1) != 0;
    }
    return containsHigh(point, text.kind(index));
  }

  private boolean containsHigh(int point, int kind) {
    boolean named = (kinds & kind) != 0 || ranges.length > 0 && inRanges(point);
    return named != negated && (except == null || !except.containsHigh(point, kind));
  }

  private boolean inRanges(int point) {
    int found = Arrays.binarySearch(ranges, point);
    return found >= 0 || (-found - 1 & 1) == 1;
  }

  /** Collects the members of a set. */
  static final class Builder {
    private final long[] ascii = new long[2];
    private int kinds;
    private int[] ranges = {};
    private boolean negated;

    Builder add(int first, int last) {
      for (int point = first; point <= Math.min(last, 0x7F); point++) {
        ascii[point >> 6] |= 1L << point;
      }
      if (last >= 0x80) {
        int size = ranges.length;
        ranges = Arrays.copyOf(ranges, size + 2);
        ranges[size] = Math.max(first, 0x80);
        ranges[size + 1] = last;
      }
      return this;
    }

    /** Adds all characters of some kinds. */
    Builder add(int newKinds) {
      kinds |= newKinds;
      for (int point = 0; point < 0x80; point++) {
        if ((CharacterKind.of(point) & newKinds) != 0) {
          add(point, point);
        }
      }
      return this;
    }

    Builder negate() {
      negated = true;
      return this;
    }

    CharacterSet build(@Nullable CharacterSet except) {
      sortRanges();
      return new CharacterSet(this, except);
    }

    /**
     * Sorts and joins the ranges, so that a search ends at an odd index exactly if it is inside of
     * a range.
     */
    private void sortRanges() {
      long[] pairs = new long[ranges.length / 2];
      for (int i = 0; i < pairs.length; i++) {
        pairs[i] = (long) ranges[2 * i] << 32 | ranges[2 * i + 1];
      }
      Arrays.sort(pairs);
      int size = 0;
      for (long pair : pairs) {
        int first = (int) (pair >> 32);
        int last = (int) pair;
        if (size > 0 && first <= ranges[size - 1] + 1) {
          ranges[size - 1] = Math.max(ranges[size - 1], last);
        } else {
          ranges[size++] = first;
          ranges[size++] = last;
        }
      }
      ranges = Arrays.copyOf(ranges, size);
    }
  }
}
