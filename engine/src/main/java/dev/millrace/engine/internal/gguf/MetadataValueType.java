package dev.millrace.engine.internal.gguf;

/** The types of metadata values; a type's ordinal is its number in a file. */
public enum MetadataValueType {
  UINT8(1),
  INT8(1),
  UINT16(2),
  INT16(2),
  UINT32(4),
  INT32(4),
  FLOAT32(4),
  BOOL(1),
  STRING(8),
  ARRAY(12),
  UINT64(8),
  INT64(8),
  FLOAT64(8);

  private static final MetadataValueType[] ALL = values();
  private final int least;

  MetadataValueType(int least) {
    this.least = least;
  }

  /** The fewest bytes that a value takes; numbers and booleans take exactly these. */
  int minBytes() {
    return least;
  }

  /** The type with this number; check it with {@link #isKnown} first. */
  static MetadataValueType of(int id) {
    return ALL[id];
  }

  static boolean isKnown(int id) {
    return id >= 0 && id < ALL.length;
  }
}
