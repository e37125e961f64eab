package dev.millrace.bench.http;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.NewJob;
import dev.millrace.api.NewStage;
import dev.millrace.api.NewTask;
import dev.millrace.client.MillraceClient;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates jobs for workers through the API, before the measurement. */
public final class PreparedJobs implements AutoCloseable {
  private static final int MAKERS = 32;

  /** Tasks of a type that no other tasks have. */
  public record Tasks(String type, int count, List<UUID> jobs) {}

  private final MillraceClient client;
  private final AtomicInteger types = new AtomicInteger();

  public PreparedJobs(URI api) {
    client = MillraceClient.at(api);
  }

  private String type() {
    return "bench" + types.incrementAndGet();
  }

  /** One open job with one stage, whose tasks are added {@code chunk} at a time. */
  public Tasks oneJob(int tasks, int chunk) {
    String type = type();
    ApiJob job = client.jobs().create(NewJob.of("bench"));
    ApiStage stage = client.jobs().addStage(job.id(), NewStage.of(type));
    for (int from = 0; from < tasks; from += chunk) {
      List<NewTask> some = new ArrayList<>();
      for (int i = from; i < Math.min(tasks, from + chunk); i++) {
        some.add(NewTask.of(JsonObject.create().put("number", (long) i)));
      }
      client.stages().addTasks(stage.id(), some);
    }
    return new Tasks(type, tasks, List.of(job.id()));
  }

  /** Many jobs of {@code each} tasks, each created by one request. */
  public Tasks manyJobs(int jobs, int tasksEach) throws ExecutionException, InterruptedException {
    String type = type();
    List<TaskSpec> tasks = new ArrayList<>();
    for (int i = 0; i < tasksEach; i++) {
      tasks.add(TaskSpec.of("task " + i));
    }
    JobSpec spec = JobSpec.of(List.of(StageSpec.of(type, tasks)));
    List<UUID> ids = new ArrayList<>();
    try (ExecutorService makers = Executors.newFixedThreadPool(MAKERS)) {
      List<Future<ApiJob>> made = new ArrayList<>();
      for (int i = 0; i < jobs; i++) {
        made.add(makers.submit(() -> client.jobs().submit(spec)));
      }
      for (Future<ApiJob> job : made) {
        ids.add(job.get().id());
      }
    }
    return new Tasks(type, jobs * tasksEach, ids);
  }

  /** Errors in what the server reports after all tasks are completed. */
  public List<String> unfinished(Tasks tasks) {
    List<String> wrong = new ArrayList<>();
    int completed = 0;
    for (UUID id : tasks.jobs()) {
      ApiJob job = client.jobs().get(id, true);
      if (job.status() != JobState.COMPLETED) {
        wrong.add("job " + id + " is " + job.status());
      }
      completed += job.stages().getFirst().summary().completed();
    }
    if (completed != tasks.count()) {
      wrong.add("the jobs count " + completed + " completed tasks of " + tasks.count());
    }
    return wrong;
  }

  @Override
  public void close() {
    client.close();
  }
}
