package dev.millrace.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.process.LauncherProcess;
import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.client.JobFilter;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.error.ClientException;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Two servers on one workspace, of which one owns it and the other waits; clients, commands and
 * workers; and faults all the time, for an hour. See {@link SoakSettings} for a shorter one.
 */
@Isolated
@Tag("slow")
@EnabledIfSystemProperty(named = "millrace.proof", matches = "true")
class SoakIT {
  private static final Duration AT_MOST = Duration.ofMinutes(10);

  private final SoakSettings settings = SoakSettings.ofProperties();
  private final List<SoakProcess> servers = new ArrayList<>();
  private final List<SoakProcess> workers = new ArrayList<>();
  private final List<SoakClient> clients = new ArrayList<>();

  @TempDir Path dir;

  @AfterEach
  void endProcesses() throws Exception {
    for (List<SoakProcess> processes : List.of(servers, workers)) {
      for (SoakProcess process : processes) {
        process.kill();
      }
    }
    clients.forEach(SoakClient::close);
  }

  @Test
  void nothingAcknowledgedIsLostAndNothingHappensTwice() throws Exception {
    System.out.println("SoakIT: " + settings.length() + ", seed " + settings.seed());
    SoakRun run = new SoakRun(settings, dir, address());
    List<String> problems = new ArrayList<>();
    try (SoakDisk disk = SoakDisk.at(run.workspace().getParent())) {
      try {
        soak(run, disk);
        problems.addAll(SoakMinimum.problems(run.history(), settings));
        problems.addAll(end(run));
      } catch (Exception | AssertionError e) {
        problems.add(e.toString());
      }
      problems.addAll(run.history().problems());
      System.out.println("SoakIT: " + run.history().counts() + ", owners " + owners(run));
      endProcesses();
      if (!problems.isEmpty()) {
        keep(run);
      }
    }
    assertThat(problems).as(settings.command()).isEmpty();
  }

  /** How often the workspace changed hands. */
  private static String owners(SoakRun run) throws IOException {
    Path epoch = run.workspace().resolve(".millrace/epoch");
    return Files.exists(epoch) ? Files.readString(epoch).strip() : "none";
  }

  /** Both servers are to have it, in turn. */
  private static URI address() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }
  }

  private void soak(SoakRun run, SoakDisk disk) throws Exception {
    SoakClock clock = new SoakClock(dir);
    for (String name : List.of("server-a", "server-b")) {
      servers.add(new SoakProcess(run, name, serve(run), clock.environment()));
    }
    for (String name : List.of("worker-a", "worker-b")) {
      workers.add(new SoakProcess(run, name, sdkWorker(run, name), Map.of()));
    }
    SoakFaults faults = new SoakFaults(run, servers, workers, clock, disk);
    act(run, new SubmittingClient(run, "submitter-a"));
    act(run, new SubmittingClient(run, "submitter-b"));
    act(run, new LeverClient(run, "levers"));
    act(run, new ReadingClient(run, "reader-a"));
    act(run, new ReadingClient(run, "reader-b"));
    act(run, new PlainWorker(run, "plain-a"));
    act(run, new PlainWorker(run, "plain-b"));
    run.act("commands", new CommandUser(run, "commands", clock.environment())::step);
    run.act("faults", faults::step);
    run.linger(settings.length().toMillis());
    run.end();
    faults.mend();
  }

  private void act(SoakRun run, SoakClient client) {
    clients.add(client);
    run.act(client.actor, client::step);
  }

  private static List<String> serve(SoakRun run) {
    return List.of(
        LauncherProcess.script().toString(),
        "serve",
        "--workspace",
        run.workspace().toString(),
        "--port",
        Integer.toString(run.address().getPort()),
        "--model",
        "house",
        "--threads",
        "1",
        "--exec",
        SoakDocuments.PROGRAM + "=sleep 0.05; tr a-z A-Z");
  }

  private static List<String> sdkWorker(SoakRun run, String name) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin/java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        SdkWorkerProcess.class.getName(),
        run.address().toString(),
        name);
  }

  /** Lets everything come to its end, then compares. */
  private List<String> end(SoakRun run) throws Exception {
    try (MillraceClient client = MillraceClient.at(run.address())) {
      await()
          .atMost(AT_MOST)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> unlocked(run, client));
    }
    for (SoakProcess process : workers) {
      process.kill();
      noteCompletions(run, process);
    }
    List<String> problems = new ArrayList<>();
    for (SoakProcess server : servers) {
      int status = server.terminate();
      if (status != 0) {
        problems.add(server.name() + " ended with status " + status);
      }
    }
    for (List<SoakProcess> processes : List.of(servers, workers)) {
      for (SoakProcess process : processes) {
        problems.addAll(SoakOutputs.trouble(process));
      }
    }
    SoakOutputs.leftRunning(run).forEach(left -> problems.add("still runs: " + left));
    problems.addAll(SoakChecker.check(run.history(), JobRecord.all(run.workspace())));
    InProcessCli.Result doctor =
        new InProcessCli(dir).run("doctor", "-d", run.workspace().toString());
    if (doctor.status() != 0) {
      problems.add("doctor: " + doctor);
    }
    return problems;
  }

  /** Resumes and approves what waits for a user; true when all jobs have ended. */
  private static boolean unlocked(SoakRun run, MillraceClient client) {
    boolean all = true;
    try {
      for (ApiJob job : client.jobs().all(JobFilter.all().withStages()).toList()) {
        if (job.status() == JobState.PAUSED) {
          unlock(run, "resume", job, () -> client.jobs().resume(job.id()));
        }
        for (ApiStage stage : job.stages()) {
          if (!job.status().isFinal()
              && stage.status() == StageState.WAITING
              && job.waitsForApproval() != null) {
            unlock(run, "approve", job, () -> client.stages().approve(stage.id()));
          }
        }
        all &= job.status().isFinal();
      }
      return all;
    } catch (ClientException e) {
      return false; // a server is about to take over
    }
  }

  private static void unlock(SoakRun run, String verb, ApiJob job, Runnable lever) {
    Answer answer = Answer.UNKNOWN;
    try {
      lever.run();
      answer = Answer.ACKNOWLEDGED;
    } finally {
      run.history().add("end", verb, job.ownId().value(), "", answer);
    }
  }

  private static void noteCompletions(SoakRun run, SoakProcess worker) throws IOException {
    for (String line : Files.readAllLines(worker.output())) {
      String[] words = line.split(" ");
      if (words.length == 3 && words[0].equals("completed")) {
        run.history().add(worker.name(), "complete", words[1], words[2], Answer.ACKNOWLEDGED);
      }
    }
  }

  /** What the cause is looked for in: the history, all output, the workspace. */
  private void keep(SoakRun run) throws IOException, InterruptedException {
    Path kept = Path.of("target", "soak-" + settings.seed()).toAbsolutePath();
    run.history().write(kept.resolve("history.jsonl"));
    for (List<SoakProcess> processes : List.of(servers, workers)) {
      for (SoakProcess process : processes) {
        Files.copy(process.output(), kept.resolve(process.name() + ".log"));
      }
    }
    new ProcessBuilder(
            "tar",
            "-C",
            run.workspace().getParent().toString(),
            "-czf",
            kept.resolve("workspace.tar.gz").toString(),
            "ws")
        .start()
        .waitFor();
    System.out.println("SoakIT: history and output are in " + kept + "; " + settings.command());
  }
}
