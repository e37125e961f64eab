package dev.millrace.engine.internal.gguf;

import static dev.millrace.engine.internal.gguf.GgufStrings.quote;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads the list of a file's tensors and checks that each is inside the file and overlaps no other.
 */
final class TensorListReader {
  /** The key of the alignment of the tensors' bytes. */
  static final String ALIGNMENT = "general.alignment";

  static final int USUAL_ALIGNMENT = 32;
  static final int MOST_ALIGNMENT = 1 << 20;
  static final int MOST_DIMENSIONS = 4;

  /** Bytes in a name. ggml allows 64, but longer ones exist. */
  static final int MOST_NAME = 1024;

  private final GgufCursor cursor;
  private final int alignment;

  TensorListReader(GgufCursor cursor, int alignment) {
    this.cursor = cursor;
    this.alignment = alignment;
  }

  /** An entry of the list: its offset is counted from the first tensor, {@code at} in the file. */
  private record Entry(TensorInfo tensor, long at) {}

  static boolean isAlignment(long value) {
    return value >= 1 && value <= MOST_ALIGNMENT && Long.bitCount(value) == 1;
  }

  /** The first offset at or after {@code offset} that is a multiple of the alignment. */
  static long align(long offset, int alignment) {
    return (offset + alignment - 1) & -alignment;
  }

  List<TensorInfo> read(int count) {
    List<Entry> entries = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      entries.add(entry(names));
    }
    long start = align(cursor.offset(), alignment);
    List<Entry> placed = new ArrayList<>(count);
    for (Entry entry : entries) {
      placed.add(place(entry, start));
    }
    List<TensorInfo> tensors = placed.stream().map(Entry::tensor).toList();
    separate(placed);
    return tensors;
  }

  private Entry entry(Set<String> names) {
    long at = cursor.offset();
    String name = cursor.string("a tensor's name", MOST_NAME);
    if (GgufStrings.hasEscapedBytes(name)) {
      throw cursor.error(at, "the tensor's name is not UTF-8");
    }
    if (!names.add(name)) {
      throw cursor.error(at, "tensor " + quote(name) + " appears twice");
    }
    long[] shape = shape(name);
    TensorType type = type(name);
    size(at, name, type, shape);
    long offsetAt = cursor.offset();
    return new Entry(new TensorInfo(name, type, shape, 0, cursor.int64()), offsetAt);
  }

  private long[] shape(String name) {
    long at = cursor.offset();
    int dimensions = cursor.int32();
    if (dimensions < 0 || dimensions > MOST_DIMENSIONS) {
      throw cursor.error(
          at,
          "tensor "
              + quote(name)
              + " has at most "
              + MOST_DIMENSIONS
              + " dimensions, not "
              + Integer.toUnsignedString(dimensions));
    }
    // A single number is sometimes written without any dimension.
    long[] shape = new long[Math.max(dimensions, 1)];
    Arrays.fill(shape, 1);
    for (int i = 0; i < dimensions; i++) {
      long extentAt = cursor.offset();
      shape[i] = cursor.int64();
      if (shape[i] < 1 || shape[i] > Integer.MAX_VALUE) {
        throw cursor.error(
            extentAt,
            "dimension "
                + i
                + " of tensor "
                + quote(name)
                + " must be 1 to "
                + Integer.MAX_VALUE
                + ", not "
                + Long.toUnsignedString(shape[i]));
      }
    }
    return shape;
  }

  private TensorType type(String name) {
    long at = cursor.offset();
    int id = cursor.int32();
    return TensorType.of(id)
        .orElseThrow(
            () ->
                cursor.error(
                    at,
                    "tensor "
                        + quote(name)
                        + " has the unknown type "
                        + Integer.toUnsignedString(id)
                        + "; known are "
                        + known()));
  }

  private static String known() {
    StringBuilder known = new StringBuilder();
    for (TensorType type : TensorType.values()) {
      known.append(known.isEmpty() ? "" : ", ").append(type).append(" (").append(type.id());
      known.append(')');
    }
    return known.toString();
  }

  /** Checks that rows are whole blocks and that neither rows nor bytes overflow. */
  private void size(long at, String name, TensorType type, long[] shape) {
    if (shape[0] % type.blockLength() != 0) {
      throw cursor.error(
          at,
          "rows of tensor "
              + quote(name)
              + " ("
              + type
              + ") must be a multiple of "
              + type.blockLength()
              + " long, not "
              + shape[0]);
    }
    long rows = 1;
    for (int i = 1; i < shape.length; i++) {
      rows *= shape[i];
      if (rows > Integer.MAX_VALUE) {
        throw cursor.error(
            at,
            "tensor "
                + quote(name)
                + " must have at most "
                + Integer.MAX_VALUE
                + " rows; its shape is "
                + Arrays.toString(shape));
      }
    }
    // Row and rows are below 2^31 and a number takes at most 8 bytes, so only this can overflow.
    if (Math.multiplyHigh(type.rowBytes(shape[0]), rows) != 0
        || type.rowBytes(shape[0]) * rows < 0) {
      throw cursor.error(
          at, "the bytes of tensor " + quote(name) + " " + Arrays.toString(shape) + " overflow");
    }
  }

  private Entry place(Entry entry, long start) {
    TensorInfo tensor = entry.tensor();
    long offset = tensor.offset();
    String name = "tensor " + quote(tensor.name());
    if (offset < 0 || offset % alignment != 0) {
      throw cursor.error(
          entry.at(),
          "the offset of "
              + name
              + " must be a multiple of "
              + alignment
              + ", not "
              + Long.toUnsignedString(offset));
    }
    long room = cursor.offset() + cursor.remaining() - start;
    if (offset > room || tensor.bytes() > room - offset) {
      throw cursor.error(
          entry.at(),
          name
              + " has "
              + tensor.bytes()
              + " bytes from "
              + offset
              + " on, but the file has only "
              + Math.max(room, 0)
              + " bytes of tensors; it may not have been copied in full");
    }
    return new Entry(
        new TensorInfo(tensor.name(), tensor.type(), tensor.shape(), 0, start + offset),
        entry.at());
  }

  private void separate(List<Entry> placed) {
    placed.sort(Comparator.comparingLong(entry -> entry.tensor().offset()));
    for (int i = 1; i < placed.size(); i++) {
      TensorInfo before = placed.get(i - 1).tensor();
      TensorInfo tensor = placed.get(i).tensor();
      if (before.offset() + before.bytes() > tensor.offset()) {
        throw cursor.error(
            placed.get(i).at(),
            "tensor "
                + quote(tensor.name())
                + " starts at byte "
                + tensor.offset()
                + ", inside tensor "
                + quote(before.name()));
      }
    }
  }
}
