package dev.millrace.server.infer.shelf;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ShelfSlot.Event;
import dev.millrace.server.infer.shelf.ShelfSlot.State;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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
 * Loads and unloads models, and lends them to tasks. All loaded models together stay within a
 * memory budget. A model that no task used for a while is unloaded; when another needs its memory,
 * the least recently used one is unloaded.
 *
 * <p>Work is grouped by model: a model in use is lent to all that ask for it, while a request that
 * needs its memory waits for a bounded time. No request starves: after that time, the first one that
 * needs memory decides which models must be unloaded, and these are not lent any more. A loaded model
 * serves all requests that wait for it at once. A separate thread loads and unloads models, one at a
 * time. Thread-safe.
 */
public final class ModelShelf implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final long idleNanos;
  private final ModelSwitchBounds bounds;
  private final LongSupplier clock;
  private final Map<ShelfItemLoader<?>, ShelfSlot<?>> slots =
      new LinkedHashMap<>(); // guarded by this
  private final Set<ModelRequest<?>> waiting = new LinkedHashSet<>(); // guarded by this, in order
  private final ModelEviction eviction; // guarded by this
  private @Nullable Thread loaderThread; // guarded by this
  private boolean closed; // guarded by this

  /**
   * @param clock nanoseconds
   */
  public ModelShelf(
      ModelMemoryBudget budget, Duration idle, ModelSwitchBounds bounds, LongSupplier clock) {
    this.eviction = new ModelEviction(budget);
    this.bounds = bounds;
    this.idleNanos = idle.toNanos();
    this.clock = clock;
  }

  /**
   * Requests a model, and loads it if necessary.
   *
   * @throws TaskRefused if it can never fit into the memory
   */
  public <T extends ShelfItem> ModelRequest<T> request(ShelfItemLoader<T> loader) {
    return request(loader, false);
  }

  /**
   * The same.
   *
   * @param interactive whether somebody waits for it: others make room for it sooner
   */
  public <T extends ShelfItem> ModelRequest<T> request(
      ShelfItemLoader<T> loader, boolean interactive) {
    return request(loader, true, interactive);
  }

  /** Requests a model, but waits until another request loads it. */
  public <T extends ShelfItem> ModelRequest<T> requestLoaded(ShelfItemLoader<T> loader) {
    return request(loader, false, false);
  }

  private synchronized <T extends ShelfItem> ModelRequest<T> request(
      ShelfItemLoader<T> loader, boolean triggersLoad, boolean interactive) {
    eviction.checkFits(loader);
    long due = clock.getAsLong() + bounds.nanos(interactive);
    ModelRequest<T> request = new ModelRequest<>(this, slot(loader), triggersLoad, due);
    if (closed) {
      request.fail(new IllegalStateException("the models are closed"));
    } else {
      waiting.add(request);
      serveWaiting();
    }
    return request;
  }

  @SuppressWarnings("unchecked") // the slot of a loader has the loader's type
  private <T extends ShelfItem> ShelfSlot<T> slot(ShelfItemLoader<T> loader) {
    return (ShelfSlot<T>) slots.computeIfAbsent(loader, _ -> new ShelfSlot<>(loader));
  }

  synchronized void cancel(ModelRequest<?> request) {
    if (waiting.remove(request)) {
      serveWaiting();
    }
  }

  synchronized void release(ShelfSlot<?> slot) {
    slot.leases--;
    slot.lastUse = clock.getAsLong();
    serveWaiting();
  }

  /** Marks a model as broken: it is not lent again, and unloaded when all its leases are closed. */
  synchronized void markBroken(ShelfSlot<?> slot) {
    if (slot.isLoaded()) {
      slot.move(Event.BREAK);
    }
    serveWaiting();
  }

  /** Grants the requests that can be granted, and frees memory for the first that needs it. */
  private void serveWaiting() {
    if (closed) {
      return;
    }
    ShelfSlot<?> requester = eviction.requester();
    if (requester != null && waitingFor(requester).isEmpty()) {
      eviction.clearRequest();
    }
    for (ModelRequest<?> request : List.copyOf(waiting)) {
      if (request.slot().isLoaded() && !eviction.isMarked(request.slot())) {
        serve(request);
      }
    }
    for (ModelRequest<?> request : soonestDueFirst()) {
      ShelfSlot<?> slot = request.slot();
      if (request.triggersLoad() && slot.state() == State.OUT && eviction.mayRequest(slot)) {
        makeRoom(request);
      }
    }
    if (loaderThread == null) {
      List<ShelfSlot<?>> dead = all(slot -> slot.state() == State.BROKEN && slot.leases == 0);
      if (!dead.isEmpty()) {
        move(dead, null);
      }
    }
  }

  private void serve(ModelRequest<?> request) {
    waiting.remove(request);
    request.slot().leases++;
    request.grant();
  }

  private List<ModelRequest<?>> soonestDueFirst() {
    long now = clock.getAsLong();
    List<ModelRequest<?>> all = new ArrayList<>(waiting);
    all.sort(Comparator.comparingLong(request -> request.due() - now)); // as they came, if equal
    return all;
  }

  /** Takes the memory of unused models; once the request is overdue, also that of models in use. */
  private void makeRoom(ModelRequest<?> request) {
    ShelfSlot<?> slot = request.slot();
    boolean overdue = clock.getAsLong() - request.due() >= 0 || eviction.requester() == slot;
    Optional<List<ShelfSlot<?>>> leaving =
        overdue
            ? eviction.planFor(slot, slots.values())
            : eviction.planUnusedFor(slot, slots.values());
    if (leaving.isPresent() && loaderThread == null) {
      eviction.clearRequest();
      move(leaving.get(), slot);
    }
  }

  private List<ShelfSlot<?>> all(Predicate<ShelfSlot<?>> wanted) {
    List<ShelfSlot<?>> found = new ArrayList<>();
    for (ShelfSlot<?> slot : slots.values()) {
      if (wanted.test(slot)) {
        found.add(slot);
      }
    }
    return found;
  }

  private void move(List<ShelfSlot<?>> out, @Nullable ShelfSlot<?> in) {
    Thread thread =
        MonitoredThreads.work().name("millrace-models").unstarted(() -> unloadAndLoad(out, in));
    try {
      thread.start(); // it needs the lock that this thread holds
    } catch (OutOfMemoryError e) { // thrown when the system has no more threads
      if (in != null) {
        fail(in, e);
      }
      return;
    }
    loaderThread = thread;
    out.forEach(slot -> slot.move(Event.LEAVE));
    if (in != null) {
      in.startLoading();
    }
  }

  private void unloadAndLoad(List<ShelfSlot<?>> out, @Nullable ShelfSlot<?> in) {
    try {
      for (ShelfSlot<?> slot : out) {
        unload(slot);
      }
      if (in != null) {
        load(in);
      }
    } catch (Throwable e) { // for example out of memory while logging
      giveUp(e);
    } finally {
      synchronized (this) {
        loaderThread = null;
        serveWaiting();
        notifyAll();
      }
    }
  }

  /** Fails the requests for models whose loading or unloading did not finish. */
  private synchronized void giveUp(Throwable why) {
    for (ShelfSlot<?> slot : all(ShelfSlot::isInTransition)) {
      slot.markGone();
      fail(slot, why);
    }
  }

  private void unload(ShelfSlot<?> slot) {
    LOG.log(Level.INFO, "model \"" + slot.loader.name() + "\" unloaded");
    free(slot);
  }

  private void free(ShelfSlot<?> slot) {
    try {
      slot.item().close();
    } catch (Throwable e) { // it is not used again in any case
      LOG.log(Level.WARNING, "model \"" + slot.loader.name() + "\" did not close", e);
    }
    synchronized (this) {
      slot.markGone();
    }
  }

  private <T extends ShelfItem> void load(ShelfSlot<T> slot) {
    try {
      long start = System.nanoTime();
      T item = slot.loader.load();
      LOG.log(
          Level.INFO,
          "model \"%s\" loaded: %s in %.1f s"
              .formatted(
                  slot.loader.name(),
                  ByteFormat.format(item.bytes()),
                  (System.nanoTime() - start) / 1e9));
      onLoaded(slot, item);
    } catch (Throwable e) { // those who wait must get every error
      LOG.log(
          isClosed() ? Level.DEBUG : Level.WARNING,
          "model \"%s\" cannot be loaded: %s".formatted(slot.loader.name(), e.getMessage()));
      failed(slot, e);
    }
  }

  private synchronized void failed(ShelfSlot<?> slot, Throwable why) {
    slot.markGone();
    fail(slot, why);
  }

  private void fail(ShelfSlot<?> slot, Throwable why) {
    for (ModelRequest<?> request : waitingFor(slot)) {
      if (request.triggersLoad()) {
        waiting.remove(request);
        request.fail(why);
      }
    }
  }

  private synchronized <T extends ShelfItem> void onLoaded(ShelfSlot<T> slot, T item) {
    slot.finishLoading(item, clock.getAsLong());
    if (!closed) {
      waitingFor(slot).forEach(this::serve);
    }
  }

  private List<ModelRequest<?>> waitingFor(ShelfSlot<?> slot) {
    List<ModelRequest<?>> found = new ArrayList<>();
    for (ModelRequest<?> request : waiting) {
      if (request.slot() == slot) {
        found.add(request);
      }
    }
    return found;
  }

  /** Makes room for requests that have waited for as long as they may. Call it periodically. */
  public synchronized void serveOverdue() {
    serveWaiting();
  }

  /** Unloads models that were idle for too long. */
  public synchronized void unloadIdle() {
    long now = clock.getAsLong();
    List<ShelfSlot<?>> unused =
        all(slot -> slot.isLoaded() && slot.leases == 0 && now - slot.lastUse >= idleNanos);
    if (!unused.isEmpty() && loaderThread == null && !closed) {
      move(unused, null);
    }
  }

  /** The loaded models, in the order of their first request. */
  public synchronized List<ShelfItem> loaded() {
    List<ShelfItem> items = new ArrayList<>();
    for (ShelfSlot<?> slot : all(ShelfSlot::isLoaded)) {
      items.add(slot.item());
    }
    return items;
  }

  /** Whether a request waits for a model to be loaded. */
  public synchronized boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  /** Unloads all models, even lent ones, and fails all waiting requests. */
  @Override
  public void close() {
    List<ShelfSlot<?>> leaving;
    synchronized (this) {
      closed = true;
      waiting.forEach(request -> request.fail(new IllegalStateException("the models are closed")));
      waiting.clear();
      boolean interrupted = false;
      if (loaderThread != null
          && !all(slot -> slot.isInTransition() && slot.loader.mayBlock()).isEmpty()) {
        loaderThread.interrupt();
      }
      while (loaderThread != null) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      leaving = all(ShelfSlot::isResident);
      leaving.forEach(slot -> slot.move(Event.LEAVE));
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    leaving.forEach(this::free);
  }
}
