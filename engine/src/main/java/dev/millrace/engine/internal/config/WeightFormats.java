package dev.millrace.engine.internal.config;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The formats of a model's weight matrices, by their names in lower case. Vectors do not count:
 * norms and biases are common to all models. The file is one that {@link ModelConfig#of} accepts.
 */
public final class WeightFormats {
  private static final Pattern OF_LAYER = Pattern.compile("blk\\.(\\d{1,6})\\..*");

  private WeightFormats() {}

  /** Of the whole model. */
  public static Set<String> of(Gguf gguf) {
    return of(gguf, name -> true);
  }

  /** Of the layers [from, to). */
  public static Set<String> ofLayers(Gguf gguf, int from, int to) {
    return of(
        gguf,
        name -> {
          Matcher layer = OF_LAYER.matcher(name);
          return layer.matches()
              && Integer.parseInt(layer.group(1)) >= from
              && Integer.parseInt(layer.group(1)) < to;
        });
  }

  private static Set<String> of(Gguf gguf, Predicate<String> isAsked) {
    return gguf.tensors().stream()
        .filter(tensor -> isMatrix(tensor) && ExpectedTensors.isUsed(tensor.name()))
        .filter(tensor -> isAsked.test(tensor.name()))
        .map(tensor -> tensor.type().name().toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean isMatrix(TensorInfo tensor) {
    return tensor.length() > tensor.columns();
  }
}
