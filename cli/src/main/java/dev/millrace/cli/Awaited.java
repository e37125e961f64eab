package dev.millrace.cli;

import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the models of a server wait for, as it has announced it. */
final class Awaited {
  /** An object in what a server announces: for a model's name, why it cannot work now. */
  static final String FIELD = "waiting";

  private Awaited() {}

  /** A sentence for each model that waits. */
  static List<String> sentences(JsonObject info) {
    List<String> sentences = new ArrayList<>();
    if (info.get(FIELD) instanceof Map<?, ?> waiting) {
      waiting.forEach(
          (model, why) ->
              sentences.add(
                  "model "
                      + Printable.line(String.valueOf(model), 100)
                      + " waits for a pipe: "
                      + Printable.line(String.valueOf(why), 500)));
    }
    return sentences;
  }

  /** Why nothing can be generated now; null if something can, or nobody knows. */
  static @Nullable String byAll(Owner owner, String type) {
    List<String> sentences = sentences(owner.info());
    boolean all =
        owner.info().get("models") instanceof List<?> models && models.size() <= sentences.size();
    return all && !sentences.isEmpty() && type.equals("generate")
        ? String.join("; ", sentences)
        : null;
  }
}
