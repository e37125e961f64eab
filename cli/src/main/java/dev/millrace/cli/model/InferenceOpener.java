package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;

/** Opens models for commands that process jobs, and turns errors into {@link CommandException}s. */
public final class InferenceOpener {
  private InferenceOpener() {}

  public static Inference open(InferenceSettings settings) {
    try {
      return Inference.open(settings);
    } catch (EngineException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof ClusterException network) {
          throw new CommandException(
              SanitizedText.line(network.getMessage(), 1000)); // not about a file
        }
      }
      throw EngineOpener.error(model(settings, e).file(), e);
    }
  }

  /** The model that the problem names, else the first. */
  private static NamedModel model(InferenceSettings settings, EngineException problem) {
    for (NamedModel model : settings.models()) {
      if (problem.getMessage().startsWith("model \"" + model.name() + "\"")) {
        return model;
      }
    }
    return settings.models().getFirst();
  }
}
