package dev.millrace.server;

/** What a running task does now, as its worker reports it. */
public enum TaskPhase {
  /** It waits for a model, or for its place in the batch. */
  STARTING,
  /** A model computes its prompt. */
  PREFILL,
  /** Output comes. */
  GENERATE,
  /** Its worker says no more. */
  RUNNING
}
