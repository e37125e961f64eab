package dev.millrace.store.postgres.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.random.StatusCountsCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
  private static final int REMOTE_WORKERS = 6;

  /** For the faults that a slow machine has not had in the usual time. */
  private static final int MOST_SECONDS_MORE = 60;

  private final ChaosSettings settings = ChaosSettings.ofProperties();

  @TempDir Path directory;

  /** Those who act at the end, too. */
  private record Actors(ServerFaults faults, ChaosLeverUser levers, ChaosAuditor auditor) {}

  @Test
  void everythingAcknowledgedIsThereExactlyOnce() throws Exception {
    System.out.println("ServerChaosTest: " + settings.length() + ", seed " + settings.seed());
    requireClocks();
    ChaosRun run = ChaosRun.begin(settings, directory);
    ChaosCluster cluster = ChaosCluster.start(run);
    try {
      Actors actors = disturb(run, cluster);
      letAllJobsEnd(run, cluster, actors);
      check(run, cluster, actors);
    } catch (Exception | AssertionError e) {
      run.history().problem("the test cannot go on: " + e);
    } finally {
      cluster.end();
    }
    ChaosMinimum.problems(run.history(), settings).forEach(run.history()::problem);
    System.out.println("ServerChaosTest: " + run.history().counts());
    List<String> problems = run.history().problems();
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
      assertThat(System.getenv("CI")).as("CI, which has that package").isNotEqualTo("true");
    }
  }

  private Actors disturb(ChaosRun run, ChaosCluster cluster) throws Exception {
    StoreClient a = cluster.clients().get(0);
    StoreClient b = cluster.clients().get(1);
    Actors actors =
        new Actors(
            new ServerFaults(run, cluster.servers(), cluster.proxies()),
            new ChaosLeverUser(run, "levers", b),
            new ChaosAuditor(run, cluster.auditor()));
    run.act("submitter-a", new ChaosSubmitter(run, "submitter-a", a, b)::step);
    run.act("submitter-b", new ChaosSubmitter(run, "submitter-b", b, a)::step);
    run.act("levers", actors.levers()::step);
    startRemoteWorkers(run, cluster, "remote-");
    run.act("snapshots", new SnapshotScanner(run, cluster.database())::step);
    run.act("idle", new IdleTransaction(run, cluster.database())::step);
    run.act("auditor", actors.auditor()::step);
    run.act("server-faults", actors.faults()::step);
    run.act("database-faults", new DatabaseFaults(run, cluster.database())::step);
    run.linger(settings.length().toMillis());
    lingerForMissingFaults(run);
    actors.faults().mend(); // so that everybody gets an answer
    run.end();
    return actors;
  }

  private void lingerForMissingFaults(ChaosRun run) throws InterruptedException {
    for (int second = 0; second < MOST_SECONDS_MORE && !run.ended(); second++) {
      if (ChaosMinimum.missingFaults(run.history(), settings).isEmpty()) {
        return;
      }
      run.linger(1_000);
    }
  }

  private static void startRemoteWorkers(ChaosRun run, ChaosCluster cluster, String names) {
    for (int i = 0; i < REMOTE_WORKERS; i++) {
      String name = names + i;
      run.act(name, new ChaosRemoteWorker(run, name, cluster.clients())::step);
    }
  }

  private static void letAllJobsEnd(ChaosRun run, ChaosCluster cluster, Actors actors)
      throws Exception {
    ChaosRun rest = run.next();
    startRemoteWorkers(rest, cluster, "last-remote-");
    long end = System.nanoTime() + ChaosRun.PATIENCE.toNanos();
    Set<JobId> open = actors.levers().letGo();
    while (!open.isEmpty() && System.nanoTime() < end && !rest.ended()) {
      rest.linger(250);
      actors.faults().mend(); // one that has noticed late that it was replaced
      open = actors.levers().letGo();
    }
    rest.end();
    if (!open.isEmpty()) {
      run.history().problem("jobs do not end: " + open + cluster.database().describe(open));
    }
  }

  private static void check(ChaosRun run, ChaosCluster cluster, Actors actors) throws Exception {
    cluster.terminateServers();
    actors.auditor().checkAll();
    try {
      StatusCountsCheck.requireCounted(cluster.auditor().open());
    } catch (AssertionError e) {
      run.history().problem("the counts are wrong: " + e.getMessage());
    }
    cluster.closeClients();
    for (ServerProcess server : cluster.servers()) {
      OutputCheck.ofServer(server.output()).forEach(run.history()::problem);
    }
    OutputCheck.ofDatabase(cluster.database().log()).forEach(run.history()::problem);
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
