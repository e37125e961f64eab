package dev.millrace.engine.model;

import dev.millrace.engine.tensor.Matrix;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The weights of one layer. */
record LayerWeights(
    AroundBlock aroundAttention,
    OfAttention attention,
    AroundBlock aroundFeedForward,
    OfFeedForward feedForward) {

  /**
   * The norms around a block. Each architecture has some of them.
   *
   * @param before on the way into the block
   * @param onUpdate of what the block gives, before it is added to the rows
   * @param after of the sum
   */
  record AroundBlock(@Nullable Norm before, @Nullable Norm onUpdate, @Nullable Norm after) {}

  /** Projections of attention, and the norms of single heads that some architectures have. */
  record OfAttention(
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
  sealed interface OfFeedForward {
    Stream<Matrix> matrices();
  }

  /**
   * One network for all rows.
   *
   * @param gate null: the network has none
   */
  record Dense(@Nullable Linear gate, Linear up, Linear down) implements OfFeedForward {
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
  record Experts(Matrix router, Matrix[] gate, Matrix[] up, Matrix[] down)
      implements OfFeedForward {
    @Override
    public Stream<Matrix> matrices() {
      return Stream.of(Stream.of(router), Stream.of(gate), Stream.of(up), Stream.of(down))
          .flatMap(each -> each);
    }
  }

  Stream<Matrix> matrices() {
    return Stream.concat(attention.matrices(), feedForward.matrices());
  }
}
