package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.text.DisplayText;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Layers that this node holds or is loading. Owned by the compute thread. */
public final class LayerEntry {
  final String model;
  public final LayerRange range;
  final boolean configured; // named in the settings: never dropped
  final @Nullable Path file; // null: found by its hash
  final long fileBytes;
  final long reserved; // announced size of the weights
  public final LayerSpeed speed = new LayerSpeed();
  final int layers; // of the model; 0 while unknown
  String sha256; // empty until it is known
  HeldLayers.State state;
  String problem = ""; // or the progress of a fetch
  public long bytes; // reserved, or taken
  public @Nullable LoadedLayers weights;
  public int users; // open sessions
  public long idleSince; // when the last session closed, or when it was loaded

  /**
   * The model's file: by its path, or by its hash and size.
   *
   * @param sha256 empty: not known yet
   * @param path null: found by its hash
   * @param bytes 0: not known
   */
  private record ModelFile(String sha256, @Nullable Path path, long bytes) {}

  private LayerEntry(ModelFile file, String model, int layers, LayerRange range, long bytes) {
    this.sha256 = file.sha256();
    this.model = model;
    this.layers = layers;
    this.range = range;
    this.configured = file.path() != null;
    this.file = file.path();
    this.fileBytes = file.bytes();
    this.reserved = bytes;
    this.bytes = bytes;
    this.state = file.path() == null ? HeldLayers.State.FETCHING : HeldLayers.State.LOADING;
  }

  /** Layers of a file in the node's settings. */
  public static LayerEntry configured(
      String model, int layers, LayerRange range, Path file, long bytes) {
    return new LayerEntry(new ModelFile("", file, 0), model, layers, range, bytes);
  }

  /** Layers that an origin requested. */
  public static LayerEntry requested(
      String sha256, String model, LayerRange range, long fileBytes, long bytes) {
    return new LayerEntry(new ModelFile(sha256, null, fileBytes), model, 0, range, bytes);
  }

  boolean isLoaded() {
    return state == HeldLayers.State.LOADED;
  }

  boolean isComing() {
    return state == HeldLayers.State.FETCHING || state == HeldLayers.State.LOADING;
  }

  boolean contains(int layer) {
    return range.from() <= layer && layer < range.to();
  }

  /** Whether it belongs to another model of the same name. */
  boolean isNamesake(String otherSha256, String otherModel) {
    return model.equals(otherModel) && !sha256.isEmpty() && !sha256.equals(otherSha256);
  }

  String otherFileMessage(String otherSha256) {
    return "model %s is another file at the origin: its hash begins with %s, here with %s; use the same file on both"
        .formatted(model, DisplayText.shortHash(otherSha256), DisplayText.shortHash(sha256));
  }

  /** Whether it may be dropped to free memory. */
  boolean isIdle() {
    return !configured && users == 0 && !isComing();
  }

  HeldLayers describe() {
    int known = weights == null ? layers : weights.layers();
    return new HeldLayers(
        sha256,
        model,
        known,
        range.from(),
        range.to(),
        state,
        isIdle(),
        bytes,
        speed.rounded(),
        problem);
  }
}
