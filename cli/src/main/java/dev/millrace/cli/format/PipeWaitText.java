package dev.millrace.cli.format;

import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says which models of a server wait for a pipe, and why, from the server's announcement. */
public final class PipeWaitText {
  /** The field of the announcement that maps a model's name to the reason. */
  public static final String FIELD = "waiting";

  private PipeWaitText() {}

  /** A sentence for each model that waits. */
  public static List<String> sentences(JsonObject info) {
    List<String> sentences = new ArrayList<>();
    if (info.get(FIELD) instanceof Map<?, ?> waiting) {
      waiting.forEach(
          (model, why) ->
              sentences.add(
                  "model "
                      + SanitizedText.line(String.valueOf(model), 100)
                      + " waits for a pipe: "
                      + SanitizedText.line(String.valueOf(why), 500)));
    }
    return sentences;
  }

  /** Why no model can generate now; null if one can, or if it is not known. */
  public static @Nullable String reasonIfAllWait(PlaceOwner owner, String type) {
    List<String> sentences = sentences(owner.info());
    boolean all =
        owner.info().get("models") instanceof List<?> models && models.size() <= sentences.size();
    return all && !sentences.isEmpty() && type.equals("generate")
        ? String.join("; ", sentences)
        : null;
  }
}
