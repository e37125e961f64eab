package dev.millrace.cli.read;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.ErrorPrinter;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.format.QueuePositionText;
import dev.millrace.cli.format.ShownStatus;
import dev.millrace.cli.format.TaskJson;
import dev.millrace.cli.place.JobArtifacts;
import dev.millrace.cli.place.JobArtifacts.Artifact;
import dev.millrace.cli.place.Place;
import dev.millrace.core.Flow;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints the result of one job, for {@code flow DIR ID}; waits for it or follows it first if asked
 * to.
 */
final class JobResultPrinter {
  private final Shell shell;
  private final Place place;
  private final JobReader reader;
  private final JobId id;
  private final Arguments given;
  private final WaitLimit limit;
  private final WaitNotices notices;
  private final ErrorPrinter errors;
  private @Nullable FollowTextView followed;

  JobResultPrinter(Shell shell, Place place, JobId id, Arguments given, WaitLimit limit) {
    this.shell = shell;
    this.place = place;
    this.reader = place.reader();
    this.id = id;
    this.given = given;
    this.limit = limit;
    this.notices = new WaitNotices(shell, place);
    this.errors = new ErrorPrinter(shell, given.has(Option.JSON));
  }

  int run() throws InterruptedException {
    int stage = given.integer(FlowCommand.STAGE, 1, Integer.MAX_VALUE, 0);
    if (given.has(FlowCommand.WAIT)) {
      JobWaiter.awaitEnd(reader, id, limit, notices);
    } else if (given.has(FlowCommand.FOLLOW)) {
      follow();
    }
    if (limit.isReached() && !new Flow(reader).status(id).isFinal()) {
      shell.err().println("gave up waiting: the job is not finished");
    }
    if (given.has(Option.JSON) && !given.has(FlowCommand.TASKS) && stage == 0) {
      return object();
    }
    JobView view = reader.find(id).orElse(null);
    if (view == null) {
      return missing();
    }
    if (stage > view.stages().size()) {
      throw new CommandException(
          ErrorCode.NOT_FOUND,
          "no stage " + stage + ": job " + id + " has " + view.stages().size());
    }
    if (given.has(FlowCommand.TASKS)) {
      return new TaskList(shell, reader, view, given.has(Option.JSON)).print(stage);
    }
    return stage == 0 ? job(view) : stage(view.state(), view.stages().get(stage - 1));
  }

  private void follow() throws InterruptedException {
    JobFollower.FollowedJob subject = new JobFollower.FollowedJob(shell, place, reader, id, limit);
    if (given.has(Option.JSON)) {
      JobFollower.followAsJson(subject);
    } else {
      followed = JobFollower.followAsText(subject);
    }
  }

  private int object() {
    JobJson job = JobJson.read(place, reader, id);
    shell.out().println(Json.write(job.json()));
    return exit(job.status());
  }

  private int missing() {
    String moved =
        place
            .takenOut(id)
            .map(
                job ->
                    (job.arrived() ? "; it moved to " : "; it is on its way to ") + job.to().name())
            .orElse("");
    errors.printLine(ErrorCode.NOT_FOUND, id, "Job not found: " + id + moved);
    return ExitCode.FAILED;
  }

  private static int exit(Status status) {
    return switch (status) {
      case DONE -> ExitCode.OK;
      case FAILED, CANCELLED, MISSING -> ExitCode.FAILED;
      case QUEUED, RUNNING, PAUSED -> ExitCode.NOT_READY;
    };
  }

  private int job(JobView view) {
    Status status = ShownStatus.of(place, view.state());
    if (followed != null && status != Status.DONE) {
      followed.abandon();
    }
    switch (status) {
      case DONE -> {
        Artifact artifact = place.artifacts(id).artifact().orElse(null);
        if (artifact != null && artifact.kind() == JobArtifacts.Kind.AUDIO) {
          shell.out().println(artifact.path());
        } else if (artifact != null && artifact.kind() == JobArtifacts.Kind.TRANSCRIPT) {
          print(String.valueOf(place.artifacts(id).transcript()));
        } else {
          if (!view.stages().isEmpty()) {
            results(view.stages().getLast());
          }
        }
      }
      case FAILED, CANCELLED -> {
        shell.err().println("Job " + JobJson.word(status) + ": " + id);
        String error = JobJson.error(reader, view);
        if (error != null) {
          shell.err().println("Error: " + error);
        }
        partial(view);
      }
      default -> notReady(view, status);
    }
    return exit(status);
  }

  /** Says where the partial output is. */
  private void partial(JobView view) {
    JobArtifacts artifacts = place.artifacts(id);
    Path file = artifacts.partialFile();
    if (file != null) {
      shell.err().println("Partial output: " + file);
    } else if (JobJson.partial(artifacts, reader, view) != null) {
      shell
          .err()
          .println(
              "Partial output: "
                  + SuggestedCommand.of("flow")
                      .on(place.name())
                      .with(id, "--json")
                      .to("prints it"));
    }
  }

  private void notReady(JobView view, Status status) {
    shell.err().println("Job not ready: " + id + " (status: " + status + ")");
    StageView next =
        view.stages().stream().filter(stage -> !stage.state().isFinal()).findFirst().orElse(null);
    if (view.stageAtGate().isEmpty() && status == Status.QUEUED && next == null) {
      shell.err().println("waits for more stages");
    } else if (view.stageAtGate().isEmpty() && status == Status.QUEUED) {
      shell
          .err()
          .println(
              QueuePositionText.of(
                  reader.queuePosition(id), place.owner(), next.type(), place.name()));
    }
    notices.about(view);
  }

  private int stage(JobState job, StageView stage) {
    StageState state = stage.state();
    if (state == StageState.COMPLETED) {
      results(stage);
      return ExitCode.OK;
    }
    String name = "Stage " + stage.number() + " of " + id;
    if (state.isFinal()) {
      String error = stage.error();
      errors.printLine(
          ErrorCode.FAILED,
          id,
          name + " failed (state: " + state + ")" + (error == null ? "" : "\nError: " + error));
      return ExitCode.FAILED;
    }
    if (job.isFinal()) {
      errors.printLine(ErrorCode.FAILED, id, name + " never began (its job is " + job + ")");
      return ExitCode.FAILED;
    }
    errors.printLine(ErrorCode.NOT_READY, id, name + " not ready (state: " + state + ")");
    return ExitCode.NOT_READY;
  }

  private void results(StageView stage) {
    boolean all = given.has(Option.JSON);
    if (stage.total() == 1 && !all) {
      List<TaskView> only = reader.tasks(id, stage.number(), 1, 1);
      TaskResult result = only.isEmpty() ? null : only.getFirst().result();
      print(result == null ? "" : result.text());
    } else {
      TaskJson.each(
          reader,
          id,
          stage.number(),
          task ->
              shell
                  .out()
                  .println(Json.write(all ? TaskJson.resultJson(task) : TaskJson.briefJson(task))));
    }
  }

  /** Prints the text, and a newline if it has none. */
  private void print(String text) {
    if (followed != null) {
      followed.result(text);
      return;
    }
    shell.out().print(text);
    if (!text.isEmpty() && !text.endsWith("\n")) {
      shell.out().println();
    }
  }
}
