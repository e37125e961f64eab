package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.LeaderLease;
import dev.millrace.core.store.StoreException;
import dev.millrace.http.webhook.DeliveryQueue.PendingDelivery;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Decides which event to send to which webhook. It works in rounds on its own thread; virtual
 * threads send the requests. The notes of the store and the logs of the jobs are the source; the
 * queue in memory holds only a part of it.
 */
final class WebhookScheduler implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  static final int CAPACITY = 10_000;
  private static final int BATCH = 256;
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  /** How often a server that does not deliver looks whether it is its turn. */
  private static final Duration LEADER_CHECK = Duration.ofSeconds(5);

  /** After a bug of this server, which time alone does not fix. */
  private static final Duration BUG_RETRY_DELAY = Duration.ofMinutes(1);

  /** An older note without a job belongs to a submission that failed. */
  private static final Duration ORPHAN_AGE = Duration.ofHours(1);

  /** A finished attempt, and when to check its webhook again; null: now. */
  private record Attempt(PendingDelivery delivery, @Nullable Instant next) {}

  private final JobStore store;
  private final LeaderLease leader;
  private final RetryTimes times;
  private final WebhookSender sender;
  private final ExecutorService threads;
  private final DeliveryStore progressStore;
  private final WebhookEventFinder eventFinder;
  private final DeliveryQueue queue;
  private final ChangedJobs changed = new ChangedJobs(CAPACITY);
  private final Queue<Attempt> finished = new ConcurrentLinkedQueue<>();
  private final DeliveryNoteScan scan = new DeliveryNoteScan();
  private final @Nullable JobId[] withoutNote = new @Nullable JobId[1 << 12]; // jobs without a note
  private volatile int pending;
  private boolean leads = true; // of the scheduler's thread

  /**
   * @param leader who calls webhooks for all servers that share the jobs
   */
  WebhookScheduler(
      JobStore store,
      LeaderLease leader,
      RetryTimes times,
      WebhookSender sender,
      ExecutorService threads,
      DeliveryQueue queue) {
    this.store = store;
    this.leader = leader;
    this.times = times;
    this.sender = sender;
    this.threads = threads;
    this.progressStore = new DeliveryStore(store);
    this.eventFinder = new WebhookEventFinder(store);
    this.queue = queue;
  }

  /** Something happened to the job. */
  void jobChanged(JobId job) {
    changed.add(job);
  }

  void wake() {
    changed.wakeUp();
  }

  int pending() {
    return pending;
  }

  @Override
  public void run() {
    try {
      while (!Thread.interrupted()) {
        boolean more;
        try {
          more = round();
        } catch (RuntimeException | Error e) { // keep going: other webhooks must be delivered
          if (threads.isShutdown()) {
            return;
          }
          boolean reportedByStore = e instanceof StoreException known && known.trouble() != null;
          Level level = reportedByStore ? Level.DEBUG : Level.WARNING;
          LOG.log(level, "webhook round failed; retrying", e);
          scan.schedule(times.now().plus(RETRY_DELAY));
          changed.pause(RETRY_DELAY);
          continue;
        }
        if (!more) {
          changed.await(leads ? untilNext() : LEADER_CHECK);
          changed.pause(PAUSE); // process changes of a job together
        }
      }
    } catch (InterruptedException e) {
      LOG.log(Level.DEBUG, "webhooks stopped");
    }
  }

  /** Does some of the pending work; returns whether there may be more now. */
  private boolean round() {
    Instant now = times.now();
    boolean more = false;
    if (!leader.isHeld()) {
      leads = false;
      changed.take(Integer.MAX_VALUE); // another server delivers their events
      return false;
    }
    if (!leads) {
      leads = true;
      scan.schedule(now); // what the one before has left
    }
    for (Attempt attempt = finished.poll(); attempt != null; attempt = finished.poll()) {
      finish(attempt, now);
    }
    List<JobId> jobs = changed.take(BATCH);
    jobs.forEach(job -> checkSafely(job, () -> checkChanged(job, now)));
    more |= jobs.size() == BATCH;
    if (changed.takeOverflow()) {
      scan.schedule(now);
    }
    more |= checkDue(now);
    more |= scanNotes(now);
    for (Optional<PendingDelivery> next = queue.startNext();
        next.isPresent();
        next = queue.startNext()) {
      start(next.get(), now);
    }
    pending = queue.size();
    return more;
  }

  private void start(PendingDelivery delivery, Instant now) {
    try {
      threads.execute(() -> send(delivery));
    } catch (RuntimeException | Error e) {
      finished.add(new Attempt(delivery, now.plus(RETRY_DELAY)));
      throw e;
    }
  }

  private void finish(Attempt attempt, Instant now) {
    WebhookKey key = attempt.delivery().key();
    boolean checkAgain = queue.finish(attempt.delivery());
    if (attempt.next() == null || checkAgain) {
      checkSafely(key.job(), () -> check(key.job(), now));
    } else {
      queue.schedule(key, attempt.next());
    }
  }

  private boolean checkDue(Instant now) {
    for (int i = 0; i < BATCH; i++) {
      Optional<WebhookKey> due = queue.pollDue(now);
      if (due.isEmpty()) {
        return false;
      }
      JobId job = due.get().job();
      checkSafely(job, () -> check(job, due.get(), now));
    }
    return true;
  }

  /** Continues the scan of notes while the queue has room. */
  private boolean scanNotes(Instant now) {
    queue.firstEvictedDue().ifPresent(scan::schedule);
    if (scan.start(now, queue.firstEvictedDue().isPresent(), progressStore::jobs)) {
      queue.clearEvicted();
    }
    scan.queueCrowded(queue.isCrowded(), now);
    for (int i = 0; i < BATCH && scan.shouldContinue(now); i++) {
      JobId job = scan.next();
      checkSafely(job, () -> check(job, now));
      scan.queueCrowded(queue.isCrowded(), now);
    }
    return scan.shouldContinue(now);
  }

  /** Runs a check of one job; if it fails, schedules it again. */
  private void checkSafely(JobId job, Runnable check) {
    try {
      check.run();
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "webhooks of job " + job + ": check failed; retrying", e);
      checkAgain(job, times.now().plus(RETRY_DELAY));
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "webhooks of job " + job + ": check failed; retrying", e);
      checkAgain(job, times.now().plus(BUG_RETRY_DELAY));
    }
  }

  /** Checks the job again at that time, under the key of its first webhook. */
  private void checkAgain(JobId job, Instant at) {
    queue.schedule(new WebhookKey(job, 0), at);
  }

  private void checkChanged(JobId job, Instant now) {
    int slot = job.hashCode() & withoutNote.length - 1;
    if (job.equals(withoutNote[slot])) {
      return;
    }
    if (progressStore.contains(job)) {
      check(job, now);
    } else {
      withoutNote[slot] = job; // the note is written before the job, so there will be none
    }
  }

  private void check(JobId job, Instant now) {
    check(job, null, now);
  }

  /**
   * Checks all webhooks of a job.
   *
   * @param due the one whose time to wait has passed, whatever time its note says; null if none
   */
  private void check(JobId job, @Nullable WebhookKey due, Instant now) {
    Optional<JobView> view = store.find(job);
    if (view.isEmpty()) {
      deleteIfOrphaned(job, now);
      return;
    }
    List<Webhook> webhooks = view.get().header().webhooks();
    Optional<List<DeliveryProgress>> known = progressStore.read(job, webhooks.size());
    if (known.isPresent() && webhooks.isEmpty()) {
      progressStore.delete(job);
    }
    for (int i = 0; known.isPresent() && i < webhooks.size(); i++) {
      WebhookKey key = new WebhookKey(job, i);
      DeliveryProgress progress = known.get().get(i);
      if (progress.done() || queue.isInFlight(key)) {
        continue;
      }
      if (!key.equals(due) && times.due(progress).isAfter(now)) {
        queue.schedule(key, times.due(progress));
      } else {
        enqueue(key, view.get(), progress);
      }
    }
  }

  private void enqueue(WebhookKey key, JobView view, DeliveryProgress progress) {
    List<Webhook> webhooks = view.header().webhooks();
    Webhook webhook = webhooks.get(key.index());
    Optional<WebhookEvent> event = eventFinder.next(view, webhook, progress.after());
    if (event.isPresent()) {
      URI uri = URI.create(webhook.url());
      queue.enqueue(
          new PendingDelivery(
              key, ResolvedTarget.host(uri) + " " + ResolvedTarget.port(uri), event.get()));
    } else if (view.state().isFinal()) {
      progressStore.save(key, webhooks.size(), DeliveryProgress.finished(view.lastEvent()));
    }
  }

  private void deleteIfOrphaned(JobId job, Instant now) {
    if (!progressStore.contains(job)) {
      return;
    }
    Instant expiry = times.created(job).plus(ORPHAN_AGE);
    if (expiry.isAfter(now)) {
      checkAgain(job, expiry);
      return;
    }
    LOG.log(Level.INFO, "webhooks of job " + job + ": the job no longer exists");
    progressStore.delete(job);
  }

  /** Runs on its own thread. */
  private void send(PendingDelivery delivery) {
    Instant next = times.now().plus(RETRY_DELAY);
    try {
      next = deliver(delivery);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StoreException e) { // the event is sent again
      LOG.log(Level.WARNING, "webhook of job " + delivery.key().job() + ": " + e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "webhook of job " + delivery.key().job() + " failed", e);
    } finally {
      finished.add(new Attempt(delivery, next));
      wake();
    }
  }

  private @Nullable Instant deliver(PendingDelivery delivery) throws InterruptedException {
    WebhookKey key = delivery.key();
    JobView view = store.find(key.job()).orElse(null);
    if (view == null) {
      return null;
    }
    int webhooks = view.header().webhooks().size();
    List<DeliveryProgress> known = progressStore.read(key.job(), webhooks).orElse(null);
    if (known == null || known.get(key.index()).after() >= delivery.event().entryNumber()) {
      return null;
    }
    DeliveryProgress after = sender.deliver(delivery, view, known.get(key.index()));
    progressStore.save(key, webhooks, after);
    return after.notBefore() == null ? null : times.due(after);
  }

  private Duration untilNext() {
    Instant now = times.now();
    Instant next = now.plus(MAX_WAIT);
    next = earlier(next, queue.nextDue().orElse(next));
    next = earlier(next, scan.nextTime().orElse(next));
    Duration wait = Duration.between(now, next);
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
