package dev.millrace.cli.read;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Follows a job as lines of JSON: the events of its log, and pieces of text as {@code
 * {"stage","task","text"}}. {@code {"stage","task","anew":true}} says that the text restarts from
 * its beginning.
 */
final class FollowJsonView implements JobFollower.View {
  private static final int PAGE = 1_000;

  private record Task(int stage, int task) implements Comparable<Task> {
    private static final Comparator<Task> ORDER =
        Comparator.comparingInt(Task::stage).thenComparingInt(Task::task);

    @Override
    public int compareTo(Task other) {
      return ORDER.compare(this, other);
    }

    JsonObject json() {
      return JsonObject.create().put("stage", stage).put("task", task);
    }
  }

  private final JobFollower.FollowedJob subject;
  private final Shell shell;
  private final Map<Task, StreamedText> transcripts = new HashMap<>();
  private final Map<Task, String> results = new HashMap<>(); // of the current events
  private final Set<Task> running = new LinkedHashSet<>();
  private final PollPacer drafts = new PollPacer(Duration.ofMillis(20));

  FollowJsonView(JobFollower.FollowedJob subject) {
    this.subject = subject;
    this.shell = subject.shell();
  }

  @Override
  public void events(List<LogEntry> entries) {
    NavigableSet<Task> ended = new TreeSet<>();
    for (LogEntry entry : entries) {
      if (entry.fact() instanceof Fact.TaskChanged(int stage, int task, var event, _)
          && event == TaskEvent.COMPLETE
          && isFollowed(new Task(stage, task))) {
        ended.add(new Task(stage, task));
      }
    }
    while (!ended.isEmpty()) {
      read(ended);
    }
    entries.forEach(this::event);
    results.clear();
  }

  /** Reads many results at once: reading a task costs as much as reading the job's log. */
  private void read(NavigableSet<Task> ended) {
    Task first = ended.removeFirst();
    Task last = ended.floor(new Task(first.stage(), first.task() + PAGE - 1));
    int count = last == null ? 1 : last.task() - first.task() + 1;
    for (TaskView task : subject.reader().tasks(subject.id(), first.stage(), first.task(), count)) {
      Task key = new Task(task.stage(), task.task());
      TaskResult result = task.result();
      if ((ended.remove(key) || key.equals(first)) && result != null) {
        results.put(key, result.text());
      }
    }
  }

  private boolean isFollowed(Task key) {
    StreamedText transcript = transcripts.get(key);
    return transcript != null && !transcript.isEmpty();
  }

  @Override
  public void event(LogEntry entry) {
    if (entry.fact() instanceof Fact.TaskChanged(int stage, int task, var event, _)) {
      Task key = new Task(stage, task);
      switch (event) {
        case CLAIM -> running.add(key);
        case COMPLETE -> {
          complete(key);
          running.remove(key);
        }
        case FAIL, CEILING, EXPIRE, ABORT, RETRY, RELEASE -> {
          if (running.remove(key)) {
            draft(key); // the last text before it ended
          }
        }
        case ENQUEUE, ADOPT -> {}
      }
    }
    shell.printLine(LogEntryJson.write(entry));
  }

  @Override
  public void refresh(Status status) {
    if (drafts.isDue()) {
      drafts.poll(() -> running.forEach(this::draft));
    }
  }

  @Override
  public void end() {}

  private void draft(Task key) {
    StreamedText transcript = transcripts.computeIfAbsent(key, this::transcript);
    transcript.add(
        subject.reader().outputSoFar(subject.id(), key.stage(), key.task(), transcript.next()));
  }

  /** Prints the rest of a text that was followed; others are in the result. */
  private void complete(Task key) {
    StreamedText transcript = transcripts.remove(key);
    String result = results.get(key);
    if (transcript != null && result != null) {
      transcript.end(result);
    }
  }

  private StreamedText transcript(Task key) {
    return new StreamedText(
        new StreamedText.Display() {
          @Override
          public void text(String more) {
            shell.printLine(Json.write(key.json().put("text", more)));
          }

          @Override
          public void restart() {
            shell.printLine(Json.write(key.json().put("anew", true)));
          }
        });
  }
}
