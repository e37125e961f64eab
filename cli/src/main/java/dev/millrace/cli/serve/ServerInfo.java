package dev.millrace.cli.serve;

import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The document that a server announces in its workspace, for other processes. */
final class ServerInfo {
  private ServerInfo() {}

  /**
   * @param inference null for a server without models
   * @param types of the tasks that the server claims
   */
  static JsonObject of(@Nullable InferenceSettings inference, Collection<String> types, int slots) {
    JsonObject info = JsonObject.create().put("pid", ProcessHandle.current().pid());
    if (inference != null) {
      List<JsonObject> models = new ArrayList<>();
      for (NamedModel model : inference.models()) {
        models.add(
            JsonObject.create().put("name", model.name()).put("file", model.file().toString()));
      }
      info.put("model", inference.models().getFirst().file().toString())
          .put("mmproj", "") // nrvna's names for what is not supported here
          .put("vocoder", "")
          .put("models", models);
    }
    return info.put("types", List.copyOf(types))
        .put("workers", slots)
        .put("started_at", TimeText.micros(Instant.now()));
  }
}
