package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
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
 * Decides who is told what, round by round, on a thread of its own; the telling is done by virtual
 * threads. What to do is in the store's notes and the jobs' logs; the agenda is a part of it that
 * fits into memory.
 */
final class WebhookScheduler implements Runnable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  static final int CAPACITY = 10_000;
  private static final int AT_A_TIME = 256;
  private static final Duration PACE = Duration.ofMillis(20);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
  private static final Duration AFTER_TROUBLE = Duration.ofSeconds(5);

  /** After a fault of our own, which time alone does not mend. */
  private static final Duration AFTER_FAULT = Duration.ofMinutes(1);

  /** A note without a job that is older than this is of a submission that never was. */
  private static final Duration ORPHAN = Duration.ofHours(1);

  /** A parcel that is back, and when to look at its line again; null: at once. */
  private record Landing(PendingDelivery parcel, @Nullable Instant next) {}

  private final JobStore store;
  private final WebhookSettings settings;
  private final WebhookSender delivery;
  private final ExecutorService threads;
  private final DeliveryStore ledger;
  private final WebhookEventFinder tellings;
  private final DeliveryQueue agenda;
  private final ChangedJobs changed = new ChangedJobs(CAPACITY);
  private final Queue<Landing> landings = new ConcurrentLinkedQueue<>();
  private final DeliveryNoteScan pass = new DeliveryNoteScan();
  private final @Nullable JobId[] without = new @Nullable JobId[1 << 12]; // known to have no note
  private volatile int pending;

  WebhookScheduler(
      JobStore store,
      WebhookSettings settings,
      WebhookSender delivery,
      ExecutorService threads,
      int capacity) {
    this.store = store;
    this.settings = settings;
    this.delivery = delivery;
    this.threads = threads;
    this.ledger = new DeliveryStore(store);
    this.tellings = new WebhookEventFinder(store);
    this.agenda = new DeliveryQueue(capacity, settings.maxConcurrent(), settings.maxPerHost());
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
        } catch (RuntimeException | Error e) { // whatever it is, receivers are not left alone
          if (threads.isShutdown()) {
            return;
          }
          LOG.log(Level.WARNING, "webhooks: all is looked at again in a while", e);
          pass.schedule(settings.clock().instant().plus(AFTER_TROUBLE));
          changed.pause(AFTER_TROUBLE);
          continue;
        }
        if (!more) {
          changed.await(untilNext());
          changed.pause(PACE); // what happens to a job in one go is looked at once
        }
      }
    } catch (InterruptedException e) {
      LOG.log(Level.DEBUG, "webhooks end");
    }
  }

  /** Does some of what there is to do; says whether there may be more at once. */
  private boolean round() {
    Instant now = settings.clock().instant();
    boolean more = false;
    for (Landing back = landings.poll(); back != null; back = landings.poll()) {
      land(back, now);
    }
    List<JobId> jobs = changed.take(AT_A_TIME);
    jobs.forEach(job -> guarded(job, () -> lookAtChanged(job, now)));
    more |= jobs.size() == AT_A_TIME;
    if (changed.takeOverflow()) {
      pass.schedule(now);
    }
    more |= lookAtDue(now);
    more |= goThroughNotes(now);
    for (Optional<PendingDelivery> next = agenda.startNext();
        next.isPresent();
        next = agenda.startNext()) {
      takeOff(next.get(), now);
    }
    pending = agenda.size();
    return more;
  }

  private void takeOff(PendingDelivery parcel, Instant now) {
    try {
      threads.execute(() -> send(parcel));
    } catch (RuntimeException | Error e) {
      landings.add(new Landing(parcel, now.plus(AFTER_TROUBLE)));
      throw e;
    }
  }

  private void land(Landing back, Instant now) {
    WebhookKey line = back.parcel().key();
    boolean again = agenda.finish(back.parcel());
    if (back.next() == null || again) {
      guarded(line.job(), () -> lookAt(line.job(), now));
    } else {
      agenda.schedule(line, back.next());
    }
  }

  private boolean lookAtDue(Instant now) {
    for (int i = 0; i < AT_A_TIME; i++) {
      Optional<WebhookKey> due = agenda.pollDue(now);
      if (due.isEmpty()) {
        return false;
      }
      JobId job = due.get().job();
      guarded(job, () -> lookAt(job, now));
    }
    return true;
  }

  /** Goes on with the notes, while there is room for what they say. */
  private boolean goThroughNotes(Instant now) {
    agenda.firstEvictedDue().ifPresent(pass::schedule);
    if (pass.start(now, agenda.firstEvictedDue().isPresent(), ledger::jobs)) {
      agenda.clearEvicted();
    }
    pass.queueCrowded(agenda.isCrowded(), now);
    for (int i = 0; i < AT_A_TIME && pass.shouldContinue(now); i++) {
      JobId job = pass.next();
      guarded(job, () -> lookAt(job, now));
      pass.queueCrowded(agenda.isCrowded(), now);
    }
    return pass.shouldContinue(now);
  }

  /** What is wrong with one job, or with the store for a while, is tried again later. */
  private void guarded(JobId job, Runnable look) {
    try {
      look.run();
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "webhooks of job " + job + ": looked at again in a while", e);
      again(job, settings.clock().instant().plus(AFTER_TROUBLE));
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "webhooks of job " + job + ": looked at again in a while", e);
      again(job, settings.clock().instant().plus(AFTER_FAULT));
    }
  }

  /** Looks at the job again at that time, with the first of its lines. */
  private void again(JobId job, Instant at) {
    agenda.schedule(new WebhookKey(job, 0), at);
  }

  private void lookAtChanged(JobId job, Instant now) {
    int slot = job.hashCode() & without.length - 1;
    if (job.equals(without[slot])) {
      return;
    }
    if (ledger.contains(job)) {
      lookAt(job, now);
    } else {
      without[slot] = job; // a note is made before its job, so there will be none
    }
  }

  private void lookAt(JobId job, Instant now) {
    Optional<JobView> view = store.find(job);
    if (view.isEmpty()) {
      orphaned(job, now);
      return;
    }
    List<Webhook> hooks = view.get().header().webhooks();
    Optional<List<DeliveryProgress>> known = ledger.read(job, hooks.size());
    if (known.isPresent() && hooks.isEmpty()) {
      ledger.drop(job);
    }
    for (int i = 0; known.isPresent() && i < hooks.size(); i++) {
      lookAt(new WebhookKey(job, i), view.get(), known.get().get(i), now);
    }
  }

  private void lookAt(WebhookKey line, JobView view, DeliveryProgress progress, Instant now) {
    if (progress.done() || agenda.isInFlight(line)) {
      return;
    }
    if (progress.notBefore() != null && progress.notBefore().isAfter(now)) {
      agenda.schedule(line, progress.notBefore());
      return;
    }
    List<Webhook> hooks = view.header().webhooks();
    Webhook hook = hooks.get(line.index());
    Optional<WebhookEvent> telling = tellings.next(view, hook, progress.after());
    if (telling.isPresent()) {
      URI uri = URI.create(hook.url());
      agenda.enqueue(
          new PendingDelivery(
              line, DeliveryTarget.host(uri) + " " + DeliveryTarget.port(uri), telling.get()));
    } else if (view.state().isFinal()) {
      ledger.save(line, hooks.size(), DeliveryProgress.finished(view.lastEvent()));
    }
  }

  private void orphaned(JobId job, Instant now) {
    if (!ledger.contains(job)) {
      return;
    }
    Instant over = Instant.EPOCH.plusSeconds(job.micros() / 1_000_000).plus(ORPHAN);
    if (over.isAfter(now)) {
      again(job, over);
      return;
    }
    LOG.log(Level.INFO, "webhooks of job " + job + ": there is no such job any more");
    ledger.drop(job);
  }

  /** On a thread of its own. */
  private void send(PendingDelivery parcel) {
    Instant next = settings.clock().instant().plus(AFTER_TROUBLE);
    try {
      next = deliver(parcel);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StoreException e) { // it is told again
      LOG.log(Level.WARNING, "webhook of job " + parcel.key().job() + ": " + e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "webhook of job " + parcel.key().job() + " failed", e);
    } finally {
      landings.add(new Landing(parcel, next));
      wake();
    }
  }

  private @Nullable Instant deliver(PendingDelivery parcel) throws InterruptedException {
    WebhookKey line = parcel.key();
    JobView view = store.find(line.job()).orElse(null);
    if (view == null) {
      return null;
    }
    int hooks = view.header().webhooks().size();
    List<DeliveryProgress> known = ledger.read(line.job(), hooks).orElse(null);
    if (known == null || known.get(line.index()).after() >= parcel.event().entryNumber()) {
      return null;
    }
    DeliveryProgress after = delivery.deliver(parcel, view, known.get(line.index()));
    ledger.save(line, hooks, after);
    return after.notBefore();
  }

  private Duration untilNext() {
    Instant now = settings.clock().instant();
    Instant next = now.plus(LONGEST_WAIT);
    next = earlier(next, agenda.nextDue().orElse(next));
    next = earlier(next, pass.nextTime().orElse(next));
    Duration wait = Duration.between(now, next);
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
