package dev.millrace.core.internal.rules;

/**
 * How far an attempt had come when its worker was lost. The loss counts against the task unless the
 * attempt had said that it only waits, or had produced something. Frozen terms alone excuse
 * nothing: what follows them (loading a model, reading a prompt, compiling a constraint) may be what
 * killed the process, and would kill each one after it.
 */
public enum AttemptProgress {
  /** It was prepared and was still waiting for its turn. */
  NOT_STARTED,
  /** It was being prepared, or running, or nothing is known. */
  STARTED,
  /** It had journaled tokens. */
  PRODUCED_TOKENS;

  /**
   * The progress of a claim that its task's journal names last.
   *
   * @param grew whether it has journaled tokens
   * @param waits whether it has said last that it waits
   */
  public static AttemptProgress of(boolean grew, boolean waits) {
    return grew ? PRODUCED_TOKENS : waits ? NOT_STARTED : STARTED;
  }
}
