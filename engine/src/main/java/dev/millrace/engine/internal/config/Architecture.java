package dev.millrace.engine.internal.config;

import static dev.millrace.engine.internal.config.ArchitectureTrait.BIASES;
import static dev.millrace.engine.internal.config.ArchitectureTrait.ENCODER;
import static dev.millrace.engine.internal.config.ArchitectureTrait.EXPERTS;
import static dev.millrace.engine.internal.config.ArchitectureTrait.GATED;
import static dev.millrace.engine.internal.config.ArchitectureTrait.GELU;
import static dev.millrace.engine.internal.config.ArchitectureTrait.HEAD_NORMS;
import static dev.millrace.engine.internal.config.ArchitectureTrait.LAYER_NORM;
import static dev.millrace.engine.internal.config.ArchitectureTrait.LEARNED_POSITIONS;
import static dev.millrace.engine.internal.config.ArchitectureTrait.QKV_BIASES;
import static dev.millrace.engine.internal.config.ArchitectureTrait.ROTATED_HALVES;
import static dev.millrace.engine.internal.config.ArchitectureTrait.ROTATED_PAIRS;
import static dev.millrace.engine.internal.config.ArchitectureTrait.SANDWICH_NORMS;
import static dev.millrace.engine.internal.config.ArchitectureTrait.SCALED_EMBEDDING;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The supported architectures. Each is a set of traits over one plan of a transformer. Names are
 * those of {@code general.architecture} in GGUF files, and the traits follow llama.cpp (its
 * directory src/models).
 */
public enum Architecture {
  /** Llama 2 and 3, Mistral, TinyLlama, SmolLM2; with experts: Mixtral. */
  LLAMA("llama", ROTATED_PAIRS, GATED),
  QWEN2("qwen2", ROTATED_HALVES, GATED, QKV_BIASES),
  QWEN3("qwen3", ROTATED_HALVES, GATED, HEAD_NORMS),
  QWEN3_MOE("qwen3moe", ROTATED_HALVES, GATED, HEAD_NORMS, EXPERTS),
  GEMMA2("gemma2", ROTATED_HALVES, GATED, GELU, SANDWICH_NORMS, SCALED_EMBEDDING),
  GEMMA3("gemma3", ROTATED_HALVES, GATED, GELU, SANDWICH_NORMS, SCALED_EMBEDDING, HEAD_NORMS),
  PHI3("phi3", ROTATED_HALVES, GATED),
  GPT2("gpt2", LAYER_NORM, LEARNED_POSITIONS, GELU, BIASES, QKV_BIASES),
  BERT("bert", ENCODER, LAYER_NORM, LEARNED_POSITIONS, GELU, BIASES, QKV_BIASES),
  NOMIC_BERT("nomic-bert", ENCODER, LAYER_NORM, ROTATED_HALVES, GATED);

  private final String key;
  private final Set<ArchitectureTrait> traits;

  Architecture(String key, ArchitectureTrait... traits) {
    this.key = key;
    this.traits = Set.copyOf(List.of(traits));
  }

  /** Its name in a file, which is also the first part of its metadata keys. */
  public String key() {
    return key;
  }

  boolean has(ArchitectureTrait trait) {
    return traits.contains(trait);
  }

  /** Whether it computes embeddings and generates no text. */
  public boolean isEncoder() {
    return has(ENCODER);
  }

  public static Optional<Architecture> of(String key) {
    return Arrays.stream(values()).filter(a -> a.key.equals(key)).findFirst();
  }

  /** All names, for messages. */
  static String names() {
    return Arrays.stream(values()).map(Architecture::key).collect(Collectors.joining(", "));
  }
}
