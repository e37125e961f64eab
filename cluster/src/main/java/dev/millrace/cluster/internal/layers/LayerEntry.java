package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Layers that this node has, or is getting. Belongs to the thread that computes. */
public final class LayerEntry {
  final String model;
  public final LayerRange range;
  final boolean configured; // told by this node's owner: it stays
  final @Nullable Path file; // null: to be found by its hash
  final long fileBytes;
  final long reserved; // what the weights were said to take
  public final LayerSpeed speed = new LayerSpeed();
  final int layers; // of the model; 0 where not known yet
  String sha256; // empty until it is known
  HeldLayers.State state;
  String problem = ""; // or how far it is, while it is fetched
  public long bytes; // reserved, or taken
  public @Nullable LoadedLayers weights;
  public int users; // open sessions
  public long idleSince; // when the last of them left, or when it came

  private LayerEntry(
      String sha256,
      String model,
      int layers,
      LayerRange range,
      @Nullable Path file,
      long fileBytes,
      long bytes) {
    this.sha256 = sha256;
    this.model = model;
    this.layers = layers;
    this.range = range;
    this.configured = file != null;
    this.file = file;
    this.fileBytes = fileBytes;
    this.reserved = bytes;
    this.bytes = bytes;
    this.state = file == null ? HeldLayers.State.FETCHING : HeldLayers.State.LOADING;
  }

  /** Of a file that this node's owner named. */
  public static LayerEntry configured(
      String model, int layers, LayerRange range, Path file, long bytes) {
    return new LayerEntry("", model, layers, range, file, 0, bytes);
  }

  /** Of a model that an origin asked for. */
  public static LayerEntry requested(
      String sha256, String model, LayerRange range, long fileBytes, long bytes) {
    return new LayerEntry(sha256, model, 0, range, null, fileBytes, bytes);
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

  /** Whether it is of another model of that name. */
  boolean isNamesake(String otherSha256, String otherModel) {
    return model.equals(otherModel) && !sha256.isEmpty() && !sha256.equals(otherSha256);
  }

  String otherFileMessage(String otherSha256) {
    return "model %s is another file at the origin: its hash begins with %s, here with %s; give both the same file"
        .formatted(model, shortHash(otherSha256), shortHash(sha256));
  }

  /** The first twelve, which people compare. */
  static String shortHash(String sha256) {
    return sha256.substring(0, Math.min(12, sha256.length()));
  }

  /** Whether it may go for the sake of others. */
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
