package dev.millrace.cli.demo;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of the demo.
 *
 * @param working time in which a stage ran, without the wait at the gate
 */
record DemoReport(JobId id, String directory, List<Story> stories, long tokens, Duration working) {

  /** A story and its characters, each with its receipt. */
  record Story(String words, TaskResult text, TaskResult characters) {
    JsonObject json() {
      return JsonObject.create()
          .put("prompt", DemoJob.TELL + words + ".")
          .put("story", text.text())
          .put("characters", Json.object(characters.text()).list("characters"))
          .putIfPresent("story_receipt", text.receipt())
          .putIfPresent("characters_receipt", characters.receipt());
    }
  }

  /** Gathers the results of a job that has completed. */
  static DemoReport of(JobReader store, JobView job, String directory) {
    JobId id = job.header().id();
    List<TaskView> texts = store.tasks(id, DemoJob.STORIES, 1, DemoJob.WORDS.size());
    List<TaskView> names = store.tasks(id, DemoJob.CHARACTERS, 1, DemoJob.WORDS.size());
    List<Story> stories = new ArrayList<>();
    long tokens = 0;
    for (int i = 0; i < texts.size(); i++) {
      Story story = new Story(DemoJob.WORDS.get(i), result(texts.get(i)), result(names.get(i)));
      tokens +=
          DemoStageWatcher.tokens(story.text(), 0) + DemoStageWatcher.tokens(story.characters(), 0);
      stories.add(story);
    }
    return new DemoReport(id, directory, stories, tokens, working(job));
  }

  private static TaskResult result(TaskView task) {
    TaskResult result = task.result();
    if (result == null) {
      throw new CommandException(
          "task " + task.task() + " of stage " + task.stage() + " has no result");
    }
    return result;
  }

  private static Duration working(JobView job) {
    Duration sum = Duration.ZERO;
    for (StageView stage : job.stages()) {
      sum = sum.plus(took(stage));
    }
    return sum;
  }

  /** From the first claim to the last result. */
  static Duration took(StageView stage) {
    return stage.startedAt() == null || stage.completedAt() == null
        ? Duration.ZERO
        : Duration.between(stage.startedAt(), stage.completedAt());
  }

  static JsonObject receipt(TaskResult result) {
    @Nullable JsonObject receipt = result.receipt();
    return receipt == null ? JsonObject.create() : receipt;
  }

  double rate() {
    return tokens * 1000.0 / Math.max(1, working.toMillis());
  }

  JsonObject json(String model) {
    return JsonObject.create()
        .put("workspace", directory)
        .put("id", id.value())
        .put("model", model)
        .put("stories", stories.stream().map(Story::json).toList())
        .put("tokens", tokens)
        .put("seconds", working.toMillis() / 1000.0)
        .put("tokens_per_second", Math.round(rate() * 10) / 10.0);
  }
}
