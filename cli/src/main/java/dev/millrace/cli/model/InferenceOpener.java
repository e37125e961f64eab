package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.ModelFile;

/** Opens models for commands that work off jobs: what cannot be run is a user's error, not ours. */
public final class InferenceOpener {
  private InferenceOpener() {}

  public static Inference open(InferenceSettings settings) {
    try {
      return Inference.open(settings);
    } catch (EngineException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof ClusterException network) {
          throw new CommandException(
              SanitizedText.line(network.getMessage(), 1000)); // it is not about a file
        }
      }
      throw EngineOpener.refusal(meant(settings, e).file(), e);
    }
  }

  /** The model that a problem names; else the first. */
  private static ModelFile meant(InferenceSettings settings, EngineException problem) {
    for (ModelFile model : settings.models()) {
      if (problem.getMessage().startsWith("model \"" + model.name() + "\"")) {
        return model;
      }
    }
    return settings.models().getFirst();
  }
}
