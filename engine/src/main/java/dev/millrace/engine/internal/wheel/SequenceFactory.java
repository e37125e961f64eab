package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.constraint.ConstraintTrackerFactory;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.sample.Sampler;
import dev.millrace.engine.internal.sample.SamplerBuffers;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Makes sequences from requests, and restarts them. For any thread. */
final class SequenceFactory {
  private final PipeProcessor processor;
  private final SamplerBuffers samplerBuffers;
  private final Function<Set<Integer>, Detokenizer> detokenizers;
  private final ConstraintTrackerFactory trackers;
  private final int capacity;
  private final LongSupplier clock;
  private final AtomicLong arrivals = new AtomicLong();

  /** @param capacity the most positions of one sequence */
  SequenceFactory(
      PipeProcessor processor,
      SamplerBuffers samplerBuffers,
      Function<Set<Integer>, Detokenizer> detokenizers,
      ConstraintTrackerFactory trackers,
      int capacity,
      LongSupplier clock) {
    this.processor = processor;
    this.samplerBuffers = samplerBuffers;
    this.detokenizers = detokenizers;
    this.trackers = trackers;
    this.capacity = capacity;
    this.clock = clock;
  }

  /** A new sequence; a request that can never be completed is rejected. */
  Sequence create(
      GenerationRequest request, GenerationListener listener, GenerationHandle generation) {
    check(request);
    Sequence.Parts parts = parts(request, arrivals.getAndIncrement(), clock.getAsLong());
    return new Sequence(request, listener, generation, parts);
  }

  /**
   * The same sequence at its prompt, with its position in the queue: it generates its emitted
   * tokens again.
   */
  Sequence recreate(Sequence former) {
    return new Sequence(former, parts(former.request, former.arrival, former.submittedAt));
  }

  private Sequence.Parts parts(GenerationRequest request, long arrival, long now) {
    return new Sequence.Parts(
        arrival,
        processor.newStep(),
        new Sampler(request.sampling(), samplerBuffers),
        detokenizers.apply(request.shownTokens()),
        trackers.create(request),
        capacity,
        now);
  }

  /** Rejects tokens that the model does not have, and a prompt that leaves no room for a token. */
  private void check(GenerationRequest request) {
    checkTokens(request.prompt(), "prompt");
    checkTokens(request.prior(), "prior");
    checkTokens(
        request.shownTokens().stream().mapToInt(Integer::intValue).sorted().toArray(),
        "shownTokens");
    long length = (long) request.prompt().length + request.prior().length;
    if (length >= capacity) {
      throw new EngineException(
          ("request: prompt and prior tokens are %d, but context and cache hold %d, with room for"
                  + " at least one more token; shorten the prompt, or allow a longer context")
              .formatted(length, capacity));
    }
  }

  private void checkTokens(int[] tokens, String name) {
    int vocabulary = processor.end().vocabulary();
    for (int i = 0; i < tokens.length; i++) {
      if (tokens[i] < 0 || tokens[i] >= vocabulary) {
        throw new EngineException(
            "request: %s[%d] is token %d; the vocabulary has tokens 0 to %d"
                .formatted(name, i, tokens[i], vocabulary - 1));
      }
    }
  }
}
