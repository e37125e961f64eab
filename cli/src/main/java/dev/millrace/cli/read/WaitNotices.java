package dev.millrace.cli.read;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.place.Place;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Says on stderr, each thing once, why jobs may not end while a command waits for them. */
final class WaitNotices {
  private final Shell shell;
  private final Place place;
  private final Set<String> said = new HashSet<>();

  WaitNotices(Shell shell, Place place) {
    this.shell = shell;
    this.place = place;
  }

  /** About a job that has not ended: it waits for an approval, or no server is running. */
  void about(JobId id) {
    try {
      place.reader().find(id).ifPresent(this::about);
    } catch (StoreException e) {
      say("job " + id + " cannot be read now: " + e.getMessage());
    }
  }

  /** As {@link #about(JobId)}. */
  void about(JobView job) {
    StageView gate = job.stageAtGate().orElse(null);
    if (gate != null) {
      say(ApprovalText.hint(place.name(), job.header().id(), gate));
    } else if (job.state().isOpen()) {
      aboutServer();
    }
  }

  /**
   * About all jobs that are queued or running.
   *
   * @param active how many these are
   */
  void aboutAll(int active) {
    List<JobId> waiting = ApprovalText.waiting(place.reader());
    if (!waiting.isEmpty()) {
      say(ApprovalText.summary(place.name(), place.reader(), waiting));
    }
    if (active > waiting.size()) {
      aboutServer();
    }
  }

  private void aboutServer() {
    if (!place.owner().held()) {
      SuggestedCommand serve = SuggestedCommand.of("serve").on(place.name());
      say("no server is running: " + serve.with("--model", "house").to("starts one"));
    }
  }

  private void say(String line) {
    if (said.add(line)) {
      shell.out().flush();
      shell.err().println(line);
      shell.err().flush();
    }
  }
}
