package dev.millrace.engine.wheel;

import dev.millrace.engine.EngineException;
import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.Group;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.sample.Sampler;
import dev.millrace.engine.sample.Workspace;
import dev.millrace.engine.token.Vocabulary;
import dev.millrace.engine.wheel.Counters.Figure;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Continuous batching: turn by turn, whatever sequences are ready go through the pipe as one batch.
 * What a sequence generates depends on its request alone, never on its neighbours, on how its
 * prompt was cut into chunks, on what was cached or shared, or on whether it was preempted.
 *
 * <p>{@link #submit} and what a {@link Generation} offers are for any thread; so is {@link
 * #arrived}. {@link #turn} is for one thread alone, the owner: it computes, chooses tokens and
 * calls listeners. {@link #run} makes the calling thread the owner until the wheel is closed.
 */
public final class Wheel implements Runnable, AutoCloseable {
  private final WheelSettings settings;
  private final PipeProcessor processor;
  private final Supplier<Speller> spellers;
  private final LongSupplier clock;
  private final Workspace workspace;
  private final Choosing choosing;
  private final Endings endings;
  private final Harvest harvest;
  private final PageLedger ledger;
  private final Admission admission;
  private final TurnPlan plan;
  private final Counters counters = new Counters();
  private final Inbox inbox = new Inbox();
  private final AtomicLong arrivals = new AtomicLong();
  private final List<Group> idle = new ArrayList<>();
  private final List<Group> away = new ArrayList<>();
  private long turns;

  /**
   * @param spellers spell the tokens of one sequence each
   * @param clock nanoseconds, for timings
   */
  public Wheel(
      WheelSettings settings,
      PipeProcessor processor,
      Vocabulary vocabulary,
      Supplier<Speller> spellers,
      LongSupplier clock) {
    this.settings = settings;
    this.processor = processor;
    this.spellers = spellers;
    this.clock = clock;
    int logitCount = processor.end().vocabulary();
    if (vocabulary.size() != logitCount) {
      throw new EngineException(
          "model: its head gives %d logits, but its vocabulary has %d tokens"
              .formatted(logitCount, vocabulary.size()));
    }
    workspace = new Workspace(logitCount);
    choosing = new Choosing(vocabulary, logitCount, counters, clock);
    ledger = new PageLedger(settings.pages(), settings.prefixReuse());
    admission = new Admission(settings, ledger, processor, counters, clock);
    plan = new TurnPlan(settings, admission, counters);
    endings = new Endings(admission, counters, clock);
    harvest = new Harvest(settings, processor, choosing, endings, ledger);
    for (int i = 0; i < settings.groups(); i++) {
      idle.add(new Group(processor.end().width(), settings.maxRows(), settings.maxSequences()));
    }
  }

  /**
   * Takes a request into the line, at the place that its order gives it. A prompt that leaves no
   * room in the context is refused; a generation that fills the context ends with LENGTH.
   *
   * @throws WheelClosed where the wheel is closed
   * @throws EngineException where it can never be done
   */
  public Generation submit(Request request, Listener listener) {
    request.check(processor.end().vocabulary(), settings.capacity());
    Generation generation = new Generation(inbox::note);
    Sequence.Parts parts =
        new Sequence.Parts(
            arrivals.getAndIncrement(),
            processor.newWalk(),
            new Sampler(request.sampling(), workspace),
            spellers.get(),
            settings.capacity(),
            clock.getAsLong());
    Sequence sequence = new Sequence(request, listener, generation, parts);
    choosing.replay(sequence);
    inbox.put(sequence);
    return generation;
  }

  /** A frame came from another node. Throws where it cannot be read. */
  public void arrived(ByteBuffer frame) {
    inbox.put(new Frame(frame));
  }

  public WheelStats stats() {
    return counters.snapshot();
  }

  /**
   * Makes one turn: takes in what came, ends what is to end, admits, and runs a batch. Says whether
   * there was anything to do; if not, there will not be before something is submitted, wished or
   * arrives.
   */
  public boolean turn() {
    boolean any = inbox.takeNote();
    takeIn();
    if (inbox.isClosed()) {
      endAll("the wheel is closed");
      return false;
    }
    endings.grant(admission.waiting());
    endings.grant(admission.admitted());
    for (Frame frame = inbox.nextFrame(); frame != null; frame = inbox.nextFrame()) {
      comeBack(frame);
      any = true;
    }
    any |= admission.admit();
    if (!idle.isEmpty()) {
      any |= runBatch(idle.getLast());
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
      if (next.complete != null) {
        endings.end(next, next.complete, "");
      } else {
        admission.enqueue(next);
      }
    }
  }

  private void endAll(String reason) {
    for (Group group : away) {
      processor.abandon(group, Condition.PAUSED, reason);
    }
    away.clear();
    endings.releaseAll(reason);
    publish();
  }

  private boolean runBatch(Group group) {
    group.open(++turns);
    plan.fill(group);
    if (group.size() == 0) {
      return false;
    }
    counters.add(Figure.TURNS, 1);
    idle.removeLast();
    processor.start(group);
    harvest(group);
    return true;
  }

  private void comeBack(Frame frame) {
    for (int i = 0; i < away.size(); i++) {
      Group group = away.get(i);
      if (group.id() == frame.group() && frame.kind() != Frame.Kind.FORGET) {
        away.remove(i);
        processor.resume(group, frame);
        harvest(group);
        return;
      }
    }
    processor.stray();
  }

  /** After a batch went as far as it can: tokens are chosen, or it is with another node. */
  private void harvest(Group group) {
    boolean gone = group.isAway();
    for (int run = 0; run < group.size(); run++) {
      ((Sequence) group.traveller(run)).away = gone;
    }
    if (gone) {
      away.add(group);
      return;
    }
    harvest.take(group);
    group.open(0);
    idle.add(group);
  }

  private void publish() {
    counters.set(Figure.WAITING, admission.waiting().size());
    counters.set(Figure.ADMITTED, admission.admitted().size());
    counters.set(Figure.PAGES_USED, ledger.used());
    counters.set(Figure.PAGES_CACHED, ledger.cached());
    counters.set(Figure.PAGES_FREE, ledger.free());
  }

  /**
   * For tests: finds pages that are lost, in use twice or miscounted, and sequences out of place.
   */
  void check() {
    admission.check();
  }
}
