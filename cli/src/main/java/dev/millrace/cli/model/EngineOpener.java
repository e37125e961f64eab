package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import java.nio.file.Path;

/** Opens engines for commands and turns their errors into {@link CommandException}s. */
public final class EngineOpener {
  private EngineOpener() {}

  public static Engine open(Path file, EngineSettings settings) {
    try {
      return Engine.open(file, settings);
    } catch (EngineException e) {
      throw error(file, e);
    }
  }

  /** An error that names the file. */
  public static CommandException error(Path file, EngineException problem) {
    String message = problem.getMessage();
    boolean named = message.contains(String.valueOf(file.getFileName()));
    return new CommandException(SanitizedText.line(named ? message : file + ": " + message, 1000));
  }
}
