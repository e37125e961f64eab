package dev.millrace.engine;

import dev.millrace.engine.token.TestTokenizers;
import dev.millrace.engine.token.Tokenizer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A byte-level tokenizer whose special tokens are the markers of one chat template: those of turns
 * are control tokens, tags such as {@code <think>} are tokens that the model defines as text.
 */
record MarkerVocabulary(Tokenizer tokenizer, Set<String> markers) {
  private static final Pattern TURNS =
      Pattern.compile(
          "<\\|[^|<>\\s'\"]+\\|>|<\uFF5C[^\uFF5C<>\\s]+\uFF5C>|\\[/?[A-Z_]{3,}\\]|</?s>");
  private static final Pattern TAGS = Pattern.compile("</?[a-z_:]{2,}>");

  /** Some templates make these of a role. */
  private static final List<String> ROLES =
      List.of("<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|bos|>", "<|eos|>");

  static MarkerVocabulary of(String template) {
    Set<String> turns = new TreeSet<>(ROLES);
    find(TURNS, template, turns);
    Set<String> tags = new TreeSet<>();
    find(TAGS, template, tags);
    Set<String> all = new TreeSet<>(turns);
    all.addAll(tags);
    Map<String, Object> values =
        TestTokenizers.byteLevel("gpt-2", List.of(), all.toArray(String[]::new));
    long[] types = (long[]) values.get("tokenizer.ggml.token_type");
    int next = types.length - all.size();
    for (String marker : all) {
      types[next++] = tags.contains(marker) ? 4 : 3;
    }
    return new MarkerVocabulary(TestTokenizers.tokenizer(values), all);
  }

  private static void find(Pattern pattern, String template, Set<String> found) {
    for (Matcher m = pattern.matcher(template); m.find(); ) {
      found.add(m.group());
    }
  }
}
