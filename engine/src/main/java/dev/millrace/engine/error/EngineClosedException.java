package dev.millrace.engine.error;

/** A wheel that has ended was asked for more. Nothing is wrong with the request. */
public final class EngineClosedException extends EngineException {
  public EngineClosedException() {
    super("wheel: closed, it takes no more requests");
  }
}
