package dev.millrace.http.job;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.Problem;
import java.lang.System.Logger.Level;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits jobs so that a request with an {@code IdempotentSubmitter-Key} makes one job however often it is
 * sent, by the same principal within {@link #KEY_LIFETIME}. The key is noted in the store with the job's id
 * before the job is submitted under it: a crash between the two is repaired by the next repetition,
 * and a job that was made and deleted since is not made again (after a restart of the server: if a
 * repetition had come before it was deleted). Thread-safe; concurrent repetitions
 * must come to one server. Is to be closed before the store is.
 */
public final class IdempotentSubmitter implements AutoCloseable {
  /** How long a key is remembered. */
  public static final Duration KEY_LIFETIME = Duration.ofHours(24);

  public static final String HEADER = "Idempotency-Key";

  static final String SHELF = "keys";

  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int LONGEST_KEY = 200;
  private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

  /** How long a sweep has to stop: it looks after each note. */
  private static final Duration END = Duration.ofSeconds(5);

  private final JobStore store;
  private final InstantSource clock;
  private final ReentrantLock[] locks = new ReentrantLock[1024];
  private final Set<JobId> made = Collections.newSetFromMap(new Remembered());
  private Instant due = Instant.MIN; // the next sweep; guarded by this
  private @Nullable Thread sweep; // the last one; guarded by this
  private volatile boolean closed;

  public IdempotentSubmitter(JobStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
    Arrays.setAll(locks, _ -> new ReentrantLock());
  }

  /** The last jobs that were made here; thread-safe. */
  private static final class Remembered extends LinkedHashMap<JobId, Boolean> {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 100_000;

    @Override
    public synchronized @Nullable Boolean put(JobId id, Boolean present) {
      return super.put(id, present);
    }

    @Override
    public synchronized boolean containsKey(@Nullable Object id) {
      return super.containsKey(id);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<JobId, Boolean> eldest) {
      return size() > MOST;
    }
  }

  /**
   * A key as it is noted.
   *
   * @param made whether the job is known to have been made
   */
  private record Note(JobId id, String fingerprint, Instant at, boolean made) {
    Note ofMade() {
      return new Note(id, fingerprint, at, true);
    }

    String text() {
      return JsonObject.create()
          .put("id", id.value())
          .put("fingerprint", fingerprint)
          .put("at", at.toString())
          .put("made", made)
          .toString();
    }

    /** Null if it is not one: then it counts as if it were not there. */
    static @Nullable Note read(String text) {
      try {
        JsonObject in = Json.object(text);
        return new Note(
            new JobId(in.string("id")),
            in.string("fingerprint"),
            Instant.parse(in.string("at")),
            in.flag("made", false));
      } catch (JsonException | IllegalArgumentException | DateTimeException e) {
        return null;
      }
    }
  }

  /**
   * The job that {@code call} asks for: submitted now, or by an earlier request with its key.
   *
   * @param spec of the job, with whatever has to be checked; asked for if it has to be made: what
   *     was granted once is not refused to a repetition
   * @throws Problem CONFLICT if the key came with another request before, or its job was deleted;
   *     INVALID if it is no key
   */
  public JobId submit(ApiRequest call, Supplier<JobSpec> spec) {
    Optional<String> key = call.header(HEADER);
    if (key.isEmpty()) {
      return store.submit(spec.get());
    }
    String name = RequestFingerprint.of(call.principal().name(), requireKey(key.get()));
    String body =
        RequestFingerprint.of("POST", call.path(), RequestFingerprint.canonical(call.body()));
    sweepSometimes();
    Optional<JobId> earlier = alone(name, () -> earlier(name, body));
    if (earlier.isPresent()) {
      return earlier.get();
    }
    JobSpec wanted = spec.get(); // may take a while, and others have keys too
    return alone(name, () -> earlier(name, body).orElseGet(() -> make(name, body, wanted)));
  }

  private <T> T alone(String name, Supplier<T> act) {
    ReentrantLock lock = lock(name);
    lock.lock();
    try {
      return act.get();
    } finally {
      lock.unlock();
    }
  }

  /** The job that was made for the key; empty if none was. */
  private Optional<JobId> earlier(String name, String body) {
    Note known = known(name);
    if (known == null) {
      return Optional.empty();
    }
    if (!known.fingerprint().equals(body)) {
      throw conflict("came with another request before; take a new key for each new request");
    }
    if (store.state(known.id()).isPresent()) {
      if (!known.made()) {
        store.writeNote(SHELF, name, known.ofMade().text());
      }
      return Optional.of(known.id());
    }
    if (known.made() || made.contains(known.id())) {
      throw conflict("made a job that was deleted since; take a new key to have it made again");
    }
    return Optional.empty();
  }

  private static Problem conflict(String why) {
    return new Problem(Problem.Kind.CONFLICT, "this " + HEADER + " " + why);
  }

  private JobId make(String name, String body, JobSpec spec) {
    Note note = known(name);
    if (note == null) {
      note = new Note(Work.generateId(), body, clock.instant(), false);
      store.writeNote(SHELF, name, note.text());
    }
    try {
      store.submit(spec, note.id());
    } catch (IllegalArgumentException e) {
      store.deleteNote(SHELF, name); // it will never be made: the key is free for a better request
      throw e;
    }
    made.add(note.id()); // the note learns it with the first repetition, which most never have
    return note.id();
  }

  private @Nullable Note known(String name) {
    Note note = store.readNote(SHELF, name).map(Note::read).orElse(null);
    return note == null || isOver(note) ? null : note;
  }

  private boolean isOver(Note note) {
    return !clock.instant().isBefore(note.at().plus(KEY_LIFETIME));
  }

  private ReentrantLock lock(String name) {
    return locks[Math.floorMod(name.hashCode(), locks.length)];
  }

  private static String requireKey(String key) {
    boolean printable = key.chars().allMatch(c -> c > ' ' && c < 127);
    if (key.isEmpty() || key.length() > LONGEST_KEY || !printable) {
      throw new Problem(
          Problem.Kind.INVALID,
          HEADER + " must be 1 to " + LONGEST_KEY + " printable characters, such as a UUID");
    }
    return key;
  }

  /** Keys that are over are forgotten while others come, not on anybody's time. */
  private synchronized void sweepSometimes() {
    Instant now = clock.instant();
    if (!closed && !now.isBefore(due)) {
      due = now.plus(BETWEEN_SWEEPS);
      sweep = Thread.ofVirtual().name("millrace-keys").start(this::sweep);
    }
  }

  private void sweep() {
    try {
      for (String name : store.noteNames(SHELF)) {
        if (closed) {
          return;
        }
        alone(name, () -> dropIfOver(name));
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "old idempotency keys stay for now: " + e.getMessage());
    }
  }

  /** Whether it was, or somebody else had dropped it. */
  private boolean dropIfOver(String name) {
    boolean over = known(name) == null;
    if (over) {
      store.deleteNote(SHELF, name);
    }
    return over;
  }

  /** Ends a sweep that is under way; it is not interrupted, for it may be in the midst of a file. */
  @Override
  public void close() {
    Thread last;
    synchronized (this) {
      closed = true;
      last = sweep;
    }
    try {
      if (last != null && !last.join(END)) {
        LOG.log(Level.WARNING, "old idempotency keys are still being dropped");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
