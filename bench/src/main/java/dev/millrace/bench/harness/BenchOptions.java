package dev.millrace.bench.harness;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The options of a benchmark: {@code --name value} or {@code --flag}; other names are errors. */
public final class BenchOptions {
  private final Map<String, String> values = new HashMap<>();

  public BenchOptions(String[] args, Set<String> known) {
    this(args, known, Set.of());
  }

  public BenchOptions(String[] args, Set<String> known, Set<String> flags) {
    Iterator<String> words = List.of(args).iterator();
    while (words.hasNext()) {
      String word = words.next();
      String name = word.startsWith("--") ? word.substring(2) : "";
      if (flags.contains(name)) {
        values.put(name, "");
      } else if (known.contains(name) && words.hasNext()) {
        values.put(name, words.next());
      } else {
        reject(word, known, flags);
      }
    }
  }

  private static void reject(String word, Set<String> known, Set<String> flags) {
    System.err.println(
        "bench: \""
            + word
            + "\" is not an option with a value; known: "
            + new TreeSet<>(known)
            + (flags.isEmpty() ? "" : " and, without a value, " + new TreeSet<>(flags)));
    System.exit(2);
  }

  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  public boolean flag(String name) {
    return values.containsKey(name);
  }

  public int number(String name, int otherwise) {
    return text(name).map(Integer::valueOf).orElse(otherwise);
  }

  public double decimal(String name, double otherwise) {
    return text(name).map(Double::valueOf).orElse(otherwise);
  }

  /** The words of a list that is separated by commas. */
  public Set<String> words(String name) {
    return text(name).map(text -> Set.copyOf(List.of(text.split(",")))).orElse(Set.of());
  }
}
