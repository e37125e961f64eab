package dev.millrace.store.postgres.chaos.job;

import dev.millrace.core.internal.rules.LogInvariants;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.StageTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether all that a database says about a job fits together, at any moment: its state, its view,
 * its log, its tasks and their results. The job must not change in the meantime.
 */
public final class JobConsistency {
  private static final int PAGE = 1_000;

  private final JobReader reader;
  private final JobId id;
  private final JobSpec spec;
  private final JobView view;
  private final ChaosLog log;
  private final List<List<TaskView>> tasks = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private JobConsistency(JobReader reader, JobSpec spec, JobView view, ChaosLog log) {
    this.reader = reader;
    this.id = view.header().id();
    this.spec = spec;
    this.view = view;
    this.log = log;
  }

  /**
   * What does not fit; empty if everything does.
   *
   * @param spec as submitted
   */
  public static List<String> problems(JobReader reader, JobSpec spec, JobView view, ChaosLog log) {
    JobConsistency job = new JobConsistency(reader, spec, view, log);
    try {
      job.check();
    } catch (JobException e) {
      job.report(e.toString());
    } catch (StoreException e) {
      throw e; // it is read again
    } catch (AssertionError | RuntimeException e) {
      job.report("cannot be checked: " + e);
    }
    return job.problems;
  }

  private void report(String what) {
    problems.add("job " + id + " \"" + spec.name() + "\": " + what);
  }

  private void check() {
    if (!reader.state(id).equals(Optional.of(view.state()))) {
      report("its state is " + reader.state(id) + ", its view says " + view.state());
    }
    LogInvariants.require(spec, view, log.entries());
    for (StageView stage : view.stages()) {
      List<TaskView> all = reader.tasks(id, stage.number(), 1, PAGE);
      tasks.add(all);
      if (all.size() != stage.total()) {
        report("stage " + stage.number() + " has " + all.size() + " of " + stage.total());
      }
      all.forEach(task -> check(stage, task));
    }
  }

  private void check(StageView stage, TaskView task) {
    String place = "task " + stage.number() + "/" + task.task();
    String input = expectedInput(stage, task);
    if (input != null && !input.equals(task.input())) {
      report(place + " has the input \"" + task.input() + "\", expected \"" + input + "\"");
    }
    if (task.state() != TaskState.COMPLETED) {
      return;
    }
    TaskResult result = task.result();
    ClaimKey completed = log.completion(stage.number(), task.task());
    if (result == null) {
      report(place + " is completed, and has no result");
    } else if (!result.text().equals(TaskText.expected(String.valueOf(task.input())))) {
      report(place + " has the result \"" + result.text() + "\" of \"" + task.input() + "\"");
    } else if (task.adoption() == null
        && (completed == null || !TaskText.isOf(result, completed.token()))) {
      report(place + " was completed under " + completed + ", its result is of " + result);
    }
  }

  /** What a task has to work on; null if that was not known when its job was submitted. */
  private @Nullable String expectedInput(StageView stage, TaskView task) {
    if (stage.number() > spec.stages().size() || task.state() == TaskState.CREATED) {
      return null;
    }
    StageSpec given = spec.stages().get(stage.number() - 1);
    boolean begun = stage.state().isOpen() || stage.startedAt() != null;
    if (given.isTemplate() && !begun) {
      return null;
    }
    if (given.each() != null) {
      return StageTemplate.render(given.each(), results(stage.number()), task.task());
    }
    if (task.task() > given.tasks().size()) {
      return null; // it was added
    }
    TaskSpec one = given.tasks().get(task.task() - 1);
    String input = String.valueOf(one.input());
    return one.template() ? StageTemplate.render(input, results(stage.number()), 0) : input;
  }

  private StageTemplate.Results results(int stage) {
    return new StageTemplate.Results() {
      @Override
      public int stage() {
        return stage;
      }

      @Override
      public List<@Nullable String> of(int earlier) {
        List<@Nullable String> texts = new ArrayList<>();
        for (TaskView task : tasks.get(earlier - 1)) {
          texts.add(task.result() == null ? null : task.result().text());
        }
        return texts;
      }

      @Override
      public String input(int earlier, int task) {
        return String.valueOf(tasks.get(earlier - 1).get(task - 1).input());
      }
    };
  }
}
