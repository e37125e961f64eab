package dev.millrace.bench.model;

import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.token.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Generates texts with a given number of tokens from random words of one token each. */
public final class RandomPrompts {
  private final PromptEncoder prompts;
  private final int context;
  private final List<String> words;

  private RandomPrompts(PromptEncoder prompts, int context) {
    this.prompts = prompts;
    this.context = context;
    this.words = words();
  }

  public static RandomPrompts of(Path model) {
    try (Gguf gguf = Gguf.open(model)) {
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      PromptEncoder prompts = new PromptEncoder(gguf.metadata(), tokenizer);
      return new RandomPrompts(prompts, ModelConfig.of(gguf).contextLength());
    }
  }

  private List<String> words() {
    List<String> found = new ArrayList<>();
    int alone = tokens("a a").length;
    for (char first = 'a'; first <= 'z'; first++) {
      for (char second = 'a' - 1; second <= 'z'; second++) {
        String word = second < 'a' ? "" + first : "" + first + second;
        if (tokens("a " + word + " a").length == alone + 1) {
          found.add(word);
        }
      }
    }
    if (found.isEmpty()) {
      throw new IllegalStateException("no word of the model's vocabulary is a single token");
    }
    return found;
  }

  /** The context length of the model. */
  public int context() {
    return context;
  }

  int[] tokens(String text) {
    return prompts.raw(text);
  }

  /** A text of {@code count} tokens, including the BOS token, with at least one word. */
  public String of(RandomGenerator random, int count) {
    String first = word(random);
    if (tokens(first).length > count) {
      first = "a"; // without a space before it, a word can be two tokens
    }
    return extend(random, first, Math.max(0, count - tokens(first).length));
  }

  /** The text with {@code more} tokens at its end. */
  String extend(RandomGenerator random, String text, int more) {
    StringBuilder longer = new StringBuilder(text);
    for (int i = 0; i < more; i++) {
      longer.append(' ').append(word(random));
    }
    int wanted = tokens(text).length + more;
    int got = tokens(longer.toString()).length;
    if (got != wanted) {
      throw new IllegalStateException("a text of " + wanted + " tokens came to " + got);
    }
    return longer.toString();
  }

  private String word(RandomGenerator random) {
    return words.get(random.nextInt(words.size()));
  }
}
