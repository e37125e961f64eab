package dev.millrace.cli.command;

/** A request that cannot be fulfilled; the message says why and what to do. */
public final class CommandException extends RuntimeException {
  public CommandException(String message) {
    super(message, null, false, false);
  }
}
