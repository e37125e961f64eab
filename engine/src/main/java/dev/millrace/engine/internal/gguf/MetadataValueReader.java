package dev.millrace.engine.internal.gguf;

import static dev.millrace.engine.internal.gguf.GgufStrings.quote;

/**
 * Reads metadata values. The limits are far above the needs of known files (the largest
 * vocabularies have about a million and a half array elements). They keep a forged file from using
 * more memory than a small multiple of its real size.
 */
final class MetadataValueReader {
  /** The most bytes of a string value; chat templates have about ten thousand. */
  static final int MOST_STRING = 1 << 24;

  /** The most elements of all arrays of a file together. */
  static final int MOST_ELEMENTS = 1 << 23;

  /** How deep arrays may be nested. */
  static final int MOST_DEPTH = 4;

  private final GgufCursor cursor;
  private int elements;

  MetadataValueReader(GgufCursor cursor) {
    this.cursor = cursor;
  }

  /** Reads the type and the value that follow. */
  Object next(String key) {
    return value(type(key), key);
  }

  private MetadataValueType type(String key) {
    long at = cursor.offset();
    int id = cursor.int32();
    if (!MetadataValueType.isKnown(id)) {
      throw cursor.error(
          at,
          "the type of " + quote(key) + " must be 0 to 12, not " + Integer.toUnsignedString(id));
    }
    return MetadataValueType.of(id);
  }

  private Object value(MetadataValueType type, String key) {
    return switch (type) {
      case FLOAT32, FLOAT64 -> number(type);
      case BOOL -> flag(key);
      case STRING -> cursor.string("the value of " + quote(key), MOST_STRING);
      case ARRAY -> array(key, 1);
      default -> integer(type, key);
    };
  }

  private Object array(String key, int depth) {
    long at = cursor.offset();
    if (depth > MOST_DEPTH) {
      throw cursor.error(at, quote(key) + " has arrays more than " + MOST_DEPTH + " deep");
    }
    MetadataValueType type = type(key);
    int length = length(type, key);
    return switch (type) {
      case FLOAT32, FLOAT64 -> numbers(type, length);
      case BOOL -> flags(key, length);
      case STRING -> strings(key, length);
      case ARRAY -> arrays(key, length, depth);
      default -> integers(type, key, length);
    };
  }

  private int length(MetadataValueType type, String key) {
    long at = cursor.offset();
    long length = cursor.int64();
    if (length < 0 || length > MOST_ELEMENTS - elements) {
      throw cursor.error(
          at,
          "the arrays of a file have at most "
              + MOST_ELEMENTS
              + " elements in all, but "
              + quote(key)
              + " claims "
              + Long.toUnsignedString(length));
    }
    long least = length * type.minBytes();
    if (!cursor.hasBytes(least)) {
      throw cursor.tooLong(at, quote(key) + ", an array of " + length + ",", least);
    }
    elements += (int) length;
    return (int) length;
  }

  private String[] strings(String key, int length) {
    String what = "an element of " + quote(key);
    String[] array = new String[length];
    for (int i = 0; i < length; i++) {
      array[i] = cursor.string(what, MOST_STRING);
    }
    return array;
  }

  private long[] integers(MetadataValueType type, String key, int length) {
    long[] array = new long[length];
    for (int i = 0; i < length; i++) {
      array[i] = integer(type, key);
    }
    return array;
  }

  private double[] numbers(MetadataValueType type, int length) {
    double[] array = new double[length];
    for (int i = 0; i < length; i++) {
      array[i] = number(type);
    }
    return array;
  }

  private boolean[] flags(String key, int length) {
    boolean[] array = new boolean[length];
    for (int i = 0; i < length; i++) {
      array[i] = flag(key);
    }
    return array;
  }

  private Object[] arrays(String key, int length, int depth) {
    Object[] array = new Object[length];
    for (int i = 0; i < length; i++) {
      array[i] = array(key, depth + 1);
    }
    return array;
  }

  private long integer(MetadataValueType type, String key) {
    return switch (type) {
      case UINT8 -> cursor.int8() & 0xFF;
      case INT8 -> cursor.int8();
      case UINT16 -> cursor.int16() & 0xFFFF;
      case INT16 -> cursor.int16();
      case UINT32 -> Integer.toUnsignedLong(cursor.int32());
      case INT32 -> cursor.int32();
      case UINT64 -> unsigned(key);
      case INT64 -> cursor.int64();
      default -> throw new AssertionError(type);
    };
  }

  private long unsigned(String key) {
    long at = cursor.offset();
    long value = cursor.int64();
    if (value < 0) {
      throw cursor.error(
          at, quote(key) + " must be at most 2^63 - 1, not " + Long.toUnsignedString(value));
    }
    return value;
  }

  private double number(MetadataValueType type) {
    return type == MetadataValueType.FLOAT32
        ? Float.intBitsToFloat(cursor.int32())
        : Double.longBitsToDouble(cursor.int64());
  }

  private boolean flag(String key) {
    long at = cursor.offset();
    byte value = cursor.int8();
    if (value != 0 && value != 1) {
      throw cursor.error(
          at, quote(key) + " is a boolean and must be 0 or 1, not " + (value & 0xFF));
    }
    return value == 1;
  }
}
