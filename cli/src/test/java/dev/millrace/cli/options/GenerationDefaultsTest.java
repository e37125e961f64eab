package dev.millrace.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.args.MemorySize;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.server.infer.parameters.SamplingParameters;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Environment variables as defaults of jobs. */
class GenerationDefaultsTest {
  @TempDir Path dir;
  private final Map<String, String> environment = new HashMap<>();

  private Shell shell() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return new Shell(
        new ByteArrayInputStream(new byte[0]), nowhere, nowhere, environment, dir, _ -> false);
  }

  private SamplingParameters defaults() {
    return GenerationDefaults.of(shell());
  }

  private void refused(String variable, String value, String message) {
    environment.put(variable, value);
    assertThatThrownBy(
            () -> {
              defaults();
              GenerationDefaults.chatTemplate(shell());
            })
        .hasMessageContaining(variable)
        .hasMessageContaining(message);
    environment.remove(variable);
  }

  @Test
  void withoutVariablesNothingIsSet() {
    assertThat(defaults()).isEqualTo(SamplingParameters.unset());
    environment.put("NRVNA_TEMP", "");
    assertThat(defaults()).isEqualTo(SamplingParameters.unset());
  }

  @Test
  void variablesOfNrvnaAreUsed() throws IOException {
    Files.writeString(dir.resolve("chat.jinja"), "{{ messages }}");
    environment.put("NRVNA_PREDICT", "100");
    environment.put("NRVNA_TEMP", "0.5");
    environment.put("NRVNA_TOP_K", "7");
    environment.put("NRVNA_TOP_P", "0.8");
    environment.put("NRVNA_MIN_P", "0");
    environment.put("NRVNA_REPEAT_PENALTY", "1.25");
    environment.put("NRVNA_REPEAT_LAST_N", "32");
    environment.put("NRVNA_SEED", "42");
    environment.put("NRVNA_THINKING", "0");
    environment.put("NRVNA_CHAT_TEMPLATE_FILE", "chat.jinja");
    assertThat(defaults())
        .isEqualTo(new SamplingParameters(100, 0.5, 7, 0.8, 0.0, 1.25, 32, 42L, false));
    assertThat(GenerationDefaults.chatTemplate(shell())).isEqualTo("{{ messages }}");
  }

  @Test
  void variablesOfMillraceWinAndAliasesCount() {
    environment.put("NRVNA_N_PREDICT", "5");
    assertThat(defaults().maxTokens()).isEqualTo(5);
    environment.put("NRVNA_PREDICT", "6");
    assertThat(defaults().maxTokens()).isEqualTo(6);
    environment.put("MILLRACE_N_PREDICT", "7");
    assertThat(defaults().maxTokens()).isEqualTo(7);
    environment.put("NRVNA_SEED", "0");
    assertThat(defaults().seed()).isNull();
    environment.put("MILLRACE_SEED", "-3");
    assertThat(defaults().seed()).isEqualTo(-3L);
  }

  @Test
  void aMalformedValueNamesItsVariable() throws IOException {
    refused("NRVNA_PREDICT", "many", "a whole number of at least 1");
    refused("NRVNA_PREDICT", "0", "a whole number of at least 1");
    refused("NRVNA_TEMP", "warm", "a number from 0 to 100");
    refused("NRVNA_TEMP", "-1", "a number from 0 to 100");
    refused("NRVNA_TEMP", "NaN", "a number from 0 to 100");
    refused("MILLRACE_TOP_K", "1.5", "a whole number of at least 0");
    refused("NRVNA_TOP_P", "0", "above 0, at most 1");
    refused("NRVNA_TOP_P", "1.1", "a number from 0 to 1");
    refused("NRVNA_MIN_P", "2", "a number from 0 to 1");
    refused("NRVNA_REPEAT_PENALTY", "0", "above 0");
    refused("NRVNA_REPEAT_LAST_N", "-2", "a whole number of at least -1");
    refused("NRVNA_SEED", "x", "64 bits");
    refused("NRVNA_THINKING", "yes", "0 or 1");
    refused("NRVNA_CHAT_TEMPLATE_FILE", "none.jinja", "does not exist");
    refused("NRVNA_CHAT_TEMPLATE_FILE", ".", "cannot be read");
    Files.write(dir.resolve("latin1"), new byte[] {(byte) 0xE9});
    refused("NRVNA_CHAT_TEMPLATE_FILE", "latin1", "not valid UTF-8");
    Files.write(dir.resolve("large"), new byte[1_000_001]);
    refused("NRVNA_CHAT_TEMPLATE_FILE", "large", "larger than 1000000 bytes");
  }

  @Test
  void variablesWithoutEffectAreNamedOnce() {
    assertThat(GenerationDefaults.unused(shell())).isEmpty();
    environment.put("NRVNA_GPU_LAYERS", "99");
    environment.put("NRVNA_TTS_MUTE_MS", "1");
    environment.put("NRVNA_TEMP", "1");
    assertThat(GenerationDefaults.unused(shell()))
        .hasSize(2)
        .allMatch(line -> line.contains("is set, but not used"))
        .anyMatch(line -> line.startsWith("NRVNA_GPU_LAYERS "));
  }

  @Test
  void amountsOfMemoryAreReadInPowersOf1024() {
    assertThat(MemorySize.parse("--memory", "4G")).isEqualTo(4L << 30);
    assertThat(MemorySize.parse("--memory", "512m")).isEqualTo(512L << 20);
    assertThat(MemorySize.parse("--memory", "1.5GiB")).isEqualTo(3L << 29);
    assertThat(MemorySize.parse("--memory", "2TB")).isEqualTo(2L << 40);
    assertThat(MemorySize.parse("--memory", "1048576")).isEqualTo(1L << 20);
    assertThat(NumberText.bytes(3L << 29)).isEqualTo("1.5 GiB");
    assertThat(NumberText.bytes(1000)).isEqualTo("1000 B");
    assertThat(NumberText.bytes((1L << 20) - 1)).isEqualTo("1.0 MiB");
    for (String wrong :
        new String[] {"", "much", "0", "1", "1000", "1023K", "-1G", "4X", "G", "9999999T", "1e3"}) {
      assertThatThrownBy(() -> MemorySize.parse("--memory", wrong))
          .as(wrong)
          .hasMessageContaining("--memory must be an amount of memory");
    }
  }
}
