package dev.millrace.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.DurationText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The small parts that commands share. */
class CommandPartsTest {
  @ParameterizedTest
  @CsvSource({
    "0,0ms",
    "-5,0ms",
    "999,999ms",
    "1000,1.0s",
    "59949,59.9s",
    "60000,1m",
    "61000,1m1s",
    "3600000,1h",
    "5400000,1h30m",
    "86400000,1d",
    "90000000,1d1h"
  })
  void durationsAreShort(long millis, String text) {
    assertThat(DurationText.of(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void aTableIsAlignedWithAndWithoutColours() {
    TextTable table = new TextTable("NAME", ">N", "NOTE");
    table.row("é", 10, "x");
    table.row(new TextTable.Cell("longer", Colour.RED), 5, "");
    assertThat(table.text(false)).isEqualTo("NAME     N  NOTE\né       10  x\nlonger   5  \n");
    assertThat(table.text(true)).contains("\033[31mlonger\033[0m   5");
  }

  @Test
  void foreignTextCannotControlATerminal() {
    assertThat(SanitizedText.line("a\033[2Jb\nc\u009b", 20)).isEqualTo("a [2Jb c ");
    assertThat(SanitizedText.line("abcdef", 4)).isEqualTo("abc…");
    assertThat(SanitizedText.line("abcd", 4)).isEqualTo("abcd");
    assertThat(SanitizedText.line("", 4)).isEmpty();
  }

  @Test
  void argumentsAreDecodedAsUtf8() {
    byte[] line = "java\0-jar\0x.jar\0work\0é ü\0\0".getBytes(StandardCharsets.UTF_8);
    assertThat(RawArguments.last(line, 3)).containsExactly("work", "é ü", "");
    byte[] broken = {'j', 0, 'a', (byte) 0xFF, 0};
    assertThatThrownBy(() -> RawArguments.last(broken, 1))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("argument 1 is not valid UTF-8: byte offset 1");
    String[] plain = {"a", "b"};
    assertThat(RawArguments.of(plain)).isSameAs(plain);
  }

  @Test
  void outputThatCannotBeWrittenIsAnError() {
    assertThat(status("No space left on device", 0))
        .isEqualTo("1 Error: cannot write to standard output: No space left on device\n");
    assertThat(status("Broken pipe", 0)).isEqualTo("1 ");
    assertThat(status("Broken pipe", 2)).isEqualTo("2 ");
  }

  private static String status(String problem, int status) {
    StandardOutput output =
        new StandardOutput(
            new OutputStream() {
              @Override
              public void write(int value) throws IOException {
                throw new IOException(problem);
              }
            });
    PrintStream stream = output.stream();
    stream.println("result");
    stream.flush();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    return output.status(status, errors(stream, new PrintStream(err, true))) + " " + err;
  }

  private static ErrorPrinter errors(PrintStream out, PrintStream err) {
    Shell shell =
        new Shell(InputStream.nullInputStream(), out, err, Map.of(), Path.of(""), _ -> false);
    return new ErrorPrinter(shell, false);
  }

  @Test
  void outputThatWasWrittenKeepsTheStatus() {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    StandardOutput output = new StandardOutput(to);
    PrintStream stream = output.stream();
    stream.print("é");
    stream.flush();
    assertThat(to.toString(StandardCharsets.UTF_8)).isEqualTo("é");
    assertThat(output.status(0, errors(stream, stream))).isZero();
  }
}
