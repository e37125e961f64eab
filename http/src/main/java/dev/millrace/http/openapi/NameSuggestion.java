package dev.millrace.http.openapi;

import java.util.Collection;
import java.util.Locale;

/** Suggests the known name that is nearest to an unknown one. */
final class NameSuggestion {
  private static final int MAX_LENGTH = 60;

  private NameSuggestion() {}

  /** {@code ; did you mean "name"?}, or an empty text if no name is near. */
  static String hint(String given, Collection<String> known) {
    String nearest = null;
    int best = Math.clamp(given.length() / 3, 1, 3) + 1;
    for (String name : known) {
      int distance = distance(given, name, best);
      if (distance < best) {
        best = distance;
        nearest = name;
      }
    }
    return nearest == null ? "" : "; did you mean \"" + nearest + "\"?";
  }

  /**
   * The edit distance (insert, delete, replace, swap), ignoring case, '_' and '-'.
   */
  private static int distance(String given, String known, int bound) {
    if (given.length() > MAX_LENGTH || Math.abs(given.length() - known.length()) > bound + 2) {
      return bound;
    }
    String a = plain(given);
    String b = plain(known);
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(a, b, cost, i, j);
      }
    }
    return cost[a.length()][b.length()];
  }

  private static int cheapest(String a, String b, int[][] cost, int i, int j) {
    boolean same = a.charAt(i - 1) == b.charAt(j - 1);
    int least = cost[i - 1][j - 1] + (same ? 0 : 1);
    least = Math.min(least, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
  }
}
