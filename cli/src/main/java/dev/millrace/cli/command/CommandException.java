package dev.millrace.cli.command;

import org.jspecify.annotations.Nullable;

/** A request that cannot be fulfilled; the message says why and what to do. */
public final class CommandException extends RuntimeException {
  private final ErrorCode code;
  private final transient @Nullable SuggestedCommand hint;

  public CommandException(String message) {
    this(ErrorCode.FAILED, message);
  }

  public CommandException(ErrorCode code, String message) {
    this(code, message, null);
  }

  /**
   * @param hint the command that the message suggests
   */
  private CommandException(ErrorCode code, String message, @Nullable SuggestedCommand hint) {
    super(message, null, false, false);
    this.code = code;
    this.hint = hint;
  }

  /** An error whose message ends with a command, and with what the command does. */
  public static CommandException suggesting(
      ErrorCode code, String message, SuggestedCommand hint, String effect) {
    return new CommandException(code, message + "; " + hint.to(effect), hint);
  }

  public ErrorCode code() {
    return code;
  }

  public @Nullable SuggestedCommand hint() {
    return hint;
  }
}
