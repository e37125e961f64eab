package dev.millrace.cli.args;

/** A command line that the command does not accept; the message names the word and the rule. */
public final class UsageException extends RuntimeException {
  public UsageException(String message) {
    super(message, null, false, false);
  }
}
