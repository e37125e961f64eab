package dev.millrace.cli.options;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.Utf8Decoder;
import dev.millrace.server.infer.parameters.SamplingParameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Defaults for generation parameters that a job does not set, from environment variables: nrvna's,
 * each also as {@code MILLRACE_…}.
 */
public final class GenerationDefaults {
  private static final int MOST_TEMPLATE = 1_000_000;

  /** Variables of nrvna that have no effect here, and why. */
  private static final String[][] UNUSED = {
    {"GPU_LAYERS", "models run on the CPU"},
    {"BATCH", "the engine chooses the batch size"},
    {"UBATCH", "the engine chooses the batch size"},
    {"FLASH_ATTN", "there is only one attention kernel"},
    {"VISION_TEMP", "images are not supported"},
    {"IMAGE_MAX_TOKENS", "images are not supported"},
    {"MAX_IMAGE_SIZE", "images are not supported"},
    {"STT_TEMP", "audio is not supported"},
    {"STT_PREDICT", "audio is not supported"},
    {"MAX_AUDIO_SIZE", "audio is not supported"},
    {"TTS_REPEAT_PENALTY", "speech is not supported"},
    {"TTS_REPEAT_LAST_N", "speech is not supported"},
    {"TTS_MUTE_MS", "speech is not supported"},
    {"MAX_PROMPT_SIZE", "prompts have at most 10000000 bytes"},
  };

  private GenerationDefaults() {}

  public static SamplingParameters of(Shell shell) {
    EnvironmentVariables variables = new EnvironmentVariables(shell);
    return SamplingParameters.builder()
        .maxTokens(variables.integer(1, Integer.MAX_VALUE, "PREDICT", "N_PREDICT"))
        .temperature(variables.number(0, 100, "TEMP"))
        .topK(variables.integer(0, Integer.MAX_VALUE, "TOP_K"))
        .topP(variables.positive(1, "TOP_P"))
        .minP(variables.number(0, 1, "MIN_P"))
        .repeatPenalty(variables.positive(100, "REPEAT_PENALTY"))
        .repeatLastN(variables.integer(-1, Integer.MAX_VALUE, "REPEAT_LAST_N"))
        .seed(variables.seed("SEED"))
        .thinking(variables.flag("THINKING"))
        .build();
  }

  /** The chat template that replaces those of the model files; null: none is set. */
  public static @Nullable String chatTemplate(Shell shell) {
    EnvironmentVariables.Value value = new EnvironmentVariables(shell).find("CHAT_TEMPLATE_FILE");
    if (value == null) {
      return null;
    }
    Path file = shell.path(value.text());
    try {
      if (Files.size(file) > MOST_TEMPLATE) {
        throw new CommandException(
            value.variable() + ": " + file + " is larger than " + MOST_TEMPLATE + " bytes");
      }
      byte[] bytes = Files.readAllBytes(file);
      return Utf8Decoder.decode(bytes, 0, bytes.length, value.variable() + ": " + file);
    } catch (IOException e) {
      throw new CommandException(
          value.variable() + ": the chat template cannot be read: " + ErrorText.of(e));
    }
  }

  /** A line for each variable that is set but has no effect. */
  public static List<String> unused(Shell shell) {
    List<String> lines = new ArrayList<>();
    for (String[] each : UNUSED) {
      EnvironmentVariables.Value value = new EnvironmentVariables(shell).find(each[0]);
      if (value != null) {
        lines.add(value.variable() + " is set, but not used: " + each[1]);
      }
    }
    return lines;
  }
}
