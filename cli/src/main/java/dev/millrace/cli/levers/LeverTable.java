package dev.millrace.cli.levers;

import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.core.store.Lever;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** The levers that are commands, a row each: the only place that makes levers of arguments. */
public enum LeverTable {
  PAUSE(
      LeverForm.JOBS,
      "Pauses jobs: none of their tasks is started until they are resumed.",
      "paused",
      _ -> new Lever.Pause()),
  RESUME(
      LeverForm.JOBS,
      "Resumes jobs that were paused, or submitted with --hold.",
      "resumed",
      _ -> new Lever.Resume()),
  ABORT(
      LeverForm.JOBS,
      "Cancels jobs for good, with all of their unfinished tasks.",
      "aborted",
      _ -> new Lever.Abort()),
  APPROVE(
      LeverForm.STAGE, "Approves a stage that waits at its gate.", "approved", Lever.Approve::new);

  private final LeverForm form;
  private final String summary;
  private final String past;
  private final IntFunction<Lever> lever;

  /**
   * @param past what the job or the stage is afterwards
   * @param lever makes the lever from the number of a stage, 0 for a job
   */
  LeverTable(LeverForm form, String summary, String past, IntFunction<Lever> lever) {
    this.form = form;
    this.summary = summary;
    this.past = past;
    this.lever = lever;
  }

  String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  LeverForm form() {
    return form;
  }

  String summary() {
    return summary;
  }

  /** The levers that the words ask for. */
  List<JobLever> read(PlaceLocator.Found found) {
    return form.read(found).stream()
        .map(
            target ->
                new JobLever(
                    target.job(),
                    lever.apply(target.stage()),
                    target.stage() == 0 ? past : "stage " + target.stage() + " " + past))
        .toList();
  }
}
