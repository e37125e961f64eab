package dev.millrace.engine.internal.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.gguf.GgufException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SplitModelTest {
  @TempDir Path dir;

  private Path path(int number) {
    return dir.resolve("m-0000" + number + "-of-00003.gguf");
  }

  private static GgufWriter part(int no, int count, int tensors) {
    return new GgufWriter()
        .put("split.no", MetadataValueType.UINT16, no)
        .put("split.count", MetadataValueType.UINT16, count)
        .put("split.tensors.count", MetadataValueType.INT32, tensors);
  }

  @BeforeEach
  void write() throws IOException {
    part(0, 3, 3).put("general.architecture", "sample").write(path(1));
    part(1, 3, 3).tensor("a", new long[] {2}, 1, 2).tensor("b", new long[] {1}, 3).write(path(2));
    part(2, 3, 3).tensor("c", new long[] {2}, 4, 5).write(path(3));
  }

  private void refused(Path file, String... texts) {
    assertThatThrownBy(() -> Gguf.open(file).close())
        .isInstanceOf(GgufException.class)
        .hasMessageStartingWith(dir.toString())
        .hasMessageContainingAll(texts);
  }

  @Test
  void anyPartOpensAll() throws IOException {
    for (int number = 1; number <= 3; number++) {
      try (Gguf model = Gguf.open(path(number))) {
        assertThat(model.file()).isEqualTo(path(1));
        assertThat(model.files()).containsExactly(path(1), path(2), path(3));
        assertThat(model.metadata().string("general.architecture")).isEqualTo("sample");
        assertThat(model.tensors()).extracting(TensorInfo::part).containsExactly(1, 1, 2);
        float[] numbers = new float[2];
        model.read(model.tensor("c").orElseThrow(), 0, MemorySegment.ofArray(numbers));
        assertThat(numbers).containsExactly(4, 5);
      }
    }
  }

  @Test
  void aMissingPartIsNamed() throws IOException {
    Files.delete(path(2));
    refused(path(1), "part 2 of 3 is missing", path(2).toString());
    refused(path(3), "part 2 of 3 is missing");
  }

  @Test
  void aPartUnderAnotherNameIsRejected() throws IOException {
    Path other = Files.move(path(1), dir.resolve("renamed.gguf"));
    refused(other, "part 1 of 3", "-00001-of-00003.gguf");
    Files.copy(path(3), path(1));
    refused(path(2), path(1).toString(), "split.no", "must be 0", "not 2");
    refused(path(1), "this is part 3 of 3");
  }

  @Test
  void partsOfDifferentModelsAreRejected() throws IOException {
    part(2, 4, 3).tensor("c", new long[] {1}, 4).write(path(3));
    refused(path(1), path(3).toString(), "split.count", "must be 3", "not 4");
    part(2, 3, 5).tensor("c", new long[] {1}, 4).write(path(3));
    refused(path(1), path(3).toString(), "split.tensors.count", "must be 3", "not 5");
    new GgufWriter().write(path(3));
    refused(path(1), path(3).toString(), "split.no", "missing");
  }

  @Test
  void tensorsAreCountedAndUnique() throws IOException {
    part(2, 3, 3).write(path(3));
    refused(path(1), "says 3 tensors", "have 2");
    part(2, 3, 3).tensor("a", new long[] {1}, 4).write(path(3));
    refused(path(1), path(3).toString(), "\"a\" is in m-00002-of-00003.gguf too");
  }

  @Test
  void aBrokenPartIsNamed() throws IOException {
    Files.write(path(2), new byte[10]);
    refused(path(1), path(2).toString(), "byte 0");
  }

  @Test
  void aNameAloneDoesNotMakeAPart() throws IOException {
    Path alone = dir.resolve("x-00001-of-00002.gguf");
    new GgufWriter().tensor("t", new long[] {1}, 1).write(alone);
    try (Gguf model = Gguf.open(alone)) {
      assertThat(model.files()).containsExactly(alone);
    }
  }
}
