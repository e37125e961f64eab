package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.TensorType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** A file with one tensor "w" of random codes and small scales. */
final class RandomMatrixFile {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private RandomMatrixFile() {}

  static Gguf open(Path file, TensorType type, int rows, int columns, long seed)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    new GgufWriter()
        .tensor("w", type, new long[] {columns, rows}, (offset, chunk) -> fill(type, random, chunk))
        .write(file);
    return Gguf.open(file);
  }

  private static void fill(TensorType type, SplittableRandom random, MemorySegment chunk) {
    for (long at = 0; at < chunk.byteSize(); at++) {
      chunk.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
    }
    for (long block = 0; block < chunk.byteSize(); block += type.blockBytes()) {
      switch (type) {
        case F32 ->
            chunk.set(ValueLayout.JAVA_FLOAT_UNALIGNED, block, (float) random.nextDouble(-1, 1));
        case BF16 ->
            chunk.set(
                SHORT,
                block,
                (short) (Float.floatToIntBits((float) random.nextDouble(-1, 1)) >> 16));
        case Q4_1, Q5_1, Q4_K, Q5_K -> scales(random, chunk, block, block + 2);
        case Q2_K -> scales(random, chunk, block + 80, block + 82);
        case Q3_K -> scales(random, chunk, block + 108);
        case Q6_K -> scales(random, chunk, block + 208);
        default -> scales(random, chunk, block);
      }
    }
  }

  /** Of either sign, and now and then so small that it is subnormal. */
  private static void scales(SplittableRandom random, MemorySegment chunk, long... places) {
    for (long at : places) {
      double scale =
          random.nextInt(16) == 0 ? random.nextDouble(1e-7, 1e-6) : random.nextDouble(-0.05, 0.05);
      chunk.set(SHORT, at, Float.floatToFloat16((float) scale));
    }
  }
}
