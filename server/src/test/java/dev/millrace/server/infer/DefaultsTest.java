package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.gguf.Metadata;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose word counts: the job's, the server's, the file's, the family's, nrvna's. */
class DefaultsTest {
  private static final Metadata FILE =
      new Metadata(
          Map.of(
              "general.sampling.temp",
              0.7f + 0.0,
              "general.sampling.top_k",
              20L,
              "general.sampling.top_p",
              (double) 0.95f,
              "general.sampling.penalty_repeat",
              (double) 1.05f,
              "general.sampling.penalty_last_n",
              -1L));

  @Test
  void theUsualOnesAreNrvnas() {
    assertThat(Defaults.usual())
        .isEqualTo(new Defaults(2048, 0.8, 40, 0.9, 0.05, 1.1, 64, null, true, null));
  }

  @Test
  void aFileRecommendsInDecimals() {
    assertThat(Defaults.of(FILE))
        .isEqualTo(new Defaults(null, 0.7, 20, 0.95, null, 1.05, -1, null, null, null));
    assertThat(Defaults.of(new Metadata(Map.of()))).isEqualTo(Defaults.unset());
  }

  @Test
  void familiesAreKnownByName() {
    assertThat(Defaults.ofFamily("Qwen2.5-Coder-7B").temperature()).isEqualTo(0.3);
    assertThat(Defaults.ofFamily("codellama").temperature()).isEqualTo(0.3);
    assertThat(Defaults.ofFamily("DeepSeek-V2").temperature()).isEqualTo(0.6);
    assertThat(Defaults.ofFamily("qwen3-r1").temperature()).isEqualTo(0.6);
    assertThat(Defaults.ofFamily("llama").temperature()).isNull();
  }

  @Test
  void theFirstWhoSaysSomethingIsHeard() {
    Defaults heard =
        Defaults.unset()
            .withTopK(5)
            .orElse(Defaults.of(FILE))
            .orElse(Defaults.ofFamily("coder"))
            .orElse(Defaults.usual());
    assertThat(heard).isEqualTo(new Defaults(2048, 0.7, 5, 0.95, 0.05, 1.05, -1, null, true, null));
  }
}
