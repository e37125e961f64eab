package dev.millrace.core.move;

import dev.millrace.core.internal.hash.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The hash and the number of the records of each kind: two equal jobs have equal digests. */
public final class RecordDigest implements Consumer<JobRecord> {
  private static final class Kind {
    private final MessageDigest hash = Sha256.digest();
    private long count;

    private byte[] value() {
      return ((MessageDigest) cloned()).digest();
    }

    private Object cloned() {
      try {
        return hash.clone();
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("SHA-256 of this platform cannot be copied", e);
      }
    }
  }

  private final Map<String, Kind> kinds = new TreeMap<>();

  @Override
  public void accept(JobRecord record) {
    Kind kind = kinds.computeIfAbsent(record.kind(), _ -> new Kind());
    byte[] text = RecordText.of(record).getBytes(StandardCharsets.UTF_8);
    kind.count++;
    kind.hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
    kind.hash.update(text);
  }

  /** How many records there were. */
  public long count() {
    return kinds.values().stream().mapToLong(kind -> kind.count).sum();
  }

  /** In what another job differs from this one, for people; empty if they are equal. */
  public List<String> differences(RecordDigest other) {
    List<String> differences = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>(kinds.keySet());
    names.addAll(other.kinds.keySet());
    for (String name : names) {
      Kind own = kinds.getOrDefault(name, new Kind());
      Kind its = other.kinds.getOrDefault(name, new Kind());
      if (own.count != its.count) {
        differences.add(name + ": " + own.count + " here, " + its.count + " in the copy");
      } else if (!Arrays.equals(own.value(), its.value())) {
        differences.add(name + ": the copy has another content");
      }
    }
    return differences;
  }
}
