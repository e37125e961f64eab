package dev.millrace.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The options of a benchmark: {@code --name value}; any other name is refused. */
final class Arguments {
  private final Map<String, String> values = new HashMap<>();

  Arguments(String[] args, Set<String> known) {
    for (int i = 0; i < args.length; i += 2) {
      String name = args[i].startsWith("--") ? args[i].substring(2) : "";
      if (!known.contains(name) || i + 1 == args.length) {
        System.err.println(
            "bench: \"" + args[i] + "\" is no option with a value; known: " + new TreeSet<>(known));
        System.exit(2);
      }
      values.put(name, args[i + 1]);
    }
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  int number(String name, int otherwise) {
    return text(name).map(Integer::valueOf).orElse(otherwise);
  }

  double decimal(String name, double otherwise) {
    return text(name).map(Double::valueOf).orElse(otherwise);
  }

  /** The words of a list that is separated by commas. */
  Set<String> words(String name) {
    return text(name).map(text -> Set.copyOf(List.of(text.split(",")))).orElse(Set.of());
  }
}
