package dev.millrace.engine.internal.gguf;

/**
 * The description of a tensor in a file: type, shape and location.
 *
 * @param shape its extents, the fastest-varying first: a matrix is (columns, rows)
 * @param part which of a split model's files contains it, from 0
 * @param offset of its first byte in that file
 */
public record TensorInfo(String name, TensorType type, long[] shape, int part, long offset) {

  /** The number of its elements. */
  public long length() {
    long length = 1;
    for (long extent : shape) {
      length *= extent;
    }
    return length;
  }

  /** Its size in bytes. */
  public long bytes() {
    return type.rowBytes(length());
  }

  /** The length of a row. */
  public int columns() {
    return Math.toIntExact(shape[0]);
  }

  /** The number of rows, over all further dimensions. */
  public int rows() {
    return Math.toIntExact(length() / shape[0]);
  }
}
