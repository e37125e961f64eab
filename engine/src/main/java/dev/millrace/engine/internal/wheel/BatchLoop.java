package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationLoop;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.error.EngineClosedException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.sample.SamplerBuffers;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import dev.millrace.engine.token.Vocabulary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Continuous batching over the pipes of one model: turn by turn, whatever sequences are ready go
 * through their pipe as one batch. What a sequence generates depends on its request alone, never on
 * its neighbours, on how its prompt was cut into chunks, on what was cached or shared, on whether
 * it was preempted, or on which nodes computed it and were lost meanwhile.
 *
 * <p>A sequence waits in the one line until it is admitted into a pipe that has a plan, and goes
 * back there, with its tokens, when it is preempted or that plan is over. While no pipe has one,
 * all wait. What a {@link Generation} wishes is granted at once to those at hand; to those who are
 * with other nodes when they are back or given up.
 *
 * <p>{@link #turn} is for one thread alone, the owner: it computes, chooses tokens and calls
 * listeners. {@link #run} makes the calling thread the owner until the wheels are closed. All else
 * is for any thread.
 */
public final class BatchLoop implements GenerationLoop {
  private static final int MOST_PIPES = Long.SIZE;

  private final Shared shared;
  private final WheelCounters outside = new WheelCounters();
  private final WheelInbox inbox = new WheelInbox();
  private final List<Wheel> wheels = new ArrayList<>();
  private final AdmissionRouter entrance;
  private final List<WheelCounters> counters = new ArrayList<>();

  /**
   * A group of sequences that is with other nodes.
   *
   * @param epoch of the plan by which it was sent
   * @param sinceNanos when it was sent, by the clock of the wheels
   */
  public record InFlightGroup(long group, long epoch, long sinceNanos) {}

  /** What all wheels have together. */
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
   * @param settings of each pipe; with an examiner, whatever they say, no pages are shared: a node
   *     would know the examined by it
   * @param processors one for each pipe, with the same end; those that have a plan are in use
   * @param spellers spell the tokens of one sequence each
   * @param clock nanoseconds, for timings
   */
  public BatchLoop(
      WheelSettings settings,
      List<PipeProcessor> processors,
      Vocabulary vocabulary,
      Supplier<TextAssembler> spellers,
      LongSupplier clock,
      @Nullable AuditHook examiner) {
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
    WheelSettings own = examiner == null ? settings : settings.withPrefixReuse(false);
    WaitQueue line = new WaitQueue();
    SamplerBuffers workspace = new SamplerBuffers(logitCount);
    SequenceFactory intake = new SequenceFactory(first, workspace, spellers, own.capacity(), clock);
    AuditTracker examination = new AuditTracker(examiner, inbox::put);
    SequenceCloser endings = new SequenceCloser(line, examination, outside, clock);
    TokenSelector choosing = new TokenSelector(vocabulary, logitCount, clock);
    float[] logits = new float[Math.multiplyExact(own.maxSequences(), logitCount)];
    shared = new Shared(own, line, intake, examination, endings, choosing, logits, clock);
    counters.add(outside);
    for (PipeProcessor processor : processors) {
      wheels.add(new Wheel(shared, wheels.size(), processor));
      counters.add(wheels.getLast().counters());
    }
    entrance = new AdmissionRouter(line, wheels.stream().map(Wheel::admission).toList());
  }

  /**
   * Takes a request into the line, at the place that its order gives it. A prompt that leaves no
   * room in the context is refused; a generation that fills the context ends with LENGTH.
   *
   * @throws EngineClosedException where the wheels are closed
   * @throws EngineException where it can never be done
   */
  @Override
  public Generation submit(GenerationRequest request, GenerationListener listener) {
    GenerationHandle generation = new GenerationHandle(inbox::wake);
    Sequence sequence = shared.sequenceFactory().create(request, listener, generation);
    shared.tokenSelector().replay(sequence);
    inbox.put(sequence);
    return generation;
  }

  /** A frame came from another node of a pipe. Throws where it cannot be read. */
  public void receive(int pipe, ByteBuffer bytes) {
    receive(pipe, new Frame(bytes), () -> {});
  }

  /**
   * As {@link #receive(int, ByteBuffer)}, of a frame whose head was read before.
   *
   * @param read run when the frame is taken in: until then it is kept here
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
   * Gives a pipe another plan, of another epoch, or none. At the next turn what is with other nodes
   * is given up, all sequences of that pipe go back into the line with their tokens, and its cached
   * pages are dropped.
   *
   * @param why those sequences are told
   */
  public void setPlan(int pipe, @Nullable Pipe plan, String why) {
    Wheel wheel = wheels.get(pipe);
    inbox.put(() -> wheel.setPlan(plan, why));
  }

  /** The groups of a pipe that are with other nodes. */
  public List<InFlightGroup> inFlight(int pipe) {
    return wheels.get(pipe).inFlight();
  }

  /**
   * Nothing that came from a pipe so far can be trusted: at the next turn all sequences that are in
   * it, or have tokens from it, end with REVOKED, and its cached pages are dropped. Those with
   * tokens from it that are with the nodes of another pipe end when they are back.
   */
  public void revoke(int pipe, String why) {
    List<Wheel> wheel = List.of(wheels.get(pipe));
    inbox.put(() -> revoke(wheel, sequence -> sequence.usedPipe(pipe), why));
  }

  /**
   * Nothing that came through other nodes so far can be trusted: at the next turn all sequences
   * that are in a pipe with other nodes, or have tokens that may have come through one, end with
   * REVOKED, wherever they are now, and all cached pages are dropped. Where tokens that a request
   * was resumed from came from, nobody knows.
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
    grant();
    from.forEach(Wheel::dropCached);
  }

  /** Of all pipes and the line together. */
  @Override
  public WheelStats stats() {
    return WheelCounters.sum(counters);
  }

  /** Of one pipe; nobody waits there, and who ended in the line did not end there. */
  public WheelStats stats(int pipe) {
    return WheelCounters.sum(List.of(wheels.get(pipe).counters()));
  }

  /**
   * Makes one turn: takes in what came, ends what is to end, admits, and runs a batch of each pipe.
   * Says whether there was anything to do; if not, there will not be before something is submitted,
   * wished or arrives.
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
    grant();
    any |= entrance.admit();
    for (int i = 0; i < wheels.size(); i++) {
      any |= wheels.get(i).turn();
    }
    publish();
    return any;
  }

  /**
   * Turns until closed, waiting where there is nothing to do. The calling thread is the owner
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
      // nobody waits for ever for a wheel that turns no more
      inbox.close();
      takeIn();
      endAll(reason);
    }
  }

  /** Takes no more requests; all that have not ended are RELEASED, at the owner's next turn. */
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

  private void grant() {
    SequenceCloser endings = shared.closer();
    endings.endIfRequested(shared.waitQueue().waiting());
    if (shared.auditTracker().awaitingVerdictCount() > 0) {
      endings.endIfRequested(shared.auditTracker().awaitingVerdict());
    }
    for (int i = 0; i < wheels.size(); i++) {
      endings.endIfRequested(wheels.get(i).admission().admitted());
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

  /**
   * For tests: finds pages that are lost, in use twice or miscounted, and sequences out of place.
   */
  void check() {
    shared.waitQueue().check();
    wheels.forEach(wheel -> wheel.admission().check());
  }
}
