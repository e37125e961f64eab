package dev.millrace.server.infer.model;

import dev.millrace.server.infer.shelf.ShelfItem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a served model.
 *
 * @param standard whether tasks to generate use it that name no model
 * @param generates whether it generates text
 * @param embeds whether it turns texts into vectors
 * @param header what its file says
 * @param memory what it has loaded; null while it is not in memory
 * @param remote null: the whole model is loaded here
 */
public record ModelDetails(
    String name,
    boolean standard,
    boolean generates,
    boolean embeds,
    Header header,
    @Nullable Memory memory,
    @Nullable Remote remote) {

  /**
   * What is known before it is loaded.
   *
   * @param quantization how most weights are stored; empty if the file has none
   * @param context the most positions of a sequence here
   * @param bytes of its files
   */
  public record Header(
      String architecture, String quantization, int context, int layers, long bytes) {}

  /**
   * A model in memory.
   *
   * @param sha256 of its file
   * @param generator null: it is loaded for embeddings only
   */
  public record Memory(String sha256, @Nullable ModelStats generator) {}

  /**
   * A model with layers at other nodes.
   *
   * @param waitReason what is missing, in words; empty if it is ready
   */
  public record Remote(boolean ready, String waitReason) {}

  static ModelDetails of(ModelDescription model, boolean standard, List<ShelfItem> loaded) {
    RemoteModelOpener opener = model.remoteOpener();
    return new ModelDetails(
        model.name(),
        standard,
        !model.isEncoder(),
        opener == null,
        new Header(
            model.config().architecture().key(),
            model.quantization(),
            model.capacity(),
            model.config().layers(),
            model.weightBytes()),
        memory(model.name(), loaded),
        opener == null ? null : remote(opener));
  }

  /** A model may be loaded twice: once to generate, and once for embeddings. */
  private static @Nullable Memory memory(String name, List<ShelfItem> loaded) {
    Memory embedder = null;
    for (ShelfItem item : loaded) {
      if (item instanceof LoadedModel model && model.name().equals(name)) {
        return new Memory(model.sha256(), model.stats());
      }
      if (item instanceof LoadedEmbedder model && model.name().equals(name)) {
        embedder = new Memory(model.sha256(), null);
      }
    }
    return embedder;
  }

  private static Remote remote(RemoteModelOpener opener) {
    boolean ready = opener.ready();
    return new Remote(ready, ready ? "" : opener.waitReason());
  }
}
