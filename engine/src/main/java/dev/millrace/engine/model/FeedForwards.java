package dev.millrace.engine.model;

import dev.millrace.engine.math.Arithmetic;
import dev.millrace.engine.tensor.Crew;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the feed-forward networks of a segment, with the one set of buffers that they share. */
final class FeedForwards {
  private final DenseFeedForward.@Nullable Shared dense;
  private final ExpertFeedForward.@Nullable Shared experts;

  FeedForwards(
      Crew crew,
      Arithmetic arithmetic,
      Buffers buffers,
      ModelConfig config,
      int maxRows,
      boolean integers) {
    boolean hasExperts = config.feedForward().experts() > 0;
    dense =
        hasExperts
            ? null
            : new DenseFeedForward.Shared(crew, arithmetic, buffers, config, maxRows, integers);
    experts =
        hasExperts
            ? new ExpertFeedForward.Shared(crew, arithmetic, buffers, config, maxRows, integers)
            : null;
  }

  Block of(LayerWeights.OfFeedForward weights) {
    return switch (weights) {
      case LayerWeights.Dense network ->
          new DenseFeedForward(Objects.requireNonNull(dense), network);
      case LayerWeights.Experts networks ->
          new ExpertFeedForward(Objects.requireNonNull(experts), networks);
    };
  }
}
