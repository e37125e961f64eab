package dev.millrace.cli.place;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.log.DatabaseLogging;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.server.infer.LoggedTerms;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.RunningServer;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a database. Any number of servers process them, so it is never owned by another one.
 * Its name never shows the password.
 */
final class DatabasePlace implements OwnablePlace {
  private static final Duration ROUND = Duration.ofMillis(200);

  private final PostgresDatabase database;
  private @Nullable JobStore visited; // guarded by this, as is the next one
  private @Nullable JobStore joined;

  private DatabasePlace(PostgresDatabase database) {
    this.database = database;
  }

  /**
   * @param creates whether its tables are made, or brought up to date; else they must be there
   */
  static DatabasePlace at(Shell shell, String url, boolean creates) {
    DatabaseLogging.silence();
    try {
      PostgresSettings settings = PostgresSettings.parse(url, shell.environment());
      return new DatabasePlace(
          creates ? PostgresDatabase.open(settings) : PostgresDatabase.openExisting(settings));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** Whether there are tables at the address. */
  static boolean exists(Shell shell, String url) {
    try {
      return PostgresDatabase.hasTables(PostgresSettings.parse(url, shell.environment()));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  @Override
  public String name() {
    return database.settings().toString();
  }

  @Override
  public String location() {
    return name();
  }

  /** For commands that change something, which are servers for a moment. */
  private synchronized JobStore store() {
    JobStore open = joined == null ? visited : joined;
    if (open == null) {
      open = database.visit(processName());
      visited = open;
    }
    return open;
  }

  /** The database for this process alone, to move its jobs elsewhere. */
  MovableStore ownToMove() {
    return database.ownToMove("move (" + processName() + ")");
  }

  /** The database to move jobs into it. */
  MovableStore visitToMove() {
    return database.visitToMove("move (" + processName() + ")");
  }

  private static String processName() {
    long pid = ProcessHandle.current().pid();
    try {
      return InetAddress.getLocalHost().getHostName() + " pid " + pid;
    } catch (UnknownHostException e) {
      return "pid " + pid;
    }
  }

  @Override
  public Work work() {
    return new Work(store());
  }

  @Override
  public JobReader reader() {
    return database.reader();
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    return store().retry(request);
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return store().apply(id, lever, cause);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return store().prune(before, states);
  }

  @Override
  public PruneDryRun dryRunPrune(Instant before, Set<JobState> states) {
    return PruneDryRun.of(reader(), before, states);
  }

  @Override
  public Map<EntityId, JsonObject> frozenTerms(JobId id) {
    return LoggedTerms.of(reader(), id);
  }

  @Override
  public @Nullable String identity() {
    return database.identity().orElse(null);
  }

  @Override
  public Optional<TakenOutJob> takenOut(JobId id) {
    return database.takenOut(id);
  }

  @Override
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    database.forEachTakenOut(jobs);
  }

  /**
   * There is one if any server lives; the information is that of the first that is ready, with the
   * models and types of all.
   */
  @Override
  public PlaceOwner owner() {
    List<RunningServer> servers = database.servers();
    RunningServer shown =
        servers.stream()
            .filter(RunningServer::ready)
            .findFirst()
            .orElse(servers.isEmpty() ? null : servers.getFirst());
    if (shown == null) {
      return new PlaceOwner(false, false, OptionalLong.empty(), JsonObject.create());
    }
    List<JsonObject> all =
        servers.stream()
            .map(it -> copy(it.info()).put("name", it.name()).put("ready", it.ready()))
            .toList();
    JsonObject info = copy(shown.info());
    for (String field : List.of("models", "types")) {
      List<Object> together = together(all, field);
      info.putIfPresent(field, together.isEmpty() ? null : together);
    }
    return new PlaceOwner(
        true, shown.ready(), OptionalLong.empty(), info.put(PlaceOwner.SERVERS, all));
  }

  private static JsonObject copy(JsonObject info) {
    JsonObject copy = JsonObject.create();
    info.values().forEach(copy::put);
    return copy;
  }

  /** What any of the servers has in a list, each once. */
  private static List<Object> together(List<JsonObject> servers, String field) {
    Set<Object> all = new LinkedHashSet<>();
    for (JsonObject server : servers) {
      if (server.get(field) instanceof List<?> some) {
        all.addAll(some);
      }
    }
    return List.copyOf(all);
  }

  @Override
  public JobArtifacts artifacts(JobId id) {
    return JobArtifacts.NONE;
  }

  @Override
  public boolean metersDrafts() {
    return true;
  }

  @Override
  public Duration pollInterval() {
    return ROUND;
  }

  @Override
  public OwnablePlace requireOwnable() {
    return this;
  }

  /** Of this process alone: another server of this machine may run programs at the same time. */
  @Override
  public Path programs() {
    return Path.of(
        System.getProperty("java.io.tmpdir"), "millrace-programs-" + ProcessHandle.current().pid());
  }

  @Override
  public synchronized Optional<JobStore> own() {
    JobStore store = database.join(processName());
    joined = store;
    return Optional.of(store);
  }

  @Override
  public JobStore awaitOwnership() {
    return own().orElseThrow();
  }

  @Override
  public void announceStart(JsonObject info) {
    announce(info, false);
  }

  @Override
  public void announce(JsonObject info) {
    announce(info, true);
  }

  private synchronized void announce(JsonObject info, boolean ready) {
    if (joined != null) {
      database.announce(joined, info, ready);
    }
  }

  /** Others see by its row that a server has left. */
  @Override
  public void withdraw() {}

  @Override
  public void withdrawStaleAnnouncement() {}

  @Override
  public boolean mayBeOwnedBy(long pid) {
    return false; // servers of other machines have the same pids
  }

  @Override
  public synchronized void close() {
    if (visited != null) {
      visited.close();
    }
    database.close();
  }
}
