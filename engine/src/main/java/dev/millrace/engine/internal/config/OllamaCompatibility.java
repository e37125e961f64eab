package dev.millrace.engine.internal.config;

import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.gguf.Gguf;
import java.util.HashMap;
import java.util.Map;

/**
 * Adapts Gemma 3 files from Ollama: its converter renamed some keys and left others out. This adds
 * what Ollama itself assumes for such files (its directory llama/compat); other files stay
 * unchanged.
 */
final class OllamaCompatibility {
  private static final String NORM = "gemma3.attention.layer_norm_rms_epsilon";

  private OllamaCompatibility() {}

  /** The file's metadata with the usual keys. */
  static GgufMetadata complete(Gguf gguf) {
    GgufMetadata metadata = gguf.metadata();
    boolean gemma3 = metadata.find("general.architecture").filter("gemma3"::equals).isPresent();
    if (!gemma3 || !isOllamas(metadata)) {
      return metadata;
    }
    Map<String, Object> all = new HashMap<>(metadata.all());
    rename(all, "gemma3.rope.global.freq_base", "gemma3.rope.freq_base");
    rename(all, "gemma3.rope.local.freq_base", "gemma3.rope.freq_base_swa");
    all.putIfAbsent("gemma3.rope.freq_base", 1e6);
    all.putIfAbsent(NORM, 1e-6);
    if (all.get("gemma3.context_length") instanceof Long context && context >= 131072) {
      all.putIfAbsent("gemma3.rope.scaling.type", "linear");
      all.putIfAbsent("gemma3.rope.scaling.factor", 8.0);
    }
    return new GgufMetadata(all);
  }

  private static boolean isOllamas(GgufMetadata metadata) {
    return !metadata.has(NORM)
        || metadata.has("gemma3.mm.tokens_per_image")
        || metadata.has("gemma3.rope.global.freq_base")
        || metadata.has("gemma3.rope.local.freq_base");
  }

  private static void rename(Map<String, Object> all, String from, String to) {
    Object value = all.get(from);
    if (value != null) {
      all.putIfAbsent(to, value);
    }
  }
}
