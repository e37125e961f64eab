package dev.millrace.http.job;

import dev.millrace.core.Work;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.http.job.IdempotencyNotes.Found;
import dev.millrace.http.job.IdempotencyNotes.Key;
import dev.millrace.http.job.IdempotencyNotes.Lookup;
import dev.millrace.http.job.IdempotencyNotes.Note;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.Problem;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits jobs idempotently: a request with an {@code Idempotency-Key} creates one job, however
 * often the same principal repeats it within {@link #KEY_LIFETIME}. Each API has its own keys.
 *
 * <p>A note in the store links the key with the job's id: it is durable before the job is visible.
 * The next repetition repairs a crash between the two. A job that was deleted is not created again;
 * after a restart of the server this holds only if the request had been repeated before the job was
 * deleted. Thread-safe. Close it before the store.
 */
public final class IdempotentSubmitter implements AutoCloseable {
  /** How long a key is remembered. */
  public static final Duration KEY_LIFETIME = Duration.ofHours(24);

  public static final String HEADER = "Idempotency-Key";

  static final String SHELF = IdempotencyNotes.SHELF;

  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int MAX_KEY_LENGTH = 200;
  private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

  /** How long to wait for a sweep to stop; it checks after each note. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final JobStore store;
  private final ProcessTimeline timeline;
  private final IdempotencyNotes notes;
  private final Set<JobId> created = Collections.newSetFromMap(new RecentJobs());
  private Instant due = Instant.MIN; // the next sweep, steady; guarded by this
  private @Nullable Thread sweep; // the last one; guarded by this
  private volatile boolean closed;

  public IdempotentSubmitter(JobStore store, Clock clock) {
    this.store = store;
    this.timeline = new ProcessTimeline(clock);
    this.notes = new IdempotencyNotes(store, timeline, KEY_LIFETIME);
  }

  /** The last jobs that this server created; thread-safe. */
  private static final class RecentJobs extends LinkedHashMap<JobId, Boolean> {
    private static final long serialVersionUID = 1L;
    private static final int MAX = 100_000;

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
      return size() > MAX;
    }
  }

  /**
   * What a request led to.
   *
   * @param created whether this request created the job; false for a repetition
   */
  public record Submitted(JobId id, boolean created) {}

  /** A way to create a job. It may be called from several threads, and repeated. */
  public interface Creation {
    /** Creates the job under an id that the store chooses. */
    JobId create();

    /** Creates the job under this id, unless there is one with it. */
    void createAs(JobId id);
  }

  /** Creates a job by its specification. */
  private record Submission(JobStore store, JobSpec spec) implements Creation {
    @Override
    public JobId create() {
      return store.submit(spec);
    }

    @Override
    public void createAs(JobId id) {
      store.submit(spec, id);
    }
  }

  /**
   * Submits the job that a request asks for, or finds the one of an earlier request with its key.
   *
   * @param api the name of the API that got the request; a key of another API is another key
   * @param spec builds and checks the job; called only if the job must be created, so that a
   *     repetition of an accepted request is never refused
   * @throws Problem CONFLICT if the key was used for another request, or its job was deleted;
   *     INVALID if the key is malformed, or the job's data have a reserved name
   */
  public Submitted submit(String api, ApiRequest request, Supplier<JobSpec> spec) {
    return create(
        api,
        request,
        () ->
            new Submission(
                store,
                ReservedJobData.requireNone(spec.get())
                    .withSubmittedBy(request.principal().keyName())));
  }

  /**
   * As {@link #submit}, for any way to create a job.
   *
   * @param wanted prepares and checks the creation; called only if the job must be created
   */
  public Submitted create(String api, ApiRequest request, Supplier<? extends Creation> wanted) {
    Optional<String> key = request.header(HEADER);
    if (key.isEmpty()) {
      return new Submitted(wanted.get().create(), true);
    }
    Key names = Key.of(api, request.principal().name(), requireKey(key.get()));
    String body =
        RequestFingerprint.of("POST", path(request), RequestFingerprint.canonical(request.body()));
    startSweepIfDue();
    Lookup before = notes.locked(names, () -> notes.lookUp(names));
    Optional<Submitted> earlier = notes.locked(names, () -> earlier(before.found(), body));
    if (earlier.isPresent()) {
      return earlier.get();
    }
    Creation creation = wanted.get(); // may take a while, and others have keys too
    return notes.locked(
        names,
        () -> {
          Lookup now = notes.lookUpAgain(names, before);
          return earlier(now.found(), body).orElseGet(() -> create(names, now, body, creation));
        });
  }

  /** The job that was created for the key; empty if none. */
  private Optional<Submitted> earlier(@Nullable Found found, String body) {
    if (found == null) {
      return Optional.empty();
    }
    Note known = found.note();
    if (!known.fingerprint().equals(body)) {
      throw conflict("came with another request before; take a new key for each new request");
    }
    if (store.state(known.id()).isPresent()) {
      if (!known.created()) {
        notes.replace(found, known.asCreated());
      }
      return Optional.of(new Submitted(known.id(), false));
    }
    if (known.created() || created.contains(known.id())) {
      throw conflict("created a job that was deleted since; take a new key to create it again");
    }
    return Optional.empty();
  }

  private static Problem conflict(String why) {
    return new Problem(Problem.Kind.CONFLICT, "this " + HEADER + " " + why);
  }

  private Submitted create(Key names, Lookup seen, String body, Creation creation) {
    Found found =
        seen.found() != null
            ? seen.found()
            : new Found(
                names.own(),
                new Note(Work.generateId(), body, timeline.now().wall(), false),
                seen.own());
    if (!notes.writeAhead(names, found)) { // also a known one: a crash may have left it unsynced
      Lookup now = notes.lookUp(names); // another server was faster
      return earlier(now.found(), body).orElseGet(() -> create(names, now, body, creation));
    }
    JobId id = found.note().id();
    try {
      creation.createAs(id);
    } catch (IllegalArgumentException | Problem e) {
      notes.delete(found); // there is no job: the key can be used again
      throw e;
    }
    created.add(id); // written to the note by the first repetition, if one comes
    return new Submitted(id, true);
  }

  private static String requireKey(String key) {
    boolean printable = key.chars().allMatch(c -> c > ' ' && c < 127);
    if (key.isEmpty() || key.length() > MAX_KEY_LENGTH || !printable) {
      throw new Problem(
          Problem.Kind.INVALID,
          HEADER + " must be 1 to " + MAX_KEY_LENGTH + " printable characters, such as a UUID");
    }
    return key;
  }

  /** Starts a sweep of expired keys in the background, at most once per interval. */
  private synchronized void startSweepIfDue() {
    Instant now = timeline.now().steady();
    if (!closed && !now.isBefore(due)) {
      due = now.plus(SWEEP_INTERVAL);
      sweep = MonitoredThreads.virtualWork().name("millrace-keys").start(this::sweep);
    }
  }

  private void sweep() {
    try {
      notes.deleteExpired(() -> closed);
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "cannot delete expired idempotency keys: " + e.getMessage());
    }
  }

  /** Ends a running sweep; without an interrupt, because it may be writing a file. */
  @Override
  public void close() {
    Thread last;
    synchronized (this) {
      closed = true;
      last = sweep;
    }
    try {
      if (last != null && !last.join(CLOSE_TIMEOUT)) {
        LOG.log(Level.WARNING, "expired idempotency keys are still being deleted");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Without a trailing slash, which means nothing. */
  private static String path(ApiRequest request) {
    return request.path().replaceFirst("/$", "");
  }
}
