package dev.millrace.cli;

import dev.millrace.engine.Engine;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.EngineSettings;
import java.nio.file.Path;

/** Opens engines for commands: what cannot be run is a user's error, not ours. */
final class EngineOpening {
  private EngineOpening() {}

  static Engine open(Path file, EngineSettings settings) {
    try {
      return Engine.open(file, settings);
    } catch (EngineException e) {
      throw refusal(file, e);
    }
  }

  /** What is wrong with a file, named in any case. */
  static Refusal refusal(Path file, EngineException problem) {
    String message = problem.getMessage();
    boolean named = message.contains(String.valueOf(file.getFileName()));
    return new Refusal(Printable.line(named ? message : file + ": " + message, 1000));
  }
}
