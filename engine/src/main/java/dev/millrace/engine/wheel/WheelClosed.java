package dev.millrace.engine.wheel;

import dev.millrace.engine.EngineException;

/** A wheel that has ended was asked for more. Nothing is wrong with the request. */
public final class WheelClosed extends EngineException {
  WheelClosed() {
    super("wheel: closed, it takes no more requests");
  }
}
