package dev.millrace.server.infer;

import dev.millrace.server.infer.Place.Event;
import dev.millrace.server.infer.Place.State;
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
final class ModelShelf implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final long idleNanos;
  private final LongSupplier clock;
  private final Map<Source<?>, Place<?>> places = new LinkedHashMap<>(); // guarded by this
  private final Set<Ticket<?>> waiting = new LinkedHashSet<>(); // guarded by this, in order
  private final Room room; // guarded by this
  private @Nullable Thread mover; // guarded by this
  private boolean closed; // guarded by this

  /**
   * @param clock nanoseconds
   */
  ModelShelf(Budget budget, Duration idle, LongSupplier clock) {
    this.room = new Room(budget);
    this.idleNanos = idle.toNanos();
    this.clock = clock;
  }

  /**
   * Asks for a model, which is loaded for that.
   *
   * @throws Refusal if it can never have room
   */
  <T extends Shelved> Ticket<T> ask(Source<T> source) {
    return ask(source, true);
  }

  /** Waits for a model that somebody else has loaded, or will. */
  <T extends Shelved> Ticket<T> await(Source<T> source) {
    return ask(source, false);
  }

  private synchronized <T extends Shelved> Ticket<T> ask(Source<T> source, boolean opens) {
    room.check(source);
    Ticket<T> ticket = new Ticket<>(this, place(source), opens);
    if (closed) {
      ticket.fail(new IllegalStateException("the models are closed"));
    } else {
      waiting.add(ticket);
      settle();
    }
    return ticket;
  }

  @SuppressWarnings("unchecked") // a source's place is of its type
  private <T extends Shelved> Place<T> place(Source<T> source) {
    return (Place<T>) places.computeIfAbsent(source, _ -> new Place<>(source));
  }

  synchronized void withdraw(Ticket<?> ticket) {
    if (waiting.remove(ticket)) {
      settle();
    }
  }

  synchronized void giveBack(Place<?> place) {
    place.leases--;
    place.lastUse = clock.getAsLong();
    settle();
  }

  /** It is not to be lent again: whoever has it gives it back, then it leaves. */
  synchronized void discard(Place<?> place) {
    if (place.isIn()) {
      place.move(Event.BREAK);
    }
    settle();
  }

  /** Serves who can be served, and makes room for the first who needs some. */
  private void settle() {
    if (closed) {
      return;
    }
    Place<?> asking = room.asking();
    if (asking != null && waitingFor(asking).isEmpty()) {
      room.stopAsking();
    }
    for (Ticket<?> ticket : List.copyOf(waiting)) {
      Place<?> place = ticket.place();
      if (!waiting.contains(ticket)) {
        continue;
      }
      if (place.isIn() && !room.isCondemned(place)) {
        serve(ticket);
      } else if (ticket.opens() && place.state() == State.OUT && room.admits(place)) {
        makeRoom(place);
      }
    }
    if (mover == null) {
      List<Place<?>> dead = all(place -> place.state() == State.BROKEN && place.leases == 0);
      if (!dead.isEmpty()) {
        move(dead, null);
      }
    }
  }

  private void serve(Ticket<?> ticket) {
    waiting.remove(ticket);
    ticket.place().leases++;
    ticket.serve();
  }

  private void makeRoom(Place<?> place) {
    Optional<List<Place<?>>> leaving = room.ask(place, places.values());
    if (leaving.isPresent() && mover == null) {
      room.stopAsking();
      move(leaving.get(), place);
    }
  }

  private List<Place<?>> all(Predicate<Place<?>> wanted) {
    List<Place<?>> found = new ArrayList<>();
    for (Place<?> place : places.values()) {
      if (wanted.test(place)) {
        found.add(place);
      }
    }
    return found;
  }

  private void move(List<Place<?>> out, @Nullable Place<?> in) {
    Thread thread =
        Thread.ofPlatform().daemon().name("millrace-models").unstarted(() -> carry(out, in));
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
      in.come();
    }
  }

  private void carry(List<Place<?>> out, @Nullable Place<?> in) {
    try {
      for (Place<?> place : out) {
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
        settle();
        notifyAll();
      }
    }
  }

  /** Nobody waits for ever for what neither came nor went. */
  private synchronized void giveUp(Throwable why) {
    for (Place<?> place : all(Place::isMoving)) {
      place.gone();
      fail(place, why);
    }
  }

  private void unload(Place<?> place) {
    LOG.log(Level.INFO, "model \"" + place.source.name() + "\" leaves");
    free(place);
  }

  private void free(Place<?> place) {
    try {
      place.take().close();
    } catch (Throwable e) { // it is not used again, whatever it says
      LOG.log(Level.WARNING, "model \"" + place.source.name() + "\" did not close", e);
    }
    synchronized (this) {
      place.gone();
    }
  }

  private <T extends Shelved> void load(Place<T> place) {
    try {
      long start = System.nanoTime();
      T item = place.source.load();
      LOG.log(
          Level.INFO,
          "model \"%s\" is loaded: %s, in %.1f s"
              .formatted(
                  place.source.name(),
                  Bytes.shown(item.bytes()),
                  (System.nanoTime() - start) / 1e9));
      cameIn(place, item);
    } catch (Throwable e) { // whoever waits must learn of it, whatever it is
      LOG.log(
          isClosed() ? Level.DEBUG : Level.WARNING,
          "model \"%s\": %s".formatted(place.source.name(), e.getMessage()));
      failed(place, e);
    }
  }

  private synchronized void failed(Place<?> place, Throwable why) {
    place.gone();
    fail(place, why);
  }

  private void fail(Place<?> place, Throwable why) {
    for (Ticket<?> ticket : waitingFor(place)) {
      if (ticket.opens()) {
        waiting.remove(ticket);
        ticket.fail(why);
      }
    }
  }

  private synchronized <T extends Shelved> void cameIn(Place<T> place, T item) {
    place.loaded(item, clock.getAsLong());
    if (!closed) {
      waitingFor(place).forEach(this::serve);
    }
  }

  private List<Ticket<?>> waitingFor(Place<?> place) {
    List<Ticket<?>> found = new ArrayList<>();
    for (Ticket<?> ticket : waiting) {
      if (ticket.place() == place) {
        found.add(ticket);
      }
    }
    return found;
  }

  /** Unloads what was not used for too long. */
  synchronized void tick() {
    long now = clock.getAsLong();
    List<Place<?>> unused =
        all(place -> place.isIn() && place.leases == 0 && now - place.lastUse >= idleNanos);
    if (!unused.isEmpty() && mover == null && !closed) {
      move(unused, null);
    }
  }

  /** What is in, by the order in which it was first asked for. */
  synchronized List<Shelved> loaded() {
    List<Shelved> items = new ArrayList<>();
    for (Place<?> place : all(Place::isIn)) {
      items.add(place.take());
    }
    return items;
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** Unloads all, what is lent too; who waits is told. */
  @Override
  public void close() {
    List<Place<?>> leaving;
    synchronized (this) {
      closed = true;
      waiting.forEach(ticket -> ticket.fail(new IllegalStateException("the models are closed")));
      waiting.clear();
      boolean interrupted = false;
      if (mover != null && !all(place -> place.isMoving() && place.source.waits()).isEmpty()) {
        mover.interrupt();
      }
      while (mover != null) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      leaving = all(Place::isThere);
      leaving.forEach(place -> place.move(Event.LEAVE));
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    leaving.forEach(this::free);
  }
}
