package dev.millrace.cluster.node;

import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.place.Range;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Layers that this node has, or is getting. Belongs to the thread that computes. */
final class Held {
  final String model;
  final Range range;
  final boolean explicit; // told by this node's owner: it stays
  final @Nullable Path file; // null: to be found by its hash
  final long fileBytes;
  final long reserved; // what the weights were said to take
  final Speed speed = new Speed();
  final int layers; // of the model; 0 where not known yet
  String sha256; // empty until it is known
  Holding.State state;
  String problem = ""; // or how far it is, while it is fetched
  long bytes; // reserved, or taken
  @Nullable Weights weights;
  int users; // open sessions
  long since; // when the last of them left, or when it came

  private Held(
      String sha256,
      String model,
      int layers,
      Range range,
      @Nullable Path file,
      long fileBytes,
      long bytes) {
    this.sha256 = sha256;
    this.model = model;
    this.layers = layers;
    this.range = range;
    this.explicit = file != null;
    this.file = file;
    this.fileBytes = fileBytes;
    this.reserved = bytes;
    this.bytes = bytes;
    this.state = file == null ? Holding.State.FETCHING : Holding.State.LOADING;
  }

  /** Of a file that this node's owner named. */
  static Held explicit(String model, int layers, Range range, Path file, long bytes) {
    return new Held("", model, layers, range, file, 0, bytes);
  }

  /** Of a model that an origin asked for. */
  static Held placed(String sha256, String model, Range range, long fileBytes, long bytes) {
    return new Held(sha256, model, 0, range, null, fileBytes, bytes);
  }

  boolean isLoaded() {
    return state == Holding.State.LOADED;
  }

  boolean isComing() {
    return state == Holding.State.FETCHING || state == Holding.State.LOADING;
  }

  boolean has(int layer) {
    return range.from() <= layer && layer < range.to();
  }

  /** Whether it is of another model of that name. */
  boolean isNamesake(String otherSha256, String otherModel) {
    return model.equals(otherModel) && !sha256.isEmpty() && !sha256.equals(otherSha256);
  }

  String otherFile(String otherSha256) {
    return "model %s is another file at the origin: its hash begins with %s, here with %s; give both the same file"
        .formatted(model, digits(otherSha256), digits(sha256));
  }

  /** The first twelve, which people compare. */
  static String digits(String sha256) {
    return sha256.substring(0, Math.min(12, sha256.length()));
  }

  /** Whether it may go for the sake of others. */
  boolean isIdle() {
    return !explicit && users == 0 && !isComing();
  }

  Holding told() {
    int known = weights == null ? layers : weights.layers();
    return new Holding(
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
