package dev.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Sampling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A real chat model, where {@code millrace.tinyllama} or {@code MILLRACE_TINYLLAMA} names its file:
 * TinyLlama-1.1B-Chat-v1.0 of types IQ2_XXS, Q2_K, Q4_K and Q5_K.
 */
class TinyLlamaTest {

  @Test
  void itAnswersAQuestion() throws Exception {
    String file = System.getProperty("millrace.tinyllama", System.getenv("MILLRACE_TINYLLAMA"));
    assumeTrue(file != null && Files.exists(Path.of(file)), "no TinyLlama named");
    try (Engine engine = Engine.open(Path.of(file), EngineSettings.usual().withContext(512))) {
      List<Map<String, String>> messages =
          List.of(Map.of("role", "user", "content", "What is the capital of France?"));
      PromptEncoder.ChatPrompt chat =
          engine.prompts().chat(messages, null, Map.of(), Instant.EPOCH);
      GenerationRequest request = GenerationRequest.of(chat.tokens(), Sampling.greedy(), 40);
      GenerationResult result = engine.submit(request, (token, text, logprobs) -> {}).await();
      assertThat(result.text()).contains("Paris");
    }
  }
}
