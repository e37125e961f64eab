package dev.millrace.engine.toolcall;

import static dev.millrace.engine.toolcall.ToolCallFormat.DEEPSEEK_R1;
import static dev.millrace.engine.toolcall.ToolCallFormat.DEEPSEEK_V3_1;
import static dev.millrace.engine.toolcall.ToolCallFormat.FUNCTIONARY;
import static dev.millrace.engine.toolcall.ToolCallFormat.GENERIC;
import static dev.millrace.engine.toolcall.ToolCallFormat.HERMES;
import static dev.millrace.engine.toolcall.ToolCallFormat.MISTRAL_NEMO;
import static dev.millrace.engine.toolcall.ToolCallFormat.MISTRAL_SMALL;
import static dev.millrace.engine.toolcall.ToolCallFormat.QWEN3_CODER;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ToolCallFormatTest {
  /** All others of the recorded templates have no calls, or write them in another way. */
  private static final Map<String, ToolCallFormat> EXPECTED =
      Map.ofEntries(
          entry("MiMo-VL", HERMES),
          entry("Mistral-Small-3.2-24B-Instruct-2506", MISTRAL_SMALL),
          entry("Qwen-QwQ-32B", HERMES),
          entry("Qwen-Qwen2.5-7B-Instruct", HERMES),
          entry("Qwen-Qwen3-0.6B", HERMES),
          entry("Qwen3-Coder", QWEN3_CODER),
          entry("Qwen3.5-4B", QWEN3_CODER),
          entry("StepFun3.5-Flash", QWEN3_CODER),
          entry("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", DEEPSEEK_R1),
          entry("deepseek-ai-DeepSeek-V3.1", DEEPSEEK_V3_1),
          entry("ibm-granite-granite-4.0", HERMES),
          entry("llama-cpp-deepseek-r1", DEEPSEEK_R1),
          entry("meetkai-functionary-medium-v3.1", FUNCTIONARY),
          entry("mistralai-Ministral-3-14B-Reasoning-2512", MISTRAL_SMALL),
          entry("mistralai-Mistral-Nemo-Instruct-2407", MISTRAL_NEMO),
          entry("unsloth-mistral-Devstral-Small-2507", MISTRAL_SMALL));

  @Test
  void recordedTemplatesAreRecognized() throws Exception {
    Path folder =
        Path.of(
            Objects.requireNonNull(getClass().getResource("/chat/templates"), "templates").toURI());
    Map<String, ToolCallFormat> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".jinja")).toList()) {
        ToolCallFormat format = ToolCallFormat.usedBy(read(file));
        if (format != GENERIC) {
          found.put(file.getFileName().toString().replace(".jinja", ""), format);
        }
      }
    }
    assertThat(found).isEqualTo(new TreeMap<>(EXPECTED));
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }

  @Test
  void otherFamiliesAreRecognizedByTheirMarkers() {
    assertThat(
            ToolCallFormat.usedBy(
                "{{- \"<|start_header_id|>system<|end_header_id|>\\n\\nEnvironment: ipython\\n\" }}"
                    + "{{- '{\"name\": \"' + tool_call.name + '\", \"parameters\": ' }}"))
        .isEqualTo(ToolCallFormat.LLAMA3);
    assertThat(
            ToolCallFormat.usedBy(
                "{{ '<start_of_turn>' + role + '\\n' + content + '<end_of_turn>' }}"))
        .isEqualTo(ToolCallFormat.GEMMA);
    assertThat(ToolCallFormat.usedBy("{{ content + '<|tool|>' + message['tools'] + '<|/tool|>' }}"))
        .isEqualTo(ToolCallFormat.PHI4_MINI);
    assertThat(ToolCallFormat.usedBy("{{ messages }}")).isEqualTo(GENERIC);
  }

  @Test
  void formatsHaveIds() {
    for (ToolCallFormat format : ToolCallFormat.values()) {
      assertThat(ToolCallFormat.named(format.id())).contains(format);
      assertThat(format.id()).matches("[a-z0-9.-]+");
    }
    assertThat(ToolCallFormat.named("GENERIC")).isEmpty();
  }
}
