package dev.millrace.store.fs.internal.disk;

import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** A file or directory of a simulated disk: what programs see, and what is durable. */
final class Inode {
  final Disk.Kind kind;
  final Map<String, Inode> names = new TreeMap<>();
  final Map<String, Inode> syncedNames = new TreeMap<>();
  Instant modified = Instant.EPOCH;
  private byte[] content = {};
  private byte[] synced = {};
  private int kept;

  Inode(Disk.Kind kind) {
    this.kind = kind;
  }

  byte[] content() {
    return content;
  }

  void append(byte[] more, int length) {
    byte[] longer = Arrays.copyOf(content, content.length + length);
    System.arraycopy(more, 0, longer, content.length, length);
    content = longer;
  }

  void cut(int length) {
    content = Arrays.copyOf(content, Math.min(length, content.length));
    kept = Math.min(kept, content.length);
  }

  void sync() {
    synced = content;
    kept = content.length;
  }

  /** Copies the contents only. */
  void take(Inode other) {
    content = other.content;
    synced = other.synced;
    kept = other.kept;
    modified = other.modified;
  }

  /** Makes the content durable, as found on the disk. */
  void found(byte[] bytes) {
    content = bytes;
    sync();
  }

  byte[] synced() {
    return synced;
  }

  /**
   * What a machine might find after a power loss: the synced bytes, all bytes, or a torn end of
   * what was written since, with zeros where the length reached the disk and the bytes did not.
   */
  byte[] maybe(RandomGenerator random) {
    if (Arrays.equals(content, synced)) {
      return content;
    }
    int torn = kept + random.nextInt(content.length - kept + 1);
    return switch (random.nextInt(5)) {
      case 0 -> synced;
      case 1 -> content;
      case 2 -> Arrays.copyOf(content, torn);
      case 3 -> Arrays.copyOf(Arrays.copyOf(content, torn), content.length);
      default -> Arrays.copyOf(content, kept);
    };
  }
}
