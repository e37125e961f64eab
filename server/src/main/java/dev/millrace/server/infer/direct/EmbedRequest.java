package dev.millrace.server.infer.direct;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for vectors, of length 1 each.
 *
 * @param model null: the default
 * @param inputs at least one
 * @param dimensions how many of the first numbers of each vector to keep; null: all
 */
public record EmbedRequest(
    @Nullable String model, List<EmbedInput> inputs, @Nullable Integer dimensions) {
  public EmbedRequest {
    inputs = List.copyOf(inputs);
  }
}
