package dev.millrace.cli.command;

/** The exit codes of all commands. */
public final class ExitCode {
  /** Success. */
  public static final int OK = 0;

  /** Rejected, failed or missing. For {@code work}, {@code flow}, {@code serve}: any error. */
  public static final int FAILED = 1;

  /** {@code flow}: the job has not ended. {@code serve --status}: the server is starting. */
  public static final int NOT_READY = 2;

  /** A wrong command line; {@code work}, {@code flow} and {@code serve} use {@link #FAILED}. */
  public static final int USAGE = 2;

  /** A bug in Millrace. */
  public static final int INTERNAL = 70;

  /** A signal ended the command early. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
