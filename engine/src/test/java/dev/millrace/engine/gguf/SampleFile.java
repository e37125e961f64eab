package dev.millrace.engine.gguf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Small valid files that have everything the format knows. */
final class SampleFile {
  private SampleFile() {}

  static Path write(Path file, int version) throws IOException {
    everything(version).write(file);
    return file;
  }

  static GgufWriter everything(int version) {
    return new GgufWriter(version)
        .put("general.architecture", "sample")
        .alignment(64)
        .put("a.u8", ValueType.UINT8, 255)
        .put("a.i8", ValueType.INT8, -128)
        .put("a.u16", ValueType.UINT16, 65_535)
        .put("a.i16", ValueType.INT16, -32_768)
        .put("a.u32", ValueType.UINT32, 0xFFFF_FFFFL)
        .put("a.i32", ValueType.INT32, Integer.MIN_VALUE)
        .put("a.u64", ValueType.UINT64, Long.MAX_VALUE)
        .put("a.i64", ValueType.INT64, Long.MIN_VALUE)
        .put("a.f32", 1.5f)
        .put("a.f64", ValueType.FLOAT64, Math.PI)
        .put("a.true", true)
        .put("a.false", false)
        .put("a.text", "grüße \0 𝄞")
        .put("a.empty", "")
        .put("b.strings", "x", "", "\uDCFFé\uDC80")
        .put("b.i32", 1, -1, 2)
        .put("b.f32", -1.5f, Float.NaN)
        .put("b.u8", ValueType.UINT8, new byte[] {0, 1, 127})
        .put("b.bools", ValueType.BOOL, new boolean[] {true, false})
        .put("b.none", ValueType.UINT64, new long[0])
        .put("c.nested", ValueType.UINT16, new int[][] {{1, 2}, {}, {3}})
        .put("c.deep", ValueType.STRING, new String[][][] {{{"q"}, {}}})
        .tensor("t.f32", new long[] {3, 2}, 1, 2, 3, 4, 5, 6)
        .tensor("t.q4_0", TensorType.Q4_0, new long[] {64, 3}, SampleFile::count)
        .tensor("t.q6_k", TensorType.Q6_K, new long[] {256}, SampleFile::count)
        .tensor("t.i8", TensorType.I8, new long[] {1, 1, 1, 5}, SampleFile::count);
  }

  /** Bytes that tell where they lie. */
  static void count(long offset, MemorySegment chunk) {
    for (long i = 0; i < chunk.byteSize(); i++) {
      chunk.set(ValueLayout.JAVA_BYTE, i, (byte) ((offset + i) * 7));
    }
  }
}
