package dev.millrace.engine.grammar;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.token.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Measures constraints over the vocabulary of a model (its GGUF is the argument), in CPU time of
 * the thread.
 */
final class TokenMaskBenchmark {
  private TokenMaskBenchmark() {}

  public static void main(String[] args) {
    try (Gguf gguf = Gguf.open(Path.of(args[0]))) {
      Tokenizer vocabulary = Tokenizer.of(gguf.metadata());
      VocabularyTrie trie = new VocabularyTrie(vocabulary);
      long start = cpu();
      trie = new VocabularyTrie(vocabulary);
      System.out.printf(
          "trie of %d tokens: %d nodes, %.0f ms%n",
          vocabulary.size(), trie.nodes(), (cpu() - start) / 1e6);
      for (int round = 0; round < 3; round++) {
        measure("person", JsonSchema.compile(person()), trie, vocabulary);
        measure("bounded strings", JsonSchema.compile(bounded()), trie, vocabulary);
        measure("json", Grammar.jsonObject(), trie, vocabulary);
        measure("gbnf list", Grammar.gbnf("root ::= (\"- \" [^\\n]+ \"\\n\")+"), trie, vocabulary);
      }
    }
  }

  static Map<String, @Nullable Object> person() {
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    properties.put("name", Map.of("type", "string"));
    properties.put("age", Map.of("type", "integer", "minimum", 0, "maximum", 130));
    properties.put("email", Map.of("type", "string", "format", "email"));
    properties.put(
        "tags", Map.of("type", "array", "items", Map.of("type", "string"), "maxItems", 5));
    properties.put("kind", Map.of("enum", List.of("private", "business", "unknown")));
    Map<String, @Nullable Object> address = new LinkedHashMap<>();
    address.put("street", Map.of("type", "string"));
    address.put("zip", Map.of("type", "string", "pattern", "^[0-9]{5}$"));
    properties.put(
        "address",
        Map.of("type", "object", "properties", address, "required", List.of("street", "zip")));
    properties.put("score", Map.of("type", "number", "minimum", 0, "maximum", 1));
    return new LinkedHashMap<>(
        Map.of(
            "type",
            "object",
            "properties",
            properties,
            "required",
            List.copyOf(properties.keySet())));
  }

  static Map<String, @Nullable Object> bounded() {
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    properties.put("title", Map.of("type", "string", "minLength", 1, "maxLength", 200));
    properties.put("text", Map.of("type", "string", "maxLength", 2000));
    return new LinkedHashMap<>(
        Map.of("type", "object", "properties", properties, "required", List.of("title", "text")));
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void measure(
      String name, Grammar grammar, VocabularyTrie trie, Tokenizer vocabulary) {
    long start = cpu();
    Constraint constraint = Constraint.compile(grammar, trie);
    double compile = (cpu() - start) / 1e6;
    for (int pass = 0; pass < 2; pass++) {
      SplittableRandom random = new SplittableRandom(4);
      long[] times = new long[4000];
      int count = 0;
      ByteArrayOutputStream last = new ByteArrayOutputStream();
      while (count < times.length) {
        Constraint.State state = constraint.start();
        last.reset();
        for (int step = 0; step < 300 && count < times.length; step++) {
          start = cpu();
          long[] mask = state.allowed();
          long spent = cpu() - start;
          if (state.mustEnd()) {
            break;
          }
          int token = pick(mask, vocabulary, random);
          last.writeBytes(vocabulary.bytes(token));
          start = cpu();
          state.accept(token);
          times[count++] = spent + cpu() - start;
        }
      }
      Arrays.sort(times);
      System.out.printf(
          "%-16s compile %6.1f ms; %s: mean %6.1f us, median %5.1f, p99 %7.1f, max %7.1f   %s%n",
          name,
          compile,
          pass == 0 ? "cold" : "warm",
          Arrays.stream(times).average().orElse(0) / 1e3,
          times[2000] / 1e3,
          times[3960] / 1e3,
          times[3999] / 1e3,
          last.toString().replace("\n", "\\n").substring(0, Math.min(30, last.size() / 4)));
    }
  }

  /** Random, with a bias to tokens with a quote so that strings end. */
  private static int pick(long[] mask, Tokenizer vocabulary, SplittableRandom random) {
    int[] allowed =
        java.util.BitSet.valueOf(mask).stream().filter(token -> !vocabulary.isEnd(token)).toArray();
    int token = allowed[random.nextInt(allowed.length)];
    if (random.nextInt(8) == 0) {
      for (int other : allowed) {
        if (vocabulary.bytes(other).length == 1 && vocabulary.bytes(other)[0] == '"') {
          return other;
        }
      }
    }
    return token;
  }
}
