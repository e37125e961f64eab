package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.command.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrowingOutputTest {
  @TempDir Path dir;
  private Path out;
  private Path partial;

  @BeforeEach
  void name() {
    out = dir.resolve("out.jsonl");
    partial = dir.resolve("out.jsonl.partial");
  }

  private static void append(GrowingOutput file, String... lines) throws IOException {
    for (String line : lines) {
      file.append((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
    file.flush();
  }

  @Test
  void itHasItsNameOnlyWhenItIsComplete() throws IOException {
    Files.writeString(out, "of an earlier run\n");
    try (GrowingOutput file = GrowingOutput.open(out)) {
      append(file, "one");
      assertThat(partial).hasContent("one\n");
      append(file, "two");
      assertThat(out).hasContent("of an earlier run\n");
      file.publish();
    }
    assertThat(out).hasContent("one\ntwo\n");
    assertThat(partial).doesNotExist();
  }

  /** A crash can cut it anywhere. */
  @Test
  void whereverItWasCutItIsContinued() throws IOException {
    String whole = "erste Zeile\nzweite Zeile: ä\ndritte\n";
    byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
    for (int cut = 0; cut <= bytes.length; cut++) {
      byte[] left = java.util.Arrays.copyOf(bytes, cut);
      Files.write(partial, left);
      long lines =
          new String(left, StandardCharsets.ISO_8859_1).chars().filter(c -> c == '\n').count();
      try (GrowingOutput file = GrowingOutput.open(out)) {
        assertThat(Files.readString(partial).lines().count()).as("cut at %d", cut).isEqualTo(lines);
        append(file, whole.split("\n"));
        file.publish();
      }
      assertThat(out).content().as("cut at %d", cut).isEqualTo(whole);
    }
  }

  @Test
  void aLastLineLongerThanTheBufferIsCutToo() throws IOException {
    Files.writeString(partial, "one\n" + "x".repeat(200_000));
    try (GrowingOutput _ = GrowingOutput.open(out)) {
      assertThat(partial).hasContent("one\n");
    }
  }

  @Test
  void linesThatDoNotBelongThereAreReplaced() throws IOException {
    Files.writeString(partial, "one\nother\nthree\nfour\n");
    try (GrowingOutput file = GrowingOutput.open(out)) {
      append(file, "one");
      assertThat(partial).as("nothing is known about the rest").hasContent("one\n");
      append(file, "two", "three");
      assertThat(partial).hasContent("one\ntwo\nthree\n");
    }
    assertThat(partial).as("kept for the next run").exists();
  }

  @Test
  void oneProcessAtATimeWritesIt() throws IOException {
    try (GrowingOutput _ = GrowingOutput.open(out)) {
      assertThatThrownBy(() -> GrowingOutput.open(out))
          .isInstanceOf(CommandException.class)
          .hasMessageContainingAll("another process writes", "--out");
    }
    assertThat(partial).as("nothing was written").doesNotExist();
    GrowingOutput.open(out).close();
  }
}
