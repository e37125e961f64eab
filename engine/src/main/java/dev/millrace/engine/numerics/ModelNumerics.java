package dev.millrace.engine.numerics;

import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The versions of the arithmetic that an engine has for one model, and the choice among them. Only
 * the formats of the model's own weights count: another version of any other changes nothing.
 *
 * @param formats the formats of the weight matrices, by their names in lower case
 */
public record ModelNumerics(SupportedNumerics supported, Set<String> formats) {
  public ModelNumerics {
    formats = Set.copyOf(formats);
  }

  /** The version of new outputs. */
  public NumericsVersion newest() {
    SortedMap<String, Integer> newest = new TreeMap<>();
    formats.forEach(format -> newest.put(format, supported.versions(format).last()));
    return new NumericsVersion(supported.common(), newest);
  }

  /**
   * The version for an output that was begun under {@code begun}: the same if the engine still has
   * it, else the newest, under which the output must begin again.
   */
  public NumericsVersion select(NumericsVersion begun) {
    return missing(begun).isEmpty() ? begun : newest();
  }

  /** What the engine misses of a version; empty if it has all that this model needs of it. */
  public Optional<SupportedNumerics.Missing> missing(NumericsVersion wanted) {
    return supported.missing(wanted, formats);
  }

  /** The same without older versions. */
  public ModelNumerics newestOnly() {
    SupportedNumerics only = supported;
    for (String format : new TreeSet<>(formats)) {
      only = only.with(format, Set.of(supported.versions(format).last()));
    }
    return new ModelNumerics(only, formats);
  }
}
