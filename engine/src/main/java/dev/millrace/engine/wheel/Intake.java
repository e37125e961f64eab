package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.sample.Sampler;
import dev.millrace.engine.sample.Workspace;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Makes sequences of requests, and makes them anew. For any thread. */
final class Intake {
  private final PipeProcessor processor;
  private final Workspace workspace;
  private final Supplier<Speller> spellers;
  private final int capacity;
  private final LongSupplier clock;
  private final AtomicLong arrivals = new AtomicLong();

  /**
   * @param capacity positions of one sequence at most
   */
  Intake(
      PipeProcessor processor,
      Workspace workspace,
      Supplier<Speller> spellers,
      int capacity,
      LongSupplier clock) {
    this.processor = processor;
    this.workspace = workspace;
    this.spellers = spellers;
    this.capacity = capacity;
    this.clock = clock;
  }

  /** A sequence that was never seen before; a request that can never be done is refused. */
  Sequence first(Request request, Listener listener, Generation generation) {
    request.check(processor.end().vocabulary(), capacity);
    Sequence.Parts parts = parts(request, arrivals.getAndIncrement(), clock.getAsLong());
    return new Sequence(request, listener, generation, parts);
  }

  /**
   * The same sequence at its prompt, with the place in the line that it has: it generates anew what
   * it has given.
   */
  Sequence again(Sequence former) {
    return new Sequence(former, parts(former.request, former.arrival, former.submittedAt));
  }

  private Sequence.Parts parts(Request request, long arrival, long now) {
    Sampler sampler = new Sampler(request.sampling(), workspace);
    return new Sequence.Parts(arrival, processor.newWalk(), sampler, spellers.get(), capacity, now);
  }
}
