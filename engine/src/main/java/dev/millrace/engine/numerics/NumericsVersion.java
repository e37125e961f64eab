package dev.millrace.engine.numerics;

import dev.millrace.engine.error.EngineException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The versions of everything that decides which tokens or vectors a model gives. An output that was
 * begun under one version is never resumed under another, and never compared with it.
 *
 * <p>As text it is the common version, then each format that is not at version 1: {@code 1}, or
 * {@code 1,q8_0=2}. In JSON the first is a number, as it was when one number was all.
 *
 * @param common of what all models share: sampler, random numbers, the tokenizer's splitting,
 *     attention, norms
 * @param formats of the arithmetic with weights of a format, by its name in lower case; version 1
 *     where the format is absent, and never 1 where it is not
 */
public record NumericsVersion(int common, SortedMap<String, Integer> formats) {
  /** The version that every format begins with. */
  static final int FIRST = 1;

  private static final Pattern FORMAT = Pattern.compile("[a-z0-9_]{1,16}");
  private static final Pattern TEXT =
      Pattern.compile("\\d{1,9}(," + FORMAT.pattern() + "=\\d{1,9})*");

  public NumericsVersion {
    SortedMap<String, Integer> raised = new TreeMap<>(formats);
    raised.forEach(NumericsVersion::check);
    raised.values().removeIf(version -> version == FIRST);
    formats = Collections.unmodifiableSortedMap(raised);
    if (common < 0) {
      throw new EngineException("%d is no version of the arithmetic".formatted(common));
    }
  }

  static void check(String format, int version) {
    if (!FORMAT.matcher(format).matches() || version < FIRST) {
      throw new EngineException(
          "\"%s=%d\" is no version of a weight format".formatted(format, version));
    }
  }

  /** All formats are at version 1. */
  public static NumericsVersion of(int common) {
    return new NumericsVersion(common, Collections.emptySortedMap());
  }

  /** With another version of one format. */
  public NumericsVersion with(String format, int version) {
    SortedMap<String, Integer> changed = new TreeMap<>(formats);
    changed.put(format, version);
    return new NumericsVersion(common, changed);
  }

  /**
   * Reads the form in JSON or as text.
   *
   * @param form null if the field is absent
   * @throws EngineException if it is not in the one form of a version
   */
  public static NumericsVersion parse(@Nullable Object form) {
    String text = String.valueOf(form);
    if (TEXT.matcher(text).matches()) {
      String[] parts = text.split(",");
      SortedMap<String, Integer> formats = new TreeMap<>();
      for (String part : List.of(parts).subList(1, parts.length)) {
        String[] pair = part.split("=");
        formats.put(pair[0], Integer.parseInt(pair[1]));
      }
      NumericsVersion version = new NumericsVersion(Integer.parseInt(parts[0]), formats);
      if (version.toString().equals(text)) {
        return version;
      }
    }
    throw new EngineException(
        "\"%s\" is no numerics version; expected a number, or a text such as \"1,q8_0=2\""
            .formatted(text));
  }

  /** The version of a format. */
  public int version(String format) {
    return formats.getOrDefault(format, FIRST);
  }

  /** What differs from an earlier version, in words; empty if nothing does. */
  public Optional<String> changeSince(NumericsVersion before) {
    List<String> changes = new ArrayList<>();
    if (common != before.common) {
      changes.add(change("the arithmetic", before.common, common));
    }
    SortedSet<String> names = new TreeSet<>(formats.keySet());
    names.addAll(before.formats.keySet());
    for (String format : names) {
      if (version(format) != before.version(format)) {
        changes.add(change(describe(format), before.version(format), version(format)));
      }
    }
    return changes.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", changes));
  }

  private static String change(String what, int before, int now) {
    return "the version of %s changed (%d then, %d now)".formatted(what, before, now);
  }

  /** The arithmetic of a format, for people. */
  static String describe(String format) {
    return "the arithmetic of %s weights".formatted(format.toUpperCase(Locale.ROOT));
  }

  /** The number alone if all formats are at version 1, else the text. */
  public Object toJson() {
    return formats.isEmpty() ? Long.valueOf(common) : toString();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder().append(common);
    for (Map.Entry<String, Integer> format : formats.entrySet()) {
      text.append(',').append(format.getKey()).append('=').append(format.getValue());
    }
    return text.toString();
  }
}
