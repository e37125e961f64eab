package dev.millrace.engine.internal.gguf;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The header of one file: everything before the bytes of the tensors. The format is the "GGUF"
 * document of the ggml project (docs/gguf.md); versions 2 and 3 in little-endian differ only in the
 * number.
 *
 * @param tensors in the file's order, their part 0
 */
record GgufHeader(Map<String, Object> values, List<TensorInfo> tensors) {
  private static final int MAGIC = 0x46554747;
  private static final int MOST_KEYS = 1 << 16;
  private static final int MOST_KEY_BYTES = 65_535;
  private static final int MOST_TENSORS = 1 << 18;

  /** The fewest bytes of a key with its value, and of a tensor's entry. */
  private static final int LEAST_KEY = 8 + 4 + 1;

  private static final int LEAST_TENSOR = 8 + 4 + 4 + 8;

  /** Reads the header and checks every rule of the format. */
  static GgufHeader read(GgufCursor cursor) {
    magic(cursor);
    version(cursor);
    int tensors = count(cursor, "the number of tensors", MOST_TENSORS, LEAST_TENSOR);
    int keys = count(cursor, "the number of keys", MOST_KEYS, LEAST_KEY);
    Map<String, Object> values = values(cursor, keys);
    return new GgufHeader(
        Collections.unmodifiableMap(values),
        new TensorListReader(cursor, alignment(values)).read(tensors));
  }

  private static void magic(GgufCursor cursor) {
    if (cursor.remaining() == 0) {
      throw cursor.error(0, "the file is empty; a GGUF file starts with \"GGUF\"");
    }
    int magic = cursor.remaining() < 4 ? 0 : cursor.int32();
    if (magic != MAGIC) {
      throw cursor.error(
          0,
          "a GGUF file starts with the bytes 47 47 55 46 (\"GGUF\")"
              + (magic == 0 ? "" : String.format(", not %08x", Integer.reverseBytes(magic))));
    }
  }

  private static void version(GgufCursor cursor) {
    int version = cursor.int32();
    if (version == 2 || version == 3) {
      return;
    }
    int swapped = Integer.reverseBytes(version);
    if (swapped >= 1 && swapped <= 0xFFFF) {
      throw cursor.error(
          4,
          "the file is big-endian GGUF (version "
              + swapped
              + "); only little-endian files can be read");
    }
    throw cursor.error(
        4, "the GGUF version must be 2 or 3, not " + Integer.toUnsignedString(version));
  }

  private static int count(GgufCursor cursor, String what, int most, int least) {
    long at = cursor.offset();
    long count = cursor.int64();
    if (count < 0 || count > most) {
      throw cursor.error(
          at, what + " must be at most " + most + ", not " + Long.toUnsignedString(count));
    }
    if (!cursor.hasBytes(count * least)) {
      throw cursor.tooLong(at, what + ", " + count + ",", count * least);
    }
    return (int) count;
  }

  private static Map<String, Object> values(GgufCursor cursor, int keys) {
    Map<String, Object> values = new LinkedHashMap<>();
    MetadataValueReader reader = new MetadataValueReader(cursor);
    for (int i = 0; i < keys; i++) {
      long at = cursor.offset();
      String key = cursor.string("a key", MOST_KEY_BYTES);
      if (key.isEmpty()) {
        throw cursor.error(at, "key number " + i + " is empty");
      }
      if (GgufStrings.hasEscapedBytes(key)) {
        throw cursor.error(at, "key number " + i + " is not UTF-8");
      }
      if (values.containsKey(key)) {
        throw cursor.error(at, "key " + GgufStrings.quote(key) + " appears twice");
      }
      values.put(key, checked(cursor, key, reader));
    }
    return values;
  }

  /** The value of a key. The one key that the format itself uses is checked at once. */
  private static Object checked(GgufCursor cursor, String key, MetadataValueReader reader) {
    long at = cursor.offset();
    Object value = reader.next(key);
    if (key.equals(TensorListReader.ALIGNMENT)
        && !(value instanceof Long number && TensorListReader.isAlignment(number))) {
      throw cursor.error(
          at,
          "\""
              + key
              + "\" must be a power of two from 1 to "
              + TensorListReader.MOST_ALIGNMENT
              + ", not "
              + value);
    }
    return value;
  }

  private static int alignment(Map<String, Object> values) {
    return values.get(TensorListReader.ALIGNMENT) instanceof Long alignment
        ? alignment.intValue()
        : TensorListReader.USUAL_ALIGNMENT;
  }
}
