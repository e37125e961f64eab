package dev.millrace.server.infer.shelf;

import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ShelfSlot.Event;
import dev.millrace.server.infer.shelf.ShelfSlot.State;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which models are loaded. They are lent; all together take no more than a budget; one that nobody
 * has used for a while leaves, and so does the one that was not used for longest when another needs
 * its room.
 *
 * <p>Nobody starves: whoever waits for room first decides which models must leave, and from then on
 * these are lent to nobody. Nobody is served one by one: when a model has come in, all who wait for
 * it by then get it at once. Models come and go on a thread of their own, one at a time.
 * Thread-safe.
 */
public final class ModelShelf implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final long idleNanos;
  private final LongSupplier clock;
  private final Map<ShelfItemLoader<?>, ShelfSlot<?>> slots =
      new LinkedHashMap<>(); // guarded by this
  private final Set<ModelRequest<?>> waiting = new LinkedHashSet<>(); // guarded by this, in order
  private final ModelEviction eviction; // guarded by this
  private @Nullable Thread mover; // guarded by this
  private boolean closed; // guarded by this

  /**
   * @param clock nanoseconds
   */
  public ModelShelf(ModelMemoryBudget budget, Duration idle, LongSupplier clock) {
    this.eviction = new ModelEviction(budget);
    this.idleNanos = idle.toNanos();
    this.clock = clock;
  }

  /**
   * Asks for a model, which is loaded for that.
   *
   * @throws TaskRefused if it can never have room
   */
  public <T extends ShelfItem> ModelRequest<T> request(ShelfItemLoader<T> source) {
    return request(source, true);
  }

  /** Waits for a model that somebody else has loaded, or will. */
  public <T extends ShelfItem> ModelRequest<T> requestLoaded(ShelfItemLoader<T> source) {
    return request(source, false);
  }

  private synchronized <T extends ShelfItem> ModelRequest<T> request(
      ShelfItemLoader<T> source, boolean opens) {
    eviction.checkFits(source);
    ModelRequest<T> ticket = new ModelRequest<>(this, place(source), opens);
    if (closed) {
      ticket.fail(new IllegalStateException("the models are closed"));
    } else {
      waiting.add(ticket);
      serveWaiting();
    }
    return ticket;
  }

  @SuppressWarnings("unchecked") // a source's place is of its type
  private <T extends ShelfItem> ShelfSlot<T> place(ShelfItemLoader<T> source) {
    return (ShelfSlot<T>) slots.computeIfAbsent(source, _ -> new ShelfSlot<>(source));
  }

  synchronized void cancel(ModelRequest<?> ticket) {
    if (waiting.remove(ticket)) {
      serveWaiting();
    }
  }

  synchronized void release(ShelfSlot<?> place) {
    place.leases--;
    place.lastUse = clock.getAsLong();
    serveWaiting();
  }

  /** It is not to be lent again: whoever has it gives it back, then it leaves. */
  synchronized void markBroken(ShelfSlot<?> place) {
    if (place.isLoaded()) {
      place.move(Event.BREAK);
    }
    serveWaiting();
  }

  /** Serves who can be served, and makes room for the first who needs some. */
  private void serveWaiting() {
    if (closed) {
      return;
    }
    ShelfSlot<?> asking = eviction.requester();
    if (asking != null && waitingFor(asking).isEmpty()) {
      eviction.clearRequest();
    }
    for (ModelRequest<?> ticket : List.copyOf(waiting)) {
      ShelfSlot<?> place = ticket.slot();
      if (!waiting.contains(ticket)) {
        continue;
      }
      if (place.isLoaded() && !eviction.isMarked(place)) {
        serve(ticket);
      } else if (ticket.triggersLoad()
          && place.state() == State.OUT
          && eviction.mayRequest(place)) {
        makeRoom(place);
      }
    }
    if (mover == null) {
      List<ShelfSlot<?>> dead = all(place -> place.state() == State.BROKEN && place.leases == 0);
      if (!dead.isEmpty()) {
        move(dead, null);
      }
    }
  }

  private void serve(ModelRequest<?> ticket) {
    waiting.remove(ticket);
    ticket.slot().leases++;
    ticket.grant();
  }

  private void makeRoom(ShelfSlot<?> place) {
    Optional<List<ShelfSlot<?>>> leaving = eviction.planFor(place, slots.values());
    if (leaving.isPresent() && mover == null) {
      eviction.clearRequest();
      move(leaving.get(), place);
    }
  }

  private List<ShelfSlot<?>> all(Predicate<ShelfSlot<?>> wanted) {
    List<ShelfSlot<?>> found = new ArrayList<>();
    for (ShelfSlot<?> place : slots.values()) {
      if (wanted.test(place)) {
        found.add(place);
      }
    }
    return found;
  }

  private void move(List<ShelfSlot<?>> out, @Nullable ShelfSlot<?> in) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("millrace-models")
            .unstarted(() -> unloadAndLoad(out, in));
    try {
      thread.start(); // it changes nothing here before this lock is free
    } catch (OutOfMemoryError e) { // which is how a system says that it has no thread to spare
      if (in != null) {
        fail(in, e);
      }
      return;
    }
    mover = thread;
    out.forEach(place -> place.move(Event.LEAVE));
    if (in != null) {
      in.startLoading();
    }
  }

  private void unloadAndLoad(List<ShelfSlot<?>> out, @Nullable ShelfSlot<?> in) {
    try {
      for (ShelfSlot<?> place : out) {
        unload(place);
      }
      if (in != null) {
        load(in);
      }
    } catch (Throwable e) { // out of memory for a line of the log, say
      giveUp(e);
    } finally {
      synchronized (this) {
        mover = null;
        serveWaiting();
        notifyAll();
      }
    }
  }

  /** Nobody waits for ever for what neither came nor went. */
  private synchronized void giveUp(Throwable why) {
    for (ShelfSlot<?> place : all(ShelfSlot::isInTransition)) {
      place.markGone();
      fail(place, why);
    }
  }

  private void unload(ShelfSlot<?> place) {
    LOG.log(Level.INFO, "model \"" + place.source.name() + "\" leaves");
    free(place);
  }

  private void free(ShelfSlot<?> place) {
    try {
      place.item().close();
    } catch (Throwable e) { // it is not used again, whatever it says
      LOG.log(Level.WARNING, "model \"" + place.source.name() + "\" did not close", e);
    }
    synchronized (this) {
      place.markGone();
    }
  }

  private <T extends ShelfItem> void load(ShelfSlot<T> place) {
    try {
      long start = System.nanoTime();
      T item = place.source.load();
      LOG.log(
          Level.INFO,
          "model \"%s\" is loaded: %s, in %.1f s"
              .formatted(
                  place.source.name(),
                  ByteFormat.format(item.bytes()),
                  (System.nanoTime() - start) / 1e9));
      onLoaded(place, item);
    } catch (Throwable e) { // whoever waits must learn of it, whatever it is
      LOG.log(
          isClosed() ? Level.DEBUG : Level.WARNING,
          "model \"%s\": %s".formatted(place.source.name(), e.getMessage()));
      failed(place, e);
    }
  }

  private synchronized void failed(ShelfSlot<?> place, Throwable why) {
    place.markGone();
    fail(place, why);
  }

  private void fail(ShelfSlot<?> place, Throwable why) {
    for (ModelRequest<?> ticket : waitingFor(place)) {
      if (ticket.triggersLoad()) {
        waiting.remove(ticket);
        ticket.fail(why);
      }
    }
  }

  private synchronized <T extends ShelfItem> void onLoaded(ShelfSlot<T> place, T item) {
    place.finishLoading(item, clock.getAsLong());
    if (!closed) {
      waitingFor(place).forEach(this::serve);
    }
  }

  private List<ModelRequest<?>> waitingFor(ShelfSlot<?> place) {
    List<ModelRequest<?>> found = new ArrayList<>();
    for (ModelRequest<?> ticket : waiting) {
      if (ticket.slot() == place) {
        found.add(ticket);
      }
    }
    return found;
  }

  /** Unloads what was not used for too long. */
  public synchronized void unloadIdle() {
    long now = clock.getAsLong();
    List<ShelfSlot<?>> unused =
        all(place -> place.isLoaded() && place.leases == 0 && now - place.lastUse >= idleNanos);
    if (!unused.isEmpty() && mover == null && !closed) {
      move(unused, null);
    }
  }

  /** What is in, by the order in which it was first asked for. */
  public synchronized List<ShelfItem> loaded() {
    List<ShelfItem> items = new ArrayList<>();
    for (ShelfSlot<?> place : all(ShelfSlot::isLoaded)) {
      items.add(place.item());
    }
    return items;
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  /** Unloads all, what is lent too; who waits is told. */
  @Override
  public void close() {
    List<ShelfSlot<?>> leaving;
    synchronized (this) {
      closed = true;
      waiting.forEach(ticket -> ticket.fail(new IllegalStateException("the models are closed")));
      waiting.clear();
      boolean interrupted = false;
      if (mover != null
          && !all(place -> place.isInTransition() && place.source.mayBlock()).isEmpty()) {
        mover.interrupt();
      }
      while (mover != null) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      leaving = all(ShelfSlot::isResident);
      leaving.forEach(place -> place.move(Event.LEAVE));
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    leaving.forEach(this::free);
  }
}
