package dev.millrace.engine.numerics;

import dev.millrace.engine.error.EngineException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The versions of the arithmetic that an engine can compute with. Of a format it may have several:
 * the newest for new outputs, older ones for outputs that were begun under them.
 *
 * <p>As text it is the common version, then each format that has not version 1 alone: {@code 1}, or
 * {@code 1,q8_0=1+2}.
 *
 * @param formats the versions of a format, by its name in lower case; version 1 alone where it is
 *     absent
 */
public record SupportedNumerics(int common, SortedMap<String, SortedSet<Integer>> formats) {
  private static final SortedSet<Integer> FIRST =
      Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(NumericsVersion.FIRST)));
  private static final Pattern TEXT =
      Pattern.compile("\\d{1,9}(,[a-z0-9_]{1,16}=\\d{1,9}(\\+\\d{1,9})*)*");

  /**
   * What this engine has. After a change with which the same file, prompt, parameters and seed can
   * give other tokens or vectors, a version rises here: of a format, if only models with such
   * weights are concerned (the order of a sum, a kernel's rounding), else the common one. The old
   * version of a format stays in its set if the engine can still compute with it.
   */
  public static final SupportedNumerics CURRENT = of(1);

  public SupportedNumerics {
    SortedMap<String, SortedSet<Integer>> others = new TreeMap<>();
    formats.forEach((format, versions) -> others.put(format, checked(format, versions)));
    others.values().removeIf(FIRST::equals);
    formats = Collections.unmodifiableSortedMap(others);
  }

  private static SortedSet<Integer> checked(String format, SortedSet<Integer> versions) {
    if (versions.isEmpty()) {
      throw new EngineException("the weight format \"%s\" has no version".formatted(format));
    }
    versions.forEach(version -> NumericsVersion.check(format, version));
    return Collections.unmodifiableSortedSet(new TreeSet<>(versions));
  }

  /** Of all formats version 1 alone. */
  public static SupportedNumerics of(int common) {
    return new SupportedNumerics(common, Collections.emptySortedMap());
  }

  /** With other versions of one format. */
  public SupportedNumerics with(String format, Set<Integer> versions) {
    SortedMap<String, SortedSet<Integer>> changed = new TreeMap<>(formats);
    changed.put(format, new TreeSet<>(versions));
    return new SupportedNumerics(common, changed);
  }

  /**
   * Reads the text.
   *
   * @throws EngineException if it is not in the one form
   */
  public static SupportedNumerics parse(String text) {
    if (TEXT.matcher(text).matches()) {
      String[] parts = text.split(",");
      SortedMap<String, SortedSet<Integer>> formats = new TreeMap<>();
      for (String part : List.of(parts).subList(1, parts.length)) {
        String[] pair = part.split("=");
        SortedSet<Integer> versions = new TreeSet<>();
        for (String version : pair[1].split("\\+")) {
          versions.add(Integer.parseInt(version));
        }
        formats.put(pair[0], versions);
      }
      SupportedNumerics read = new SupportedNumerics(Integer.parseInt(parts[0]), formats);
      if (read.toString().equals(text)) {
        return read;
      }
    }
    throw new EngineException(
        "\"%s\" are no numerics versions; expected a text such as \"1\" or \"1,q8_0=1+2\""
            .formatted(text));
  }

  /** The versions of a format, the newest last. */
  public SortedSet<Integer> versions(String format) {
    return formats.getOrDefault(format, FIRST);
  }

  /**
   * A version that is wanted and not there.
   *
   * @param what of which arithmetic, for people
   * @param supported what is there instead, for people
   */
  public record Missing(String what, int wanted, String supported) {}

  /**
   * What these versions miss of the wanted one; empty if they have all of it.
   *
   * @param used the formats that matter
   */
  public Optional<Missing> missing(NumericsVersion wanted, Set<String> used) {
    if (wanted.common() != common) {
      return Optional.of(new Missing("the arithmetic", wanted.common(), Integer.toString(common)));
    }
    return new TreeSet<>(used)
        .stream()
            .filter(format -> !versions(format).contains(wanted.version(format)))
            .findFirst()
            .map(
                format ->
                    new Missing(
                        NumericsVersion.describe(format),
                        wanted.version(format),
                        text(versions(format), " and ")));
  }

  private static String text(SortedSet<Integer> versions, String between) {
    return versions.stream().map(String::valueOf).collect(Collectors.joining(between));
  }

  /** The formats in the text; empty if all have version 1 alone. */
  public String formatsText() {
    return formats.entrySet().stream()
        .map(format -> format.getKey() + "=" + text(format.getValue(), "+"))
        .collect(Collectors.joining(","));
  }

  @Override
  public String toString() {
    return formats.isEmpty() ? Integer.toString(common) : common + "," + formatsText();
  }
}
