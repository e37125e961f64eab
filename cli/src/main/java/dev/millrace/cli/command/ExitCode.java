package dev.millrace.cli.command;

/** What a command's exit status means. */
public final class ExitCode {
  /** It did what it was asked. */
  public static final int OK = 0;

  /**
   * It could not: refused, failed, missing. For {@code work}, {@code flow}, {@code serve}: any
   * error.
   */
  public static final int FAILED = 1;

  /** {@code flow}: the job has not ended. {@code serve --status}: the server is starting. */
  public static final int NOT_READY = 2;

  /** The command line was not understood; not for {@code work}, {@code flow} and {@code serve}. */
  public static final int USAGE = 2;

  /** A defect of ours. */
  public static final int INTERNAL = 70;

  /** A signal ended it before it was done. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
