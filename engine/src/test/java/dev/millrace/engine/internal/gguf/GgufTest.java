package dev.millrace.engine.internal.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.TestData;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.gguf.GgufMetadata;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GgufTest {
  @TempDir Path dir;

  private static void refused(Path file, String... texts) {
    assertThatThrownBy(() -> Gguf.open(file).close())
        .isInstanceOf(GgufException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContainingAll(texts);
  }

  private Path file(byte[] bytes) throws IOException {
    return Files.write(dir.resolve("made.gguf"), bytes);
  }

  /** A header of given numbers, then more numbers. */
  private Path header(int version, long tensors, long keys, long... more) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(24 + 8 * more.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0x46554747).putInt(version).putLong(tensors).putLong(keys);
    for (long number : more) {
      out.putLong(number);
    }
    return file(out.array());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void whatIsWrittenIsRead(int version) throws IOException {
    try (Gguf model = Gguf.open(SampleGguf.write(dir.resolve("x.gguf"), version))) {
      GgufMetadata metadata = model.metadata();
      assertThat(metadata.string("general.architecture")).isEqualTo("sample");
      assertThat(metadata.integer("a.u8")).isEqualTo(255);
      assertThat(metadata.integer("a.i8")).isEqualTo(-128);
      assertThat(metadata.integer("a.u16")).isEqualTo(65_535);
      assertThat(metadata.integer("a.i16")).isEqualTo(-32_768);
      assertThat(metadata.longInteger("a.u32")).isEqualTo(0xFFFF_FFFFL);
      assertThat(metadata.integer("a.i32")).isEqualTo(Integer.MIN_VALUE);
      assertThat(metadata.longInteger("a.u64")).isEqualTo(Long.MAX_VALUE);
      assertThat(metadata.longInteger("a.i64")).isEqualTo(Long.MIN_VALUE);
      assertThat(metadata.number("a.f32")).isEqualTo(1.5f);
      assertThat(metadata.find("a.f64")).contains(Math.PI);
      assertThat(metadata.flag("a.true", false)).isTrue();
      assertThat(metadata.flag("a.false", true)).isFalse();
      assertThat(metadata.string("a.text")).isEqualTo("grüße \0 𝄞");
      assertThat(metadata.string("a.empty")).isEmpty();
      assertThat(metadata.strings("b.strings")).containsExactly("x", "", "\uDCFFé\uDC80");
      assertThat(metadata.integers("b.i32")).containsExactly(1, -1, 2);
      assertThat(metadata.numbers("b.f32")).containsExactly(-1.5f, Float.NaN);
      assertThat(metadata.integers("b.u8")).containsExactly(0, 1, 127);
      assertThat(metadata.findFlags("b.bools").orElseThrow()).containsExactly(true, false);
      assertThat(metadata.integers("b.none")).isEmpty();
      assertThat(Arrays.deepToString((Object[]) metadata.all().get("c.nested")))
          .isEqualTo("[[1, 2], [], [3]]");
      assertThat(Arrays.deepToString((Object[]) metadata.all().get("c.deep")))
          .isEqualTo("[[[q], []]]");
      assertThat(metadata.all().keySet()).startsWith("general.architecture", "general.alignment");
    }
  }

  @Test
  void tensorsAreReadFromAnyPlaceIntoAnyMemory() throws IOException {
    Path file = SampleGguf.write(dir.resolve("x.gguf"), 3);
    try (Gguf model = Gguf.open(file);
        Arena arena = Arena.ofConfined()) {
      assertThat(model.tensors())
          .extracting(TensorInfo::name)
          .containsExactly("t.f32", "t.q4_0", "t.q6_k", "t.i8");
      assertThat(model.tensors()).allMatch(tensor -> tensor.offset() % 64 == 0);
      TensorInfo floats = model.tensor("t.f32").orElseThrow();
      float[] numbers = new float[6];
      model.read(floats, 0, MemorySegment.ofArray(numbers));
      assertThat(numbers).containsExactly(1, 2, 3, 4, 5, 6);
      TensorInfo blocks = model.tensor("t.q4_0").orElseThrow();
      assertThat(blocks.bytes()).isEqualTo(3 * 2 * 18);
      MemorySegment some = arena.allocate(20);
      model.read(blocks, 50, some);
      MemorySegment expected = arena.allocate(20);
      SampleGguf.count(50, expected);
      assertThat(some.mismatch(expected)).isEqualTo(-1);
      assertThatThrownBy(() -> model.read(blocks, 90, some))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(model.tensor("none")).isEmpty();
    }
  }

  @Test
  void aTensorOfManyChunksIsWrittenWholeRowByWholeRow() throws IOException {
    Path file = dir.resolve("large.gguf");
    long[] shape = {3 * 256, 3_001};
    new GgufWriter()
        .tensor(
            "large",
            TensorType.Q4_K,
            shape,
            (offset, chunk) -> {
              assertThat(offset % 432).isZero();
              assertThat(chunk.byteSize() % 432).isZero();
              SampleGguf.count(offset, chunk);
            })
        .tensor("long", TensorType.F32, new long[] {700_000}, SampleGguf::count)
        .write(file);
    try (Gguf model = Gguf.open(file)) {
      for (TensorInfo tensor : model.tensors()) {
        byte[] bytes = new byte[Math.toIntExact(tensor.bytes())];
        model.read(tensor, 0, MemorySegment.ofArray(bytes));
        MemorySegment expected = MemorySegment.ofArray(new byte[bytes.length]);
        SampleGguf.count(0, expected);
        assertThat(MemorySegment.ofArray(bytes).mismatch(expected)).isEqualTo(-1);
      }
    }
  }

  @Test
  void unreadableFilesAreNamed() throws IOException {
    refused(dir.resolve("none.gguf"), "there is no such file");
    refused(dir, "is a directory");
    refused(file(new byte[0]), "byte 0", "empty");
    refused(file(new byte[] {'G', 'G'}), "byte 0", "47 47 55 46");
    refused(file("PK\3\4 and more".getBytes()), "byte 0", "not 504b0304");
    refused(file("GGUF".getBytes()), "byte 4", "4 bytes");
  }

  @Test
  void otherVersionsAndByteOrdersAreRejectedByName() throws IOException {
    refused(header(1, 0, 0), "byte 4", "version must be 2 or 3, not 1");
    refused(header(4, 0, 0), "byte 4", "not 4");
    refused(header(Integer.reverseBytes(3), 0, 0), "byte 4", "big-endian", "version 3");
    Gguf.open(header(3, 0, 0)).close();
  }

  @Test
  void countsAreCheckedAgainstTheFileSize() throws IOException {
    refused(header(3, -1, 0), "byte 8", "number of tensors", "18446744073709551615");
    refused(header(3, 1L << 40, 0), "byte 8", "at most 262144");
    refused(header(3, 1000, 0), "byte 8", "takes 24000 bytes", "ends after 8 more");
    refused(header(3, 0, 60_000), "byte 16", "number of keys", "takes 780000 bytes");
    refused(header(3, 0, 1, Long.MAX_VALUE, 0), "byte 24", "a key has at most 65535 bytes");
    refused(header(3, 0, 1, 1000, 0), "byte 24", "a key takes 1000 bytes", "after 8 more");
    // the key "k", one byte, then its type
    refused(header(3, 0, 1, 1, 0x0900_006BL, 0, 0), "byte 33", "type of \"k\"", "0 to 12");
  }

  @Test
  void alignmentMustBeAPowerOfTwo() throws IOException {
    Path file = dir.resolve("x.gguf");
    new GgufWriter().put("general.alignmenu", 48).tensor("t", new long[] {1}, 1).write(file);
    byte[] bytes = Files.readAllBytes(file);
    bytes[24 + 8 + "general.alignmen".length()] = 't';
    refused(Files.write(file, bytes), "byte 49", "general.alignment", "power of two", "48");
    assertThatThrownBy(() -> new GgufWriter().alignment(48))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anUnknownTensorTypeIsNamedWithTheKnownOnes() throws IOException {
    Path file = dir.resolve("x.gguf");
    new GgufWriter().tensor("odd.weight", new long[] {1}, 1).write(file);
    byte[] bytes = Files.readAllBytes(file);
    int at = 24 + 8 + 10 + 4 + 8;
    bytes[at] = 77;
    refused(
        Files.write(file, bytes), "byte " + at, "\"odd.weight\"", "unknown type 77", "Q4_K (12)");
  }

  @Test
  void aTensorBeyondTheEndSuggestsAnIncompleteCopy() throws IOException {
    Path file = SampleGguf.write(dir.resolve("x.gguf"), 3);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(Files.size(file) - 64);
    }
    refused(file, "byte ", "\"t.i8\"", "not have been copied in full");
  }

  @Test
  void overlappingTensorsAreRejected() throws IOException {
    Path file = dir.resolve("x.gguf");
    new GgufWriter()
        .tensor("a", new long[] {16}, new float[16])
        .tensor("b", new long[] {1}, 1)
        .write(file);
    byte[] bytes = Files.readAllBytes(file);
    int offsetOfB = 24 + 2 * (8 + 1 + 4 + 8 + 4 + 8) - 8;
    assertThat(bytes[offsetOfB]).isEqualTo((byte) 64);
    bytes[offsetOfB] = 32;
    refused(Files.write(file, bytes), "byte " + offsetOfB, "\"b\"", "inside tensor \"a\"");
    bytes[offsetOfB] = 33;
    refused(Files.write(file, bytes), "byte " + offsetOfB, "multiple of 32, not 33");
  }

  @Test
  void aFileThatShrinksLaterIsNoticed() throws IOException {
    Path file = SampleGguf.write(dir.resolve("x.gguf"), 3);
    try (Gguf model = Gguf.open(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(1000);
      TensorInfo last = model.tensors().getLast();
      assertThatThrownBy(() -> model.read(last, 0, MemorySegment.ofArray(new byte[5])))
          .isInstanceOf(GgufException.class)
          .hasMessageContaining("byte " + last.offset())
          .hasMessageContaining("was longer");
    }
  }

  @Test
  void aClosedModelSaysSo() throws IOException {
    Gguf model = Gguf.open(SampleGguf.write(dir.resolve("x.gguf"), 3));
    model.close();
    model.close();
    assertThatThrownBy(
            () -> model.read(model.tensors().getFirst(), 0, MemorySegment.ofArray(new byte[1])))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("it was closed");
  }

  @Test
  void aFailedWriteLeavesNoFile() {
    Path file = dir.resolve("x.gguf");
    GgufWriter writer =
        new GgufWriter()
            .tensor(
                "t",
                TensorType.F32,
                new long[] {4},
                (offset, chunk) -> {
                  throw new IOException("no more");
                });
    assertThatThrownBy(() -> writer.write(file)).hasMessage("no more");
    assertThat(file).doesNotExist();
  }

  @Test
  void theWriterRejectsWhatDoesNotFit() {
    GgufWriter writer = new GgufWriter();
    assertThatThrownBy(() -> writer.put("k", -1)).hasMessageContaining("-1 does not fit UINT32");
    assertThatThrownBy(() -> writer.put("k", MetadataValueType.INT8, 128))
        .hasMessageContaining("INT8");
    assertThatThrownBy(
            () -> writer.tensor("t", TensorType.Q8_0, new long[] {31}, SampleGguf::count))
        .hasMessageContaining("multiple of 32");
    assertThatThrownBy(() -> writer.tensor("t", new long[] {2}, 1f))
        .hasMessageContaining("4 bytes do not fit");
  }

  @Test
  void realFilesOpen() throws IOException {
    for (String directory : List.of("models", "vocab")) {
      try (Stream<Path> files = Files.list(TestData.find(directory))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".gguf")).toList()) {
          try (Gguf model = Gguf.open(file)) {
            assertThat(model.metadata().strings("tokenizer.ggml.tokens")).hasSizeGreaterThan(500);
            assertThat(model.tensors().isEmpty()).isEqualTo(directory.equals("vocab"));
            for (TensorInfo tensor : model.tensors()) {
              byte[] last = new byte[1];
              model.read(tensor, tensor.bytes() - 1, MemorySegment.ofArray(last));
            }
          }
        }
      }
    }
  }

  @Test
  void aRealTensorHasItsNumbers() {
    try (Gguf model = Gguf.open(TestData.find("models/stories260K-f32.gguf"))) {
      TensorInfo norm = model.tensor("output_norm.weight").orElseThrow();
      MemorySegment bytes = MemorySegment.ofArray(new byte[(int) norm.bytes()]);
      model.read(norm, 0, bytes);
      for (int i = 0; i < norm.columns(); i++) {
        assertThat(bytes.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i)).isBetween(0.1f, 10f);
      }
      assertThat(ModelSummary.of(model))
          .extracting(ModelSummary::architecture, summary -> summary.layers().orElseThrow())
          .containsExactly("llama", 5);
    }
  }
}
