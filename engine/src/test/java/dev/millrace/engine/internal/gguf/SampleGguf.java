package dev.millrace.engine.internal.gguf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Small valid files with everything in the format. */
final class SampleGguf {
  private SampleGguf() {}

  static Path write(Path file, int version) throws IOException {
    everything(version).write(file);
    return file;
  }

  static GgufWriter everything(int version) {
    return new GgufWriter(version)
        .put("general.architecture", "sample")
        .alignment(64)
        .put("a.u8", MetadataValueType.UINT8, 255)
        .put("a.i8", MetadataValueType.INT8, -128)
        .put("a.u16", MetadataValueType.UINT16, 65_535)
        .put("a.i16", MetadataValueType.INT16, -32_768)
        .put("a.u32", MetadataValueType.UINT32, 0xFFFF_FFFFL)
        .put("a.i32", MetadataValueType.INT32, Integer.MIN_VALUE)
        .put("a.u64", MetadataValueType.UINT64, Long.MAX_VALUE)
        .put("a.i64", MetadataValueType.INT64, Long.MIN_VALUE)
        .put("a.f32", 1.5f)
        .put("a.f64", MetadataValueType.FLOAT64, Math.PI)
        .put("a.true", true)
        .put("a.false", false)
        .put("a.text", "grüße \0 𝄞")
        .put("a.empty", "")
        .put("b.strings", "x", "", "\uDCFFé\uDC80")
        .put("b.i32", 1, -1, 2)
        .put("b.f32", -1.5f, Float.NaN)
        .put("b.u8", MetadataValueType.UINT8, new byte[] {0, 1, 127})
        .put("b.bools", MetadataValueType.BOOL, new boolean[] {true, false})
        .put("b.none", MetadataValueType.UINT64, new long[0])
        .put("c.nested", MetadataValueType.UINT16, new int[][] {{1, 2}, {}, {3}})
        .put("c.deep", MetadataValueType.STRING, new String[][][] {{{"q"}, {}}})
        .tensor("t.f32", new long[] {3, 2}, 1, 2, 3, 4, 5, 6)
        .tensor("t.q4_0", TensorType.Q4_0, new long[] {64, 3}, SampleGguf::count)
        .tensor("t.q6_k", TensorType.Q6_K, new long[] {256}, SampleGguf::count)
        .tensor("t.i8", TensorType.I8, new long[] {1, 1, 1, 5}, SampleGguf::count);
  }

  /** Bytes that encode their offset. */
  static void count(long offset, MemorySegment chunk) {
    for (long i = 0; i < chunk.byteSize(); i++) {
      chunk.set(ValueLayout.JAVA_BYTE, i, (byte) ((offset + i) * 7));
    }
  }
}
