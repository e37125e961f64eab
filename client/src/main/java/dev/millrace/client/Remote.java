package dev.millrace.client;

import static java.util.stream.Collectors.toMap;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiTask;
import dev.millrace.api.LogLine;
import dev.millrace.api.PageOf;
import dev.millrace.api.PruneRequest;
import dev.millrace.api.TaskTerms;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueStats;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a server, for {@link Work} and {@link Flow}, which otherwise use a local workspace.
 * What the API does not show is empty: positions in the queue, counts of tasks. Log entries are
 * lines of text. Thread-safe.
 */
public final class Remote implements JobSubmitter, JobReader, AutoCloseable {
  private static final int PAGE = 1_000;

  /** How long to wait for an event while texts come, too. */
  private static final Duration TEXT_ROUND = Duration.ofMillis(200);

  private static final int MAX_REMEMBERED = 1_000;

  private final MillraceClient client;
  private final FollowedTexts texts;
  private final Map<JobId, Long> seen = bounded();
  private final Map<String, String> cursors = bounded();

  public Remote(MillraceClient client) {
    this.client = client;
    this.texts = new FollowedTexts(client.tasks());
  }

  /** The server at {@code base}, without an API key. */
  public static Remote at(URI base) {
    return new Remote(MillraceClient.at(base));
  }

  public Work work() {
    return new Work(this);
  }

  public Flow flow() {
    return new Flow(this);
  }

  /** A user's levers. */
  public JobControls controls() {
    return client.controls();
  }

  @Override
  public void close() {
    texts.close();
    client.close();
  }

  @Override
  public JobId submit(JobSpec spec) {
    try {
      return ownId(client.jobs().submit(spec));
    } catch (ApiException e) {
      if (e.status() == 400 || e.status() == 413) {
        throw new IllegalArgumentException(e.text(), e);
      }
      throw new StoreException(e.getMessage(), e);
    } catch (NetworkException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  /**
   * @throws UnsupportedOperationException always: the server chooses ids, and {@link
   *     #submit(JobSpec)} is already retried safely
   */
  @Override
  public boolean submit(JobSpec spec, JobId id) {
    throw new UnsupportedOperationException(
        "the server chooses the ids of jobs; call submit without an id");
  }

  /**
   * @throws UnsupportedOperationException if the request has an id: the server chooses ids
   */
  @Override
  public RetryResult retry(RetryRequest request) {
    if (request.id() != null) {
      throw new UnsupportedOperationException(
          "the server chooses the ids of jobs; call retry without an id");
    }
    try {
      ApiJob.Retried answer =
          client.jobs().retry(uuid(request.job()), request.fromStart(), null, request.comment());
      return new RetryResult(
          Outcome.DONE, ownId(answer.job()), true, answer.adopted(), answer.tasks());
    } catch (ApiException e) {
      return switch (e.code()) {
        case "JOB_NOT_FOUND" ->
            RetryResult.rejected(new Outcome.Missing("no job " + request.job() + " to retry"));
        case "JOB_NOT_IN_FINITE_STATE" ->
            RetryResult.rejected(
                new Outcome.Refused(
                    Outcome.Reason.JOB_NOT_ENDED,
                    e.text().replaceFirst("^JOB_NOT_IN_FINITE_STATE: ", "")));
        default -> throw notRetried(e);
      };
    } catch (NetworkException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  private static RuntimeException notRetried(ApiException e) {
    if (e.status() == 400 || e.status() == 413) {
      return new IllegalArgumentException(e.text(), e);
    }
    boolean noSuchPath = e.isNotFound() || e.status() == 405;
    return new StoreException(
        noSuchPath
            ? "the server does not retry jobs; it may be an older version, or not at this URL ("
                + e.getMessage()
                + ")"
            : e.getMessage(),
        e);
  }

  private static JobId ownId(ApiJob job) {
    return EntityId.of(job.id())
        .map(EntityId::job)
        .orElseThrow(
            () ->
                new StoreException("the id of the created job is not a Millrace id: " + job.id()));
  }

  @Override
  public Optional<JobState> state(JobId id) {
    return find(() -> client.jobs().get(uuid(id)).status());
  }

  /** The job without the number of its last event, its webhooks and the limits of its stages. */
  @Override
  public Optional<JobView> find(JobId id) {
    return find(() -> ApiViewConverter.toJobView(id, client.jobs().get(uuid(id), true)));
  }

  /** Reading pages in order is cheapest: the end of each page is remembered. */
  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    if (stage == 0) {
      return List.of();
    }
    UUID stageId = EntityId.of(id, stage).uuid();
    List<TaskView> out = new ArrayList<>();
    String cursor = cursors.get(stageId + "/" + from);
    int next = cursor == null ? 1 : from;
    while (out.size() < limit) {
      String at = cursor;
      Optional<PageOf<ApiTask>> page = find(() -> client.stages().tasks(stageId, PAGE, at));
      if (page.isEmpty()) {
        break;
      }
      for (ApiTask task : page.get().items()) {
        if (next++ >= from && out.size() < limit) {
          out.add(ApiViewConverter.toTaskView(id, task));
        }
      }
      cursor = page.get().next();
      if (cursor == null) {
        break;
      }
      cursors.put(stageId + "/" + next, cursor);
    }
    return out;
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    UUID taskId = new EntityId(id, stage, task).uuid();
    return find(() -> ApiViewConverter.toTaskView(id, client.tasks().get(taskId)));
  }

  /**
   * Begins to follow the text, and returns what has come: nothing at the first call, and nothing
   * while many other texts are followed.
   */
  @Override
  public OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return texts.read(new EntityId(id, stage, task).uuid(), from);
  }

  /** Always empty, until the text is followed. */
  @Override
  public Optional<String> partialOutput(JobId id, int stage, int task) {
    return Optional.empty();
  }

  /** Always empty: the API does not show the order of the queue. */
  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    return Optional.empty();
  }

  @Override
  public List<LogEntry> events(JobId id, long after, int limit) {
    String cursor = after > 0 ? Long.toString(after) : null;
    int most = Math.min(limit, PAGE);
    return find(() -> client.so1().logs(uuid(id), most, cursor).items()).orElse(List.of()).stream()
        .map(Remote::entry)
        .toList();
  }

  private static LogEntry entry(LogLine line) {
    return new LogEntry(
        line.cursor(), line.at(), new Fact.WorkerLogLine(0, 0, line.level(), line.line()));
  }

  /** Needs the scope {@code submit}. */
  @Override
  public Optional<JobSpec> spec(JobId id) {
    try {
      return Optional.of(JobDocument.read(client.jobs().document(uuid(id)), JobDocument.INLINE));
    } catch (ApiException e) {
      if (e.code().equals("JOB_NOT_FOUND")) {
        return Optional.empty();
      }
      boolean noSuchPath = e.isNotFound() || e.status() == 405;
      throw new StoreException(
          noSuchPath
              ? "the server does not show the documents of jobs; it may be an older version, or not"
                  + " at this URL ("
                  + e.getMessage()
                  + ")"
              : e.getMessage(),
          e);
    } catch (NetworkException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  /** The frozen terms of the job's tasks; the last ones of each task count. */
  public Map<EntityId, JsonObject> frozenTerms(JobId id) {
    Function<TaskTerms, EntityId> task = each -> new EntityId(id, each.stage(), each.task());
    return require(
        () ->
            client
                .jobs()
                .terms(uuid(id))
                .collect(toMap(task, TaskTerms::terms, (_, last) -> last)));
  }

  /** The jobs that {@link JobControls#prune} would delete, oldest first. */
  public PrunableJobs prunable(Instant before, Set<JobState> states) {
    PruneRequest old = new PruneRequest(before, states);
    return require(() -> client.jobs().prunable(old));
  }

  @Override
  public List<JobId> list(Query query) {
    return require(() -> new RemoteJobQuery(client).find(query));
  }

  /** Counts by listing all jobs: one request for every 1,000 jobs. */
  @Override
  public Map<JobState, Integer> counts() {
    return require(
        () -> {
          Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
          client
              .jobs()
              .all(JobFilter.all().limit(PAGE))
              .forEach(job -> counts.merge(job.status(), 1, Integer::sum));
          return counts;
        });
  }

  /** Only counts of jobs; the metrics of the server have the rest. */
  @Override
  public QueueStats queueStats() {
    return new QueueStats(counts(), List.of());
  }

  /** Waits for an event of the job; the first call for a job may return at once. */
  @Override
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    Long cursor = seen.get(id);
    try (JobEventStream events = client.so1().events(uuid(id), cursor == null ? 0 : cursor)) {
      Duration wait = texts.isFollowing() && atMost.compareTo(TEXT_ROUND) > 0 ? TEXT_ROUND : atMost;
      while (events.poll(wait).isPresent()) {
        wait = Duration.ZERO; // further events belong to the same change
      }
      String last = events.lastEventId();
      if (last != null) {
        seen.put(id, Long.parseLong(last));
      }
    } catch (NetworkException e) {
      if (e.kind() == NetworkException.Kind.REQUEST_CANCELLED) {
        Thread.interrupted();
        throw new InterruptedException();
      }
      throw new StoreException(e.getMessage(), e);
    } catch (ApiException e) {
      if (!e.isNotFound()) {
        throw new StoreException(e.getMessage(), e);
      }
    }
  }

  private static UUID uuid(JobId id) {
    return EntityId.of(id).uuid();
  }

  /** Empty if the server answers 404. */
  private static <T> Optional<T> find(Supplier<@Nullable T> request) {
    try {
      return Optional.ofNullable(request.get());
    } catch (ApiException e) {
      if (e.isNotFound()) {
        return Optional.empty();
      }
      throw new StoreException(e.getMessage(), e);
    } catch (NetworkException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  private static <T> T require(Supplier<T> request) {
    try {
      return request.get();
    } catch (ClientException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  private static <K, V> Map<K, V> bounded() {
    return Collections.synchronizedMap(
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MAX_REMEMBERED;
          }
        });
  }
}
