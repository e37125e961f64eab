package dev.millrace.engine.tensor;

import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.TensorInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What turning a tensor of a file into a matrix needs: who computes, where it goes, and the rows as
 * the file has them.
 */
record Packing(
    Kernels kernels, Crew crew, Arena arena, Gguf gguf, TensorInfo tensor, int firstRow) {

  /**
   * Packs one group of rows: {@code source} has them one after the other, as in the file; missing
   * ones of the last group are zero.
   */
  @FunctionalInterface
  interface Packer {
    void pack(int group, MemorySegment source, long rowBytes, int rows);
  }

  /**
   * Reads group by group through the file's channel and packs each, all workers at once: the
   * weights are in memory once.
   */
  void each(int rows, Packer packer) {
    long rowBytes = tensor.type().rowBytes(tensor.columns());
    int groups = (rows + RowGroups.GROUP - 1) / RowGroups.GROUP;
    MemorySegment[] buffers = new MemorySegment[crew.threads()];
    try (Arena scratch = Arena.ofShared()) {
      for (int i = 0; i < buffers.length; i++) {
        buffers[i] = scratch.allocate(rowBytes * RowGroups.GROUP, 64);
      }
      for (int first = 0; first < groups; first += Crew.MAX_PARTS / 2) {
        int from = first;
        crew.run(
            Math.min(groups - first, Crew.MAX_PARTS / 2),
            (part, worker) -> pack(from + part, rows, rowBytes, buffers[worker], packer));
      }
    }
  }

  private void pack(int group, int rows, long rowBytes, MemorySegment buffer, Packer packer) {
    int first = group * RowGroups.GROUP;
    int count = Math.min(RowGroups.GROUP, rows - first);
    if (count < RowGroups.GROUP) {
      buffer.fill((byte) 0);
    }
    gguf.read(tensor, (firstRow + (long) first) * rowBytes, buffer.asSlice(0, count * rowBytes));
    packer.pack(group, buffer, rowBytes, count);
  }

  static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
}
