package dev.millrace.server.http;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Submits jobs so that a request with an {@code Idempotency-Key} makes one job however often it is
 * sent, by the same principal within {@link #KEPT}. The key is noted in the store with the job's id
 * before the job is submitted under it: a crash between the two is repaired by the next repetition,
 * and a job that was made and deleted since is not made again. Thread-safe; concurrent repetitions
 * must come to one server.
 */
public final class Idempotency {
  /** How long a key is remembered. */
  public static final Duration KEPT = Duration.ofHours(24);

  public static final String HEADER = "Idempotency-Key";

  static final String SHELF = "keys";

  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int LONGEST_KEY = 200;
  private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

  private final JobStore store;
  private final InstantSource clock;
  private final ReentrantLock[] locks = new ReentrantLock[64];
  private final AtomicReference<Instant> swept;

  public Idempotency(JobStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
    this.swept = new AtomicReference<>(Instant.MIN);
    Arrays.setAll(locks, _ -> new ReentrantLock());
  }

  /**
   * What became of a submission.
   *
   * @param replayed whether an earlier request made the job
   */
  public record Outcome(JobId id, boolean replayed) {}

  /**
   * A key as it is noted.
   *
   * @param made whether the job is known to have been made
   */
  private record Note(JobId id, String fingerprint, Instant at, boolean made) {
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
   * Submits {@code spec}, which {@code call} asks for; without a key, just so.
   *
   * @throws Problem CONFLICT if the key came with another request before, INVALID if it is no key
   */
  public Outcome submit(Call call, JobSpec spec) {
    Optional<String> key = call.header(HEADER);
    if (key.isEmpty()) {
      return new Outcome(store.submit(spec), false);
    }
    String name = Fingerprint.of(call.principal().name(), requireKey(key.get()));
    String body = Fingerprint.of("POST", call.path(), Fingerprint.canonical(call.body()));
    sweepSometimes();
    ReentrantLock lock = lock(name);
    lock.lock();
    try {
      return submit(name, body, spec);
    } finally {
      lock.unlock();
    }
  }

  private Outcome submit(String name, String body, JobSpec spec) {
    Note known = known(name);
    if (known == null) {
      known = new Note(Work.generateId(), body, clock.instant(), false);
      store.keep(SHELF, name, known.text());
    } else if (!known.fingerprint().equals(body)) {
      throw new Problem(
          Problem.Kind.CONFLICT,
          "this "
              + HEADER
              + " came with another request before; take a new key for each new request");
    } else if (known.made()) {
      return new Outcome(known.id(), true);
    }
    boolean fresh = make(name, known, spec);
    return new Outcome(known.id(), !fresh);
  }

  private boolean make(String name, Note note, JobSpec spec) {
    boolean fresh;
    try {
      fresh = store.submit(spec, note.id());
    } catch (IllegalArgumentException e) {
      store.drop(SHELF, name); // it will never be made: the key is free for a better request
      throw e;
    }
    store.keep(SHELF, name, new Note(note.id(), note.fingerprint(), note.at(), true).text());
    return fresh;
  }

  private @Nullable Note known(String name) {
    Note note = store.note(SHELF, name).map(Note::read).orElse(null);
    return note == null || isOver(note) ? null : note;
  }

  private boolean isOver(Note note) {
    return !clock.instant().isBefore(note.at().plus(KEPT));
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
  private void sweepSometimes() {
    Instant now = clock.instant();
    Instant last = swept.get();
    boolean due = last.equals(Instant.MIN) || !now.isBefore(last.plus(BETWEEN_SWEEPS));
    if (due && swept.compareAndSet(last, now)) {
      Thread.ofVirtual().name("millrace-keys").start(this::sweep);
    }
  }

  private void sweep() {
    try {
      for (Map.Entry<String, String> note : store.notes(SHELF).entrySet()) {
        Note read = Note.read(note.getValue());
        if (read == null || isOver(read)) {
          dropIfOver(note.getKey());
        }
      }
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "old idempotency keys stay for now: " + e.getMessage());
    }
  }

  private void dropIfOver(String name) {
    ReentrantLock lock = lock(name);
    lock.lock();
    try {
      if (known(name) == null) { // somebody may have taken the key anew
        store.drop(SHELF, name);
      }
    } finally {
      lock.unlock();
    }
  }
}
