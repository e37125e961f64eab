package dev.millrace.engine;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.kernel.Dequantizer;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The recorded output of the versions of the arithmetic that this engine has. Jobs are resumed and
 * results are verified if the versions are the same: then this output must be the same, too. If it
 * is not, the test names the version to raise.
 */
@Timeout(120)
class NumericsVersionTest {
  private static final NumericsVersion WRITTEN_AT = NumericsVersion.of(1);
  private static final int[] GREEDY = {
    43, 213, 134, 190, 275, 181, 133, 316, 121, 62, 58, 212, 127, 137, 137, 6, 20, 108, 138, 27, 64,
    148, 132, 77
  };
  private static final int[] SAMPLED = {
    165, 286, 193, 156, 113, 313, 25, 314, 133, 312, 123, 62, 211, 26, 0, 162, 23, 206, 248, 288,
    153, 90, 133, 105
  };

  /** A digest of all bits of a vector, by model: any different rounding shows in one of them. */
  private static final Map<String, Integer> VECTORS =
      Map.ofEntries(
          entry("gemma2 Q4_1", -1432971460),
          entry("gemma3 Q8_0", -1502981326),
          entry("gpt2 BF16", 2124834707),
          entry("llama BF16", 708315010),
          entry("llama F16", -1111478794),
          entry("llama F16 odd", -1957832989),
          entry("llama F32", 1194746698),
          entry("llama IQ2_XXS", 507304214),
          entry("llama IQ4_NL", 115480542),
          entry("llama IQ4_XS", -485114705),
          entry("llama Q2_K", 1779238657),
          entry("llama Q3_K", -910110218),
          entry("llama Q4_0", 1775844859),
          entry("llama Q4_1", 2096586122),
          entry("llama Q4_K", -91044488),
          entry("llama Q4_K_M", 1751980535),
          entry("llama Q5_0", -369521755),
          entry("llama Q5_1", 859810125),
          entry("llama Q5_K", 1683239002),
          entry("llama Q6_K", 2116177344),
          entry("llama Q8_0", 591466987),
          entry("llama Q8_0 long", 149337475),
          entry("phi3 Q5_0", 1992087501),
          entry("qwen3moe IQ4_NL", 1026600770));

  private static final String TEXT = "Once upon a time, 1234 mills turned.";
  private static final EngineSettings SETTINGS =
      EngineSettings.usual().withThreads(2).withContext(128);

  @TempDir Path directory;

  @Test
  void theOutputIsRecordedAtTheVersionsOfNow() {
    NumericsVersion now = new ModelNumerics(SupportedNumerics.CURRENT, formats()).newest();
    assertThat(now).as("record the new output here").isEqualTo(WRITTEN_AT);
  }

  /** Every format by its name in lower case. */
  private static Set<String> formats() {
    return Arrays.stream(TensorType.values())
        .filter(Dequantizer::supports)
        .map(NumericsVersionTest::name)
        .collect(Collectors.toSet());
  }

  private static String name(TensorType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  @Test
  void theTokensAreThoseOfThisVersion() throws Exception {
    String rule =
        "if all vectors are the same, raise the common version; else what their test says";
    assertThat(tokens(Sampling.greedy())).as(rule).isEqualTo(GREEDY);
    Sampling sampling =
        Sampling.builder()
            .temperature(1.5)
            .topK(60)
            .topP(0.97)
            .minP(0.001)
            .repetitionPenalty(1.1)
            .penaltyWindow(16)
            .seed(42)
            .build();
    assertThat(tokens(sampling)).as(rule).isEqualTo(SAMPLED);
  }

  private int[] tokens(Sampling sampling) throws Exception {
    Path model = TinyModel.of("llama", TensorType.Q8_0).in(directory);
    try (Engine engine = Engine.open(model, SETTINGS)) {
      GenerationRequest request =
          GenerationRequest.of(engine.prompts().raw(TEXT), sampling, 24).ignoringEnd();
      return engine.submit(request, (id, text, logprobs) -> {}).await().tokens();
    }
  }

  @Test
  void theVectorsAreThoseOfTheseVersions() throws IOException {
    Map<String, Integer> vectors = new TreeMap<>();
    Map<String, Set<String>> formats = new TreeMap<>();
    for (TinyModel model : models()) {
      try (Embeddings embeddings = Embeddings.open(model.in(directory), SETTINGS)) {
        int[][] texts = {embeddings.tokenizer().encode(TEXT, true, true)};
        float[] vector = embeddings.embed(texts, Pooling.MEAN, true)[0];
        vectors.put(model.name(), Arrays.hashCode(vector));
        formats.put(model.name(), embeddings.numerics().formats());
      }
    }
    assertThat(formats.values().stream().flatMap(Set::stream)).containsAll(formats());
    Set<String> changed = new TreeSet<>(vectors.keySet());
    changed.removeIf(model -> vectors.get(model).equals(VECTORS.get(model)));
    assertThat(vectors).as(whatToRaise(changed, formats)).isEqualTo(VECTORS);
  }

  /** The kinds of arithmetic and architectures, and every format alone. */
  private static Collection<TinyModel> models() {
    Map<String, TinyModel> models = new TreeMap<>();
    TinyModel.USUAL.forEach(model -> models.put(model.name(), model));
    Arrays.stream(TensorType.values())
        .filter(Dequantizer::supports)
        .map(type -> TinyModel.of("llama", type))
        .forEach(model -> models.put(model.name(), model));
    return models.values();
  }

  /** Concludes from the models whose output has changed, and from those whose output has not. */
  private static String whatToRaise(Set<String> changed, Map<String, Set<String>> formats) {
    Set<String> concerned = new TreeSet<>();
    changed.forEach(model -> concerned.addAll(formats.get(model)));
    Set<String> suspects = new TreeSet<>(concerned);
    formats.forEach(
        (model, used) -> {
          if (!changed.contains(model)) {
            suspects.removeAll(used);
          }
        });
    String version = "the version of " + suspects;
    if (changed.size() == formats.size()) {
      version = "the common version";
    } else if (suspects.isEmpty()) {
      version = "the common version, or that of one of " + concerned;
    }
    return "this change alters the output of %s: raise %s in SupportedNumerics.CURRENT, and record the new output here"
        .formatted(changed, version);
  }

  @Test
  void theFormatThatChangedIsNamed() {
    Map<String, Set<String>> formats =
        Map.of(
            "a", Set.of("q8_0"),
            "b", Set.of("q4_k", "q6_k"),
            "c", Set.of("q6_k"),
            "d", Set.of("q8_0", "q6_k"));
    assertThat(whatToRaise(Set.of("a", "d"), formats)).contains("raise the version of [q8_0] in");
    assertThat(whatToRaise(Set.of("b"), formats)).contains("raise the version of [q4_k] in");
    assertThat(whatToRaise(formats.keySet(), formats)).contains("raise the common version in");
    assertThat(whatToRaise(Set.of("c"), formats))
        .contains("raise the common version, or that of one of [q6_k] in");
  }
}
