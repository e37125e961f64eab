package dev.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * With the launcher's flags, compiled code allocates no garbage for a token, on the scheduler's
 * thread and on the pool's.
 */
@Tag("slow")
class AllocationTest {
  private static final List<String> FLAGS =
      List.of("-XX:-TieredCompilation", "-Djdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK=0");

  @TempDir Path directory;

  static Stream<TinyModel> models() {
    boolean proof = Boolean.getBoolean("millrace.proof");
    List<String> usual = List.of("llama Q4_0", "llama Q4_K_M", "qwen3moe IQ4_NL");
    return TinyModel.USUAL.stream().filter(model -> proof || usual.contains(model.name()));
  }

  @ParameterizedTest
  @MethodSource("models")
  void decodingAllocatesNextToNothing(TinyModel model) throws Exception {
    String file = model.in(directory).toString();
    Process process =
        ChildJvm.of(AllocationRun.class, FLAGS, file).redirectError(Redirect.DISCARD).start();
    String answer =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor()).as("exit status").isZero();
    assertThat(Long.parseLong(answer))
        .as("bytes per token")
        .isLessThanOrEqualTo(AllocationRun.ENOUGH);
  }
}
