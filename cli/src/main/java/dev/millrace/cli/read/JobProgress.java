package dev.millrace.cli.read;

import dev.millrace.cli.format.JobJson;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;

/** How many tasks of all stages so far are completed. */
final class JobProgress {
  private JobProgress() {}

  static int done(JobView view) {
    return view.stages().stream().mapToInt(JobJson::completedTasks).sum();
  }

  static int total(JobView view) {
    return view.stages().stream().mapToInt(StageView::total).sum();
  }
}
