package dev.millrace.engine.internal.config;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of one architecture: keys without their first part, values with their type and range
 * checked.
 */
final class ArchitectureMetadata {
  private final Path file;
  private final GgufMetadata metadata;
  private final String prefix;

  ArchitectureMetadata(Path file, GgufMetadata metadata, Architecture architecture) {
    this.file = file;
    this.metadata = metadata;
    this.prefix = architecture.key() + ".";
  }

  /** A whole number in [1, max]. */
  int size(String key, int max) {
    return size(key, max, 1).orElseThrow(() -> wrong(key, null, "a whole number from 1 to " + max));
  }

  /** The same, or empty if the key is missing. {@code least} may be 0. */
  Optional<Integer> size(String key, int max, int least) {
    Optional<Object> found = one(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (found.get() instanceof Long number && number >= least && number <= max) {
      return Optional.of(number.intValue());
    }
    throw wrong(key, found.get(), "a whole number from " + least + " to " + max);
  }

  Optional<Float> real(String key) {
    Optional<Object> found = one(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (found.get() instanceof Number number && Float.isFinite(number.floatValue())) {
      return Optional.of(number.floatValue());
    }
    throw wrong(key, found.get(), "a finite number");
  }

  Optional<Boolean> flag(String key) {
    Optional<Object> found = one(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (found.get() instanceof Boolean flag) {
      return Optional.of(flag);
    }
    throw wrong(key, found.get(), "true or false");
  }

  Optional<String> text(String key) {
    Optional<Object> found = one(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (found.get() instanceof String text) {
      return Optional.of(text);
    }
    throw wrong(key, found.get(), "a string");
  }

  Optional<Object> find(String key) {
    return metadata.find(prefix + key);
  }

  /** The value; an array with one value per layer must have the same value for all. */
  private Optional<Object> one(String key) {
    Object value = find(key).orElse(null);
    if (value instanceof long[] perLayer) {
      for (long number : perLayer) {
        if (number != perLayer[0]) {
          throw refused(key, "layers that differ in it");
        }
      }
      return perLayer.length == 0 ? Optional.empty() : Optional.of(perLayer[0]);
    }
    return Optional.ofNullable(value);
  }

  /**
   * Rejects a key of a feature that is not supported, unless its value switches the feature off.
   */
  void refuse(String key, String feature) {
    Object value = find(key).orElse(null);
    boolean off =
        value == null
            || value.equals(false)
            || value instanceof Number number && number.doubleValue() == 0;
    if (!off) {
      throw refused(key, feature);
    }
  }

  EngineException refused(String key, String feature) {
    return new EngineException(
        "%s: '%s%s' asks for %s, which is not supported".formatted(file, prefix, key, feature));
  }

  EngineException wrong(String key, @Nullable Object found, String expected) {
    String what = found == null ? "is missing" : "is " + describe(found);
    return new EngineException(
        "%s: metadata key '%s%s' %s, expected %s".formatted(file, prefix, key, what, expected));
  }

  private static String describe(Object value) {
    return value.getClass().isArray() ? "an array" : "'" + value + "'";
  }
}
