package dev.millrace.cluster;

/** Checks the fields that another node sent, once, when they are decoded. */
public final class FieldChecks {
  private FieldChecks() {}

  public static void notNegative(String what, long... values) {
    for (long value : values) {
      if (value < 0) {
        throw new ClusterException("%s has a number that is too small".formatted(what));
      }
    }
  }

  public static void positive(String what, long... values) {
    for (long value : values) {
      notNegative(what, value == 0 ? -1 : value);
    }
  }

  static void rate(String what, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new ClusterException("%s has a rate of %s".formatted(what, value));
    }
  }

  public static void layers(String what, int from, int to, int layers) {
    if (from < 0 || to <= from || to > layers) {
      throw new ClusterException(
          "%s has layers [%d, %d), where there are %d".formatted(what, from, to, layers));
    }
  }
}
