package dev.millrace.engine.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.KernelType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM has one vector width, so the others run in their own JVM. */
@Tag("slow")
final class KernelDigestTest {
  private static final String SCALAR = Long.toHexString(KernelDigestRun.digest(KernelType.SCALAR));

  @ParameterizedTest
  @ValueSource(ints = {128, 256, 512})
  void everyWidthGivesTheBitsOfTheOracle(int bits) throws Exception {
    String rounds = Boolean.getBoolean("millrace.proof") ? "200" : "3";
    assertThat(ask(List.of("-Dmillrace.vector.bits=" + bits), rounds)).isEqualTo(SCALAR);
  }

  @Test
  void nothingIsAllocatedAfterWarmUpWithTheFlagsOfTheLauncher() throws Exception {
    List<String> flags =
        List.of("-XX:-TieredCompilation", "-Djdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK=0");
    assertThat(ask(flags, "allocations")).isEqualTo("nothing");
  }

  private static String ask(List<String> flags, String question)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of(
            "-ea", "--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            KernelDigestRun.class.getName(),
            question));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String answer =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor())
        .as("exit status of %s, which said '%s'", command, answer)
        .isZero();
    return answer;
  }
}
