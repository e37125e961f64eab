package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Converts rows of a tensor in a GGUF file into a matrix in memory, with all threads of a pool. */
record TensorPacker(
    KernelType kernels,
    ComputePool pool,
    Arena arena,
    Source source,
    TensorInfo tensor,
    int firstRow) {

  /** Where the bytes of tensors come from: {@link Gguf#read}. */
  @FunctionalInterface
  interface Source {
    void read(TensorInfo tensor, long offset, MemorySegment target);
  }

  /**
   * Packs one group of rows: {@code source} has them one after the other, as in the file; missing
   * ones of the last group are zero.
   */
  @FunctionalInterface
  interface GroupPacker {
    void pack(int group, MemorySegment source, long rowBytes, int rows);
  }

  /**
   * Reads group by group through the file's channel and packs each, all workers at once: the
   * weights are in memory once.
   */
  void packGroups(int rows, GroupPacker packer) {
    long rowBytes = tensor.type().rowBytes(tensor.columns());
    int groups = (rows + InterleavedMatrix.GROUP - 1) / InterleavedMatrix.GROUP;
    MemorySegment[] buffers = new MemorySegment[pool.threads()];
    try (Arena scratch = Arena.ofShared()) {
      for (int i = 0; i < buffers.length; i++) {
        buffers[i] = scratch.allocate(rowBytes * InterleavedMatrix.GROUP, 64);
      }
      for (int first = 0; first < groups; first += ComputePool.MAX_PARTS / 2) {
        int from = first;
        pool.run(
            Math.min(groups - first, ComputePool.MAX_PARTS / 2),
            (part, worker) -> pack(from + part, rows, rowBytes, buffers[worker], packer));
      }
    }
  }

  private void pack(int group, int rows, long rowBytes, MemorySegment buffer, GroupPacker packer) {
    int first = group * InterleavedMatrix.GROUP;
    int count = Math.min(InterleavedMatrix.GROUP, rows - first);
    if (count < InterleavedMatrix.GROUP) {
      buffer.fill((byte) 0);
    }
    source.read(tensor, (firstRow + (long) first) * rowBytes, buffer.asSlice(0, count * rowBytes));
    packer.pack(group, buffer, rowBytes, count);
  }
}
