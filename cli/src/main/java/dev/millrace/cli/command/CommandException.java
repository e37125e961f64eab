package dev.millrace.cli.command;

/** What was asked cannot be done; the message says why and what would be possible. */
public final class CommandException extends RuntimeException {
  public CommandException(String message) {
    super(message, null, false, false);
  }
}
