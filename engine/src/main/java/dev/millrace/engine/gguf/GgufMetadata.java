package dev.millrace.engine.gguf;

import java.util.Map;
import java.util.Optional;

/**
 * The keys and values of a GGUF file. Values are Boolean, Long (every integer type), Double (both
 * float types), String, and for arrays boolean[], long[], double[], String[] or Object[] (arrays of
 * arrays). The getters check and convert. A key that is missing without a fallback, or that has a
 * value of another type, is a {@link GgufException} that names the file and the key.
 */
public final class GgufMetadata {
  private final Map<String, Object> values;
  private final String origin;

  /** Metadata that comes from no file. */
  public GgufMetadata(Map<String, Object> values) {
    this(values, "metadata");
  }

  /** Metadata of {@code origin}, which messages name. */
  public GgufMetadata(Map<String, Object> values, String origin) {
    this.values = values;
    this.origin = origin;
  }

  public Map<String, Object> all() {
    return values;
  }

  public boolean has(String key) {
    return values.containsKey(key);
  }

  public Optional<Object> find(String key) {
    return Optional.ofNullable(values.get(key));
  }

  public Optional<String> findString(String key) {
    return find(key, String.class, "a string");
  }

  public String string(String key) {
    return present(key, findString(key), "a string");
  }

  public String string(String key, String fallback) {
    return findString(key).orElse(fallback);
  }

  public Optional<Long> findLong(String key) {
    return find(key, Long.class, "an integer");
  }

  /** An integer of any size; prefer {@link #integer(String)}. */
  public long longInteger(String key) {
    return present(key, findLong(key), "an integer");
  }

  public long longInteger(String key, long fallback) {
    return findLong(key).orElse(fallback);
  }

  public int integer(String key) {
    return narrow(key, longInteger(key));
  }

  public int integer(String key, int fallback) {
    return narrow(key, longInteger(key, fallback));
  }

  /** A number of either kind, rounded to float. */
  public Optional<Float> findNumber(String key) {
    return find(key, Number.class, "a number").map(Number::floatValue);
  }

  public float number(String key) {
    return present(key, findNumber(key), "a number");
  }

  public float number(String key, float fallback) {
    return findNumber(key).orElse(fallback);
  }

  public boolean flag(String key, boolean fallback) {
    return find(key, Boolean.class, "a boolean").orElse(fallback);
  }

  /** The array itself, not a copy: do not write to it. */
  public Optional<String[]> findStrings(String key) {
    return array(key, String[].class, new String[0], "an array of strings");
  }

  public String[] strings(String key) {
    return present(key, findStrings(key), "an array of strings");
  }

  public Optional<float[]> findNumbers(String key) {
    if (values.get(key) instanceof long[] integers) {
      float[] numbers = new float[integers.length];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = integers[i];
      }
      return Optional.of(numbers);
    }
    return array(key, double[].class, new double[0], "an array of numbers")
        .map(GgufMetadata::floats);
  }

  public float[] numbers(String key) {
    return present(key, findNumbers(key), "an array of numbers");
  }

  public Optional<int[]> findIntegers(String key) {
    return array(key, long[].class, new long[0], "an array of integers")
        .map(longs -> narrow(key, longs));
  }

  public int[] integers(String key) {
    return present(key, findIntegers(key), "an array of integers");
  }

  /** Booleans; some architectures use them to say which layers are of a kind. */
  public Optional<boolean[]> findFlags(String key) {
    return array(key, boolean[].class, new boolean[0], "an array of booleans");
  }

  private <T> Optional<T> find(String key, Class<T> type, String what) {
    Object value = values.get(key);
    if (value != null && !type.isInstance(value)) {
      throw new GgufException(
          origin + ": key \"" + key + "\" must be " + what + ", not " + kind(value));
    }
    return Optional.ofNullable(type.cast(value));
  }

  /** An array. An empty one is accepted for any type, because writers cannot know its type. */
  private <T> Optional<T> array(String key, Class<T> type, T empty, String what) {
    Object value = values.get(key);
    boolean nothing =
        value != null
            && value.getClass().isArray()
            && java.lang.reflect.Array.getLength(value) == 0;
    return nothing ? Optional.of(empty) : find(key, type, what);
  }

  private <T> T present(String key, Optional<T> value, String what) {
    return value.orElseThrow(
        () -> new GgufException(origin + ": key \"" + key + "\" (" + what + ") is missing"));
  }

  private int narrow(String key, long value) {
    if (value != (int) value) {
      throw new GgufException(
          origin + ": key \"" + key + "\" must be an integer of 32 bits, not " + value);
    }
    return (int) value;
  }

  private int[] narrow(String key, long[] longs) {
    int[] integers = new int[longs.length];
    for (int i = 0; i < longs.length; i++) {
      integers[i] = narrow(key, longs[i]);
    }
    return integers;
  }

  private static float[] floats(double[] doubles) {
    float[] floats = new float[doubles.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) doubles[i];
    }
    return floats;
  }

  private static String kind(Object value) {
    return switch (value) {
      case String s -> "a string";
      case Long l -> "the integer " + l;
      case Double d -> "the number " + d;
      case Boolean b -> "the boolean " + b;
      case String[] s -> "an array of strings";
      case long[] l -> "an array of integers";
      case double[] d -> "an array of numbers";
      case boolean[] b -> "an array of booleans";
      case Object[] a -> "an array of arrays";
      default -> value.getClass().getSimpleName();
    };
  }
}
