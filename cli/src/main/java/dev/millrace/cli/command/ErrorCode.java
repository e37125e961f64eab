package dev.millrace.cli.command;

import java.util.Locale;

/** The kinds of errors, as {@code --json} names them. */
public enum ErrorCode {
  /** The command line is wrong. */
  USAGE,
  /** There is no such job, stage, workspace or file. */
  NOT_FOUND,
  /** The state of the job does not allow it. */
  REFUSED,
  /** The job or stage has not ended yet. */
  NOT_READY,
  /** The request cannot be fulfilled for another reason, which the message says. */
  FAILED,
  /** The workspace cannot be read or written, or the server cannot be reached. */
  STORE,
  /** A signal ended the command. */
  INTERRUPTED,
  /** A bug in Millrace. */
  INTERNAL;

  /** The code in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
