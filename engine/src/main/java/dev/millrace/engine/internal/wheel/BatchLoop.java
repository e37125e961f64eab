package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationLoop;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.WarmUp;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.error.EngineClosedException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.constraint.ConstraintTrackerFactory;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.sample.SamplerBuffers;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import dev.millrace.engine.token.Vocabulary;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of the batch: continuous batching over the pipes of one model. In each turn, the
 * sequences that are ready go through their pipe as one batch. The output of a sequence depends on
 * its request alone, never on its neighbours, on how its prompt was cut into chunks, on what was
 * cached or shared, on whether it was preempted, or on which nodes computed it and were lost
 * meanwhile.
 *
 * <p>A sequence waits in one queue until it is admitted into a pipe that has a plan. It returns to
 * the queue, with its tokens, when it is preempted or that plan is over. While no pipe has a plan,
 * all wait. A stop request of a {@link Generation} takes effect at once for a sequence on this
 * node; for a sequence on other nodes, when it is back or given up.
 *
 * <p>{@link #turn} is for one thread alone, the owner: it computes, chooses tokens and calls
 * listeners. {@link #run} makes the calling thread the owner until the loop is closed. Any thread
 * may call the other methods.
 */
public final class BatchLoop implements GenerationLoop {
  private static final System.Logger LOG = System.getLogger("dev.millrace.engine");
  private static final int MOST_PIPES = Long.SIZE;

  private final Shared shared;
  private final WheelCounters outside = new WheelCounters();
  private final WheelInbox inbox = new WheelInbox();
  private final List<Wheel> wheels = new ArrayList<>();
  private final AdmissionRouter router;
  private final List<WheelCounters> counters = new ArrayList<>();
  private final int vocabularySize;

  private volatile @Nullable Supplier<BatchLoop> scratchLoop;

  /**
   * A group of sequences at other nodes.
   *
   * @param epoch of the plan under which it was sent
   * @param sinceNanos when it was sent, by the clock of the scheduler
   */
  public record InFlightGroup(long group, long epoch, long sinceNanos) {}

  /** What the wheels of all pipes share. */
  record Shared(
      WheelSettings settings,
      WaitQueue waitQueue,
      SequenceFactory sequenceFactory,
      AuditTracker auditTracker,
      SequenceCloser closer,
      TokenSelector tokenSelector,
      float[] logits,
      LongSupplier clock) {}

  /**
   * @param settings of each pipe; with an audit hook no pages are shared, whatever the settings
   *     say: a node could tell audited sequences by it
   * @param processors one for each pipe, with the same end; those that have a plan are in use
   * @param detokenizers make the text of one sequence each, with its shown control tokens
   * @param clock nanoseconds, for timings
   */
  public BatchLoop(
      WheelSettings settings,
      List<PipeProcessor> processors,
      Vocabulary vocabulary,
      Function<Set<Integer>, Detokenizer> detokenizers,
      LongSupplier clock,
      @Nullable AuditHook auditHook) {
    if (processors.isEmpty() || processors.size() > MOST_PIPES) {
      throw new EngineException(
          "wheel: %d pipes; it must be 1 to %d".formatted(processors.size(), MOST_PIPES));
    }
    PipeProcessor first = processors.getFirst();
    int logitCount = first.end().vocabulary();
    if (vocabulary.size() != logitCount) {
      throw new EngineException(
          "model: its head gives %d logits, but its vocabulary has %d tokens"
              .formatted(logitCount, vocabulary.size()));
    }
    vocabularySize = logitCount;
    WheelSettings own = auditHook == null ? settings : settings.withPrefixReuse(false);
    WaitQueue queue = new WaitQueue();
    SamplerBuffers samplerBuffers = new SamplerBuffers(logitCount);
    SequenceFactory sequenceFactory =
        new SequenceFactory(
            first,
            samplerBuffers,
            detokenizers,
            new ConstraintTrackerFactory(vocabulary),
            own.capacity(),
            clock);
    AuditTracker auditTracker = new AuditTracker(auditHook, inbox::put);
    SequenceCloser closer = new SequenceCloser(queue, auditTracker, outside, clock);
    TokenSelector selector = new TokenSelector(vocabulary, logitCount, clock);
    float[] logits = new float[Math.multiplyExact(own.maxSequences(), logitCount)];
    shared = new Shared(own, queue, sequenceFactory, auditTracker, closer, selector, logits, clock);
    counters.add(outside);
    for (PipeProcessor processor : processors) {
      wheels.add(new Wheel(shared, wheels.size(), processor));
      counters.add(wheels.getLast().counters());
    }
    router = new AdmissionRouter(queue, wheels.stream().map(Wheel::admission).toList());
  }

  /**
   * Queues a request, at the position of its order. A prompt that leaves no room in the context is
   * rejected; a generation that fills the context ends with LENGTH.
   *
   * @throws EngineClosedException if the scheduler is closed
   * @throws EngineException if the request can never be computed
   */
  @Override
  public Generation submit(GenerationRequest request, GenerationListener listener) {
    GenerationHandle generation = new GenerationHandle(inbox::wake);
    Sequence sequence = shared.sequenceFactory().create(request, listener, generation);
    shared.tokenSelector().replay(sequence);
    inbox.put(sequence);
    return generation;
  }

  /**
   * Makes {@link #warmUp} possible.
   *
   * @param scratch makes a scheduler over the same model, whose pages are those of this one; it is
   *     used before this one has computed anything
   */
  public void warmUpWith(Supplier<BatchLoop> scratch) {
    scratchLoop = scratch;
  }

  @Override
  public WarmUp warmUp(Duration most) {
    Supplier<BatchLoop> scratch = scratchLoop;
    if (scratch == null) {
      return WarmUp.DONE;
    }
    WarmUpRun run = new WarmUpRun(most, shared.clock());
    if (!inbox.offer(() -> warmUp(run, scratch), run::end)) {
      run.end();
    }
    return run;
  }

  /** Pages that this scheduler uses or has cached would be overwritten: then it is too late. */
  private void warmUp(WarmUpRun run, Supplier<BatchLoop> scratch) {
    try {
      boolean idle = shared.waitQueue().waiting().isEmpty();
      if (idle && wheels.stream().allMatch(Wheel::isUntouched)) {
        run.run(scratch.get(), vocabularySize, inbox::hasMore);
      } else {
        run.giveWay();
      }
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "the warm-up of a model failed", e); // requests will say why
    } finally {
      run.end();
    }
  }

  /** The most positions of one sequence. */
  int capacity() {
    return shared.settings().capacity();
  }

  /** Handles a frame from another node of a pipe. Throws if it cannot be read. */
  public void receive(int pipe, ByteBuffer bytes) {
    receive(pipe, new Frame(bytes), () -> {});
  }

  /**
   * As {@link #receive(int, ByteBuffer)}, for a frame whose header is already read.
   *
   * @param read runs when the frame is taken from the inbox, which holds it until then
   */
  public void receive(int pipe, Frame frame, Runnable read) {
    Wheel wheel = wheels.get(pipe);
    inbox.put(
        () -> {
          read.run();
          wheel.receive(frame);
        });
  }

  /**
   * Gives a pipe another plan, of another epoch, or none. At the next turn, groups at other nodes
   * are given up, all sequences of that pipe return to the queue with their tokens, and its cached
   * pages are dropped.
   *
   * @param why the reason, for these sequences
   */
  public void setPlan(int pipe, @Nullable Pipe plan, String why) {
    Wheel wheel = wheels.get(pipe);
    inbox.put(() -> wheel.setPlan(plan, why));
  }

  /** The groups of a pipe that are at other nodes. */
  public List<InFlightGroup> inFlight(int pipe) {
    return wheels.get(pipe).inFlight();
  }

  /**
   * Revokes everything that came from a pipe so far. At the next turn, all sequences in it or with
   * tokens from it end with REVOKED, and its cached pages are dropped. Sequences with tokens from
   * it that are at the nodes of another pipe end when they are back.
   */
  public void revoke(int pipe, String why) {
    List<Wheel> wheel = List.of(wheels.get(pipe));
    inbox.put(() -> revoke(wheel, sequence -> sequence.usedPipe(pipe), why));
  }

  /**
   * Revokes everything that came through other nodes so far. At the next turn, all sequences that
   * are in a pipe with other nodes, or have tokens that may have come through one, end with REVOKED
   * wherever they are, and all cached pages are dropped. The source of tokens that a request was
   * resumed from is unknown, so they count too.
   */
  public void revokeAll(String why) {
    inbox.put(() -> revoke(wheels, Sequence::usedRemoteNodes, why));
  }

  private void revoke(List<Wheel> from, Predicate<Sequence> which, String why) {
    from.forEach(wheel -> wheel.abandon(SequenceCondition.STEP_FAILED, why));
    for (Sequence sequence : all()) {
      if (which.test(sequence)) {
        sequence.revoked = why;
      }
    }
    endRequested();
    from.forEach(Wheel::dropCached);
  }

  /** The numbers of all pipes and the queue together. */
  @Override
  public WheelStats stats() {
    return WheelCounters.sum(counters);
  }

  /** The numbers of one pipe, without the queue. */
  public WheelStats stats(int pipe) {
    return WheelCounters.sum(List.of(wheels.get(pipe).counters()));
  }

  /**
   * Makes one turn: handles the inbox and stop requests, admits sequences, and runs a batch of each
   * pipe. Returns whether there was anything to do; if not, nothing will be before something
   * arrives in the inbox.
   */
  public boolean turn() {
    boolean any = inbox.takeSignal();
    takeIn();
    if (inbox.isClosed()) {
      endAll("the wheel is closed");
      return false;
    }
    for (Runnable next = inbox.nextTask(); next != null; next = inbox.nextTask()) {
      next.run();
      any = true;
    }
    endRequested();
    any |= router.admit();
    for (int i = 0; i < wheels.size(); i++) {
      any |= wheels.get(i).turn();
    }
    publish();
    return any;
  }

  /**
   * Turns until closed, and waits while there is nothing to do. The calling thread is the owner
   * meanwhile.
   */
  @Override
  public void run() {
    String reason = "the wheel's thread ended";
    try {
      while (!inbox.isClosed()) {
        if (!turn()) {
          inbox.await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      reason = "the wheel broke: " + e;
      throw e;
    } finally {
      // no submitter must wait forever for a loop that has ended
      inbox.close();
      takeIn();
      endAll(reason);
    }
  }

  /**
   * Takes no more requests; all generations that have not ended are RELEASED, at the owner's next
   * turn.
   */
  @Override
  public void close() {
    inbox.close();
  }

  private void takeIn() {
    for (Sequence next = inbox.nextSequence(); next != null; next = inbox.nextSequence()) {
      shared.auditTracker().selectForAudit(next);
      if (next.audited && next.generated() > 0) {
        shared.waitQueue().put(shared.sequenceFactory().recreate(next));
      } else if (next.alreadyFinished != null) {
        shared.closer().end(next, next.alreadyFinished, "");
      } else {
        shared.waitQueue().put(next);
      }
    }
  }

  private void endRequested() {
    SequenceCloser closer = shared.closer();
    closer.endIfRequested(shared.waitQueue().waiting());
    if (shared.auditTracker().awaitingVerdictCount() > 0) {
      closer.endIfRequested(shared.auditTracker().awaitingVerdict());
    }
    for (int i = 0; i < wheels.size(); i++) {
      closer.endIfRequested(wheels.get(i).admission().admitted());
    }
  }

  private void endAll(String reason) {
    for (Wheel wheel : wheels) {
      wheel.abandon(SequenceCondition.PAUSED, reason);
    }
    shared.closer().releaseAll(all(), reason);
    publish();
  }

  private List<Sequence> all() {
    List<Sequence> all = new ArrayList<>();
    wheels.forEach(wheel -> all.addAll(wheel.admission().admitted()));
    all.addAll(shared.waitQueue().waiting());
    all.addAll(shared.auditTracker().awaitingVerdict());
    return all;
  }

  private void publish() {
    outside.set(Counter.WAITING, shared.waitQueue().waiting().size());
    outside.set(Counter.ADMITTED, shared.auditTracker().awaitingVerdictCount());
    for (int i = 0; i < wheels.size(); i++) {
      wheels.get(i).publish();
    }
  }

  /** For tests: finds pages that are lost, used twice or miscounted, and sequences out of place. */
  void check() {
    shared.waitQueue().check();
    wheels.forEach(wheel -> wheel.admission().check());
  }
}
