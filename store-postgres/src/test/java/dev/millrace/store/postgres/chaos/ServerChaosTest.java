package dev.millrace.store.postgres.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.random.StatusCountsCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several servers with hundreds of workers on one database, users and workers elsewhere, and faults
 * of all of them all the time. At the end everything has ended exactly once. See {@link
 * ChaosSettings} for a shorter or a longer run.
 */
@Tag("slow")
class ServerChaosTest {
  /** The clocks of the servers at first. */
  private static final List<Duration> AHEAD =
      List.of(Duration.ZERO, Duration.ofHours(3), Duration.ofHours(-5), Duration.ofHours(11));

  private static final int REMOTE_WORKERS = 6;

  private final ChaosSettings settings = ChaosSettings.ofProperties();
  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<FaultyProxy> proxies = new ArrayList<>();
  private final List<StoreClient> clients = new ArrayList<>();

  @TempDir Path directory;

  private ChaosRun run;
  private ChaosDatabase database;

  @AfterEach
  void endAll() throws Exception {
    for (ServerProcess server : servers) {
      server.end();
    }
    for (FaultyProxy proxy : proxies) {
      proxy.close();
    }
    if (database != null) {
      database.close();
    }
  }

  @Test
  void everythingAcknowledgedIsThereExactlyOnce() throws Exception {
    System.out.println("ServerChaosTest: " + settings.length() + ", seed " + settings.seed());
    requireClocks();
    run = ChaosRun.begin(settings, directory);
    database = ChaosDatabase.start(directory);
    start();
    disturb();
    settle();
    List<String> problems = new ArrayList<>(run.history().problems().toList());
    problems.addAll(ChaosMinimum.problems(run.history(), settings));
    System.out.println("ServerChaosTest: " + run.history().counts());
    if (!problems.isEmpty()) {
      keep(problems);
    }
    assertThat(problems).as(settings.command()).isEmpty();
  }

  private static void requireClocks() {
    if (!ServerClock.canBeSet()) {
      System.out.println(
          "ServerChaosTest: all servers have the right clock; Debian's package faketime sets"
              + " others");
      assertThat(System.getenv("CI")).as("faketime is there where it must be").isNull();
    }
  }

  private StoreClient client(String name, int connections) throws IOException {
    FaultyProxy proxy = new FaultyProxy(database.port());
    proxies.add(proxy);
    StoreClient client =
        new StoreClient(run.history(), name, ChaosDatabase.url(proxy.port(), connections), false);
    clients.add(client);
    return client;
  }

  private void start() throws Exception {
    for (String name : List.of("client-a", "client-b")) {
      client(name, 4);
    }
    clients.getFirst().migrate();
    for (int i = 0; i < ChaosSettings.SERVERS; i++) {
      FaultyProxy proxy = new FaultyProxy(database.port());
      servers.add(new ServerProcess(run, "server-" + i, proxy, AHEAD.get(i % AHEAD.size())));
    }
    for (ServerProcess server : servers) {
      server.awaitReady();
    }
  }

  private ChaosLeverUser leverUser;
  private ChaosAuditor auditor;
  private ServerFaults serverFaults;

  private void disturb() throws Exception {
    StoreClient a = clients.get(0);
    StoreClient b = clients.get(1);
    StoreClient direct =
        new StoreClient(run.history(), "auditor", ChaosDatabase.url(database.port(), 3), false);
    clients.add(direct);
    auditor = new ChaosAuditor(run, direct);
    leverUser = new ChaosLeverUser(run, "levers", b);
    serverFaults = new ServerFaults(run, servers, proxies);
    DatabaseFaults databaseFaults = new DatabaseFaults(run, database);
    run.act("submitter-a", new ChaosSubmitter(run, "submitter-a", a, b)::step);
    run.act("submitter-b", new ChaosSubmitter(run, "submitter-b", b, a)::step);
    run.act("levers", leverUser::step);
    startRemoteWorkers(run, "remote-");
    run.act("snapshots", new SnapshotScanner(run, database)::step);
    run.act("idle", new IdleTransaction(run, database)::step);
    run.act("auditor", auditor::step);
    run.act("server-faults", serverFaults::step);
    run.act("database-faults", databaseFaults::step);
    run.linger(settings.length().toMillis());
    serverFaults.mend(); // so that everybody gets an answer
    run.end();
    serverFaults.mend();
  }

  private void startRemoteWorkers(ChaosRun during, String names) {
    for (int i = 0; i < REMOTE_WORKERS; i++) {
      String name = names + i;
      during.act(name, new ChaosRemoteWorker(during, name, clients.subList(0, 2))::step);
    }
  }

  /** Lets every job come to its end, and checks all that there is. */
  private void settle() throws Exception {
    ChaosRun rest = run.next();
    startRemoteWorkers(rest, "last-remote-");
    long end = System.nanoTime() + ChaosRun.PATIENCE.toNanos();
    Set<JobId> open = leverUser.letGo();
    while (!open.isEmpty() && System.nanoTime() < end) {
      rest.linger(250);
      serverFaults.mend();
      open = leverUser.letGo();
    }
    rest.end();
    if (!open.isEmpty()) {
      run.history().problem("jobs do not end: " + open);
    }
    for (ServerProcess server : servers) {
      server.terminate();
      OutputCheck.ofServer(server.output()).forEach(run.history()::problem);
    }
    auditor.checkAll();
    try {
      StatusCountsCheck.requireCounted(clients.getLast().open());
    } catch (AssertionError e) {
      run.history().problem("the counts are wrong: " + e.getMessage());
    }
    clients.forEach(StoreClient::close);
    requireNobody();
    OutputCheck.ofDatabase(database.log()).forEach(run.history()::problem);
  }

  /** All connections are closed with those who had them. */
  private void requireNobody() throws SQLException, InterruptedException {
    long end = System.nanoTime() + ChaosRun.PATIENCE.toNanos();
    int left = connections();
    while (left > 0 && System.nanoTime() < end) {
      Thread.sleep(100);
      left = connections();
    }
    if (left > 0) {
      run.history().problem(left + " connections are left");
    }
  }

  private int connections() throws SQLException {
    try (Connection admin = database.admin();
        Statement statement = admin.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE usename = '"
                    + ChaosDatabase.USER
                    + "'")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** What the cause is looked for in. */
  private void keep(List<String> problems) throws IOException {
    Path kept = Path.of("target", "chaos-" + settings.seed()).toAbsolutePath();
    Files.createDirectories(kept);
    Files.write(kept.resolve("problems.txt"), problems);
    try (Stream<Path> logs = Files.list(directory)) {
      for (Path log : logs.filter(path -> path.toString().endsWith(".log")).toList()) {
        Files.copy(log, kept.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    System.out.println("ServerChaosTest: the output is in " + kept + "; " + settings.command());
  }
}
