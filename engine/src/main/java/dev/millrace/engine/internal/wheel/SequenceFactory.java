package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.sample.Sampler;
import dev.millrace.engine.internal.sample.SamplerBuffers;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Makes sequences of requests, and makes them anew. For any thread. */
final class SequenceFactory {
  private final PipeProcessor processor;
  private final SamplerBuffers workspace;
  private final Supplier<TextAssembler> spellers;
  private final int capacity;
  private final LongSupplier clock;
  private final AtomicLong arrivals = new AtomicLong();

  /**
   * @param capacity positions of one sequence at most
   */
  SequenceFactory(
      PipeProcessor processor,
      SamplerBuffers workspace,
      Supplier<TextAssembler> spellers,
      int capacity,
      LongSupplier clock) {
    this.processor = processor;
    this.workspace = workspace;
    this.spellers = spellers;
    this.capacity = capacity;
    this.clock = clock;
  }

  /** A sequence that was never seen before; a request that can never be done is refused. */
  Sequence create(GenerationRequest request, GenerationListener listener, GenerationHandle generation) {
    check(request);
    Sequence.Parts parts = parts(request, arrivals.getAndIncrement(), clock.getAsLong());
    return new Sequence(request, listener, generation, parts);
  }

  /**
   * The same sequence at its prompt, with the place in the line that it has: it generates anew what
   * it has given.
   */
  Sequence recreate(Sequence former) {
    return new Sequence(former, parts(former.request, former.arrival, former.submittedAt));
  }

  private Sequence.Parts parts(GenerationRequest request, long arrival, long now) {
    Sampler sampler = new Sampler(request.sampling(), workspace);
    return new Sequence.Parts(arrival, processor.newStep(), sampler, spellers.get(), capacity, now);
  }

  /** Refuses tokens that the model does not have, and a prompt that leaves no room for a token. */
  private void check(GenerationRequest request) {
    checkTokens(request.prompt(), "prompt");
    checkTokens(request.prior(), "prior");
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
