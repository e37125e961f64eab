package dev.millrace.engine.internal.gguf;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;

/** Encodes a header into a growing buffer. */
final class HeaderEncoder {
  private static final String MAGIC = "GGUF";
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  byte[] bytes() {
    return out.toByteArray();
  }

  void writeHeader(int version, int tensors, int keys) {
    out.writeBytes(GgufStrings.encode(MAGIC));
    number(version, 4);
    number(tensors, 8);
    number(keys, 8);
  }

  void writeTensor(String name, long[] shape, TensorType type, long offset) {
    writeString(name);
    number(shape.length, 4);
    for (long extent : shape) {
      number(extent, 8);
    }
    number(type.id(), 4);
    number(offset, 8);
  }

  void writeRaw(byte[] bytes) {
    out.writeBytes(bytes);
  }

  HeaderEncoder writeString(String text) {
    byte[] bytes = GgufStrings.encode(text);
    number(bytes.length, 8);
    out.writeBytes(bytes);
    return this;
  }

  /** A type and its value; a Java array is an array of that type. */
  void writeValue(MetadataValueType type, Object value) {
    number((value.getClass().isArray() ? MetadataValueType.ARRAY : type).ordinal(), 4);
    value(type, value);
  }

  private void value(MetadataValueType type, Object value) {
    if (value.getClass().isArray()) {
      array(type, value);
      return;
    }
    switch (type) {
      case STRING -> writeString((String) value);
      case BOOL -> number((Boolean) value ? 1 : 0, 1);
      case FLOAT32 -> number(Float.floatToRawIntBits(((Number) value).floatValue()), 4);
      case FLOAT64 -> number(Double.doubleToRawLongBits(((Number) value).doubleValue()), 8);
      case ARRAY -> throw new IllegalArgumentException("an array's type is that of its elements");
      default -> integer(type, ((Number) value).longValue());
    }
  }

  private void array(MetadataValueType type, Object array) {
    int length = Array.getLength(array);
    boolean nested = length > 0 && Array.get(array, 0).getClass().isArray();
    number((nested ? MetadataValueType.ARRAY : type).ordinal(), 4);
    number(length, 8);
    for (int i = 0; i < length; i++) {
      value(type, Array.get(array, i));
    }
  }

  private void integer(MetadataValueType type, long value) {
    boolean signed =
        switch (type) {
          case INT8, INT16, INT32, INT64 -> true;
          default -> false;
        };
    int free = 64 - 8 * type.minBytes();
    long kept = signed ? value << free >> free : value << free >>> free;
    if (kept != value || value < 0 && !signed) {
      throw new IllegalArgumentException(value + " does not fit " + type);
    }
    number(value, type.minBytes());
  }

  private void number(long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >>> 8 * i));
    }
  }
}
