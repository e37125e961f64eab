package dev.millrace.engine.internal.layer;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes the feed-forward networks of a segment, with the one set of buffers that they share. */
public final class FeedForwardFactory {
  private final DenseFeedForward.@Nullable Shared dense;
  private final ExpertFeedForward.@Nullable Shared experts;

  FeedForwardFactory(
      ComputePool pool,
      Arithmetic arithmetic,
      LayerBuffers buffers,
      ModelConfig config,
      int maxRows,
      boolean integers,
      KernelType kernels) {
    boolean hasExperts = config.feedForward().experts() > 0;
    dense =
        hasExperts
            ? null
            : new DenseFeedForward.Shared(
                pool, arithmetic, buffers, config, maxRows, integers, kernels);
    experts =
        hasExperts
            ? new ExpertFeedForward.Shared(
                pool, arithmetic, buffers, config, maxRows, integers, kernels)
            : null;
  }

  public LayerBlock create(LayerWeights.FeedForwardWeights weights) {
    return switch (weights) {
      case LayerWeights.Dense network ->
          new DenseFeedForward(Objects.requireNonNull(dense), network);
      case LayerWeights.Experts networks ->
          new ExpertFeedForward(Objects.requireNonNull(experts), networks);
    };
  }
}
