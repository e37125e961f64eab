package dev.millrace.engine.error;

/** A closed engine got a request. Nothing is wrong with the request. */
public final class EngineClosedException extends EngineException {
  public EngineClosedException() {
    super("wheel: closed, it takes no more requests");
  }
}
