package dev.millrace.bench.database;

import dev.millrace.bench.chat.ModelServer;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.SamplingChoice;
import dev.millrace.bench.model.Workload;
import dev.millrace.bench.model.WorkloadRunner;
import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Two servers of a model, each in a process of its own, which share a database or have a workspace
 * each. They stay for many measurements.
 */
public final class ServerPair implements AutoCloseable {
  private static final int SERVERS = 2;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

  /** Where a job is submitted, and its result is read. */
  private record Place(JobSubmitter submitter, Flow flow) {}

  private record Submitted(JobId id, Flow flow) {}

  private final List<Place> places = new ArrayList<>();
  private final List<Runnable> closers = new ArrayList<>(); // the last one first

  private ServerPair() {}

  /**
   * @param options of {@code millrace serve}, with the model
   */
  public static ServerPair onDatabase(PostgresSettings settings, List<String> options)
      throws IOException, InterruptedException {
    ServerPair pair = new ServerPair();
    try {
      PostgresDatabase database = PostgresDatabase.open(settings);
      pair.closers.add(database::close);
      JobStore store = database.visit("bench");
      pair.closers.add(store::close);
      pair.places.add(new Place(store, new Flow(store)));
      String password = settings.password();
      for (int i = 0; i < SERVERS; i++) {
        pair.start(
            ScratchDirectories.fresh("shared"),
            List.of("--store", settings.toString()),
            options,
            password == null ? Map.of() : Map.of("PGPASSWORD", password));
      }
      return pair;
    } catch (IOException | InterruptedException | RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  /**
   * @param options of {@code millrace serve}, with the model
   */
  public static ServerPair onWorkspaces(List<String> options)
      throws IOException, InterruptedException {
    ServerPair pair = new ServerPair();
    try {
      for (int i = 0; i < SERVERS; i++) {
        Path directory = ScratchDirectories.fresh("own");
        Workspace workspace = Workspace.open(directory.resolve("ws"));
        pair.places.add(new Place(workspace.submitter(), workspace.flow()));
        pair.start(
            directory,
            List.of("--workspace", directory.resolve("ws").toString()),
            options,
            Map.of());
      }
      return pair;
    } catch (IOException | InterruptedException | RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  private void start(
      Path directory, List<String> place, List<String> options, Map<String, String> environment)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(place);
    all.addAll(options);
    ModelServer server = ModelServer.start(directory, directory.resolve("ws"), all, environment);
    closers.add(server::close);
  }

  /** Tokens per second of both, from the first submission until the last result is stored. */
  public double perSecond(Workload load) throws InterruptedException {
    JsonObject parameters = new SamplingChoice(0).parameters(load.output());
    long start = System.nanoTime();
    List<Submitted> jobs = new ArrayList<>();
    for (String prompt : load.prompts()) {
      Place place = places.get(jobs.size() % places.size());
      StageSpec stage =
          StageSpec.builder("generate")
              .tasks(List.of(TaskSpec.of(prompt)))
              .data(parameters)
              .build();
      jobs.add(new Submitted(place.submitter().submit(JobSpec.of(List.of(stage))), place.flow()));
    }
    for (Submitted job : jobs) {
      await(job);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long tokens = 0;
    for (Submitted job : jobs) {
      tokens += WorkloadRunner.receipt(job.flow(), job.id()).integer("completion_tokens");
    }
    return tokens / seconds;
  }

  /** Looks often: how a reader waits differs between the two stores, and is not measured. */
  private static void await(Submitted job) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    Flow.Status status = job.flow().status(job.id());
    while (!status.isFinal() && System.nanoTime() < end) {
      Thread.sleep(LOOK_AGAIN);
      status = job.flow().status(job.id());
    }
    if (status != Flow.Status.DONE) {
      throw new IllegalStateException("job " + job.id() + " is " + status);
    }
  }

  @Override
  public void close() {
    closers.reversed().forEach(Runnable::run);
  }
}
