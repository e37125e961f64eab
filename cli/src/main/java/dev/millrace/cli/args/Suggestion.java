package dev.millrace.cli.args;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds what a user may have meant by an unknown word. */
public final class Suggestion {
  private Suggestion() {}

  /** The known word closest to {@code word}; null if none is close. */
  public static @Nullable String closest(String word, List<String> known) {
    String best = null;
    int least = Math.max(1, word.length() / 3) + 1;
    for (String candidate : known) {
      int distance = word.length() > 100 ? Integer.MAX_VALUE : distance(word, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  /**
   * Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
   */
  private static int distance(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        cost[i][j] =
            Math.min(
                cost[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[a.length()][b.length()];
  }
}
