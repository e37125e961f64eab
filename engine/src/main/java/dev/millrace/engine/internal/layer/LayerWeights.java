package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.tensor.Matrix;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The weights of one layer. */
public record LayerWeights(
    BlockNorms aroundAttention,
    AttentionWeights attention,
    BlockNorms aroundFeedForward,
    FeedForwardWeights feedForward) {

  /**
   * The norms around a block. Each architecture has some of them.
   *
   * @param before of the input of the block
   * @param onUpdate of the output of the block, before it is added to the rows
   * @param after of the sum
   */
  public record BlockNorms(@Nullable Norm before, @Nullable Norm onUpdate, @Nullable Norm after) {}

  /** Projections of attention, and the norms of single heads that some architectures have. */
  public record AttentionWeights(
      Linear query,
      Linear key,
      Linear value,
      @Nullable Norm queryNorm,
      @Nullable Norm keyNorm,
      Linear output) {
    Stream<Matrix> matrices() {
      return Stream.of(query, key, value, output).map(Linear::matrix);
    }
  }

  /** The feed-forward network: dense or of experts. */
  public sealed interface FeedForwardWeights {
    Stream<Matrix> matrices();
  }

  /**
   * One network for all rows.
   *
   * @param gate null if the network has none
   */
  public record Dense(@Nullable Linear gate, Linear up, Linear down) implements FeedForwardWeights {
    @Override
    public Stream<Matrix> matrices() {
      return Stream.of(gate, up, down).filter(linear -> linear != null).map(Linear::matrix);
    }
  }

  /**
   * Networks of which each row uses some.
   *
   * @param router (expert, width)
   */
  public record Experts(Matrix router, Matrix[] gate, Matrix[] up, Matrix[] down)
      implements FeedForwardWeights {
    @Override
    public Stream<Matrix> matrices() {
      return Stream.of(Stream.of(router), Stream.of(gate), Stream.of(up), Stream.of(down))
          .flatMap(each -> each);
    }
  }

  public Stream<Matrix> matrices() {
    return Stream.concat(attention.matrices(), feedForward.matrices());
  }
}
