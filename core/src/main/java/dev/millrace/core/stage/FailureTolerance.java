package dev.millrace.core.stage;

/**
 * How many failed tasks a stage tolerates.
 *
 * @param collect whether the stage runs all its tasks and collects failures, or fails at the first
 * @param share the share of its tasks that may fail in a collecting stage, 0 to 1
 */
public record FailureTolerance(boolean collect, double share) {

  /** The default: one failed task fails the stage. */
  public static final FailureTolerance NONE = new FailureTolerance(false, 0.0);

  /** Every task may fail; the stage still completes. */
  public static final FailureTolerance ALL = new FailureTolerance(true, 1.0);

  public FailureTolerance {
    if (!(share >= 0.0 && share <= 1.0)) {
      throw new IllegalArgumentException("tolerate must be 0 to 1, got " + share);
    }
  }

  /** Whether that many failures among {@code total} tasks fail the stage. */
  public boolean exceeded(int failed, int total) {
    return collect ? failed > Math.floor(share * total + 1e-9) : failed > 0;
  }
}
