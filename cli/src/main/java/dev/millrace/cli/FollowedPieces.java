package dev.millrace.cli;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.EntryJson;
import dev.millrace.core.rules.Fact;
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
 * A job that goes on as lines of JSON: events as they stand in its log, and pieces of text as
 * {@code {"stage","task","text"}}. {@code {"stage","task","anew":true}} says that a text begins
 * again.
 */
final class FollowedPieces implements Following.View {
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

  private final Following.Subject subject;
  private final Shell shell;
  private final Map<Task, Transcript> transcripts = new HashMap<>();
  private final Map<Task, String> results = new HashMap<>(); // of the events at hand
  private final Set<Task> running = new LinkedHashSet<>();
  private final Pacing drafts = new Pacing(Duration.ofMillis(20));

  FollowedPieces(Following.Subject subject) {
    this.subject = subject;
    this.shell = subject.shell();
  }

  @Override
  public void events(List<Entry> entries) {
    NavigableSet<Task> ended = new TreeSet<>();
    for (Entry entry : entries) {
      if (entry.fact() instanceof Fact.OfTask(int stage, int task, var event, _)
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

  /** Reads results from the first on, many at once: a look at a task costs as much as its log. */
  private void read(NavigableSet<Task> ended) {
    Task first = ended.removeFirst();
    Task last = ended.floor(new Task(first.stage(), first.task() + PAGE - 1));
    int count = last == null ? 1 : last.task() - first.task() + 1;
    for (TaskView task :
        subject.reading().tasks(subject.id(), first.stage(), first.task(), count)) {
      Task key = new Task(task.stage(), task.task());
      TaskResult result = task.result();
      if ((ended.remove(key) || key.equals(first)) && result != null) {
        results.put(key, result.text());
      }
    }
  }

  private boolean isFollowed(Task key) {
    Transcript transcript = transcripts.get(key);
    return transcript != null && !transcript.isEmpty();
  }

  @Override
  public void event(Entry entry) {
    if (entry.fact() instanceof Fact.OfTask(int stage, int task, var event, _)) {
      Task key = new Task(stage, task);
      switch (event) {
        case CLAIM -> running.add(key);
        case COMPLETE -> {
          complete(key);
          running.remove(key);
        }
        case FAIL, CEILING, EXPIRE, ABORT, RETRY, RELEASE -> {
          if (running.remove(key)) {
            draft(key); // its last words
          }
        }
        case ENQUEUE -> {}
      }
    }
    shell.say(EntryJson.write(entry));
  }

  @Override
  public void look(Status status) {
    if (drafts.due()) {
      drafts.look(() -> running.forEach(this::draft));
    }
  }

  @Override
  public void end() {}

  private void draft(Task key) {
    Transcript transcript = transcripts.computeIfAbsent(key, this::transcript);
    transcript.add(
        subject.reading().draft(subject.id(), key.stage(), key.task(), transcript.next()));
  }

  /** The rest of a text that was followed; one that was not stands in the result. */
  private void complete(Task key) {
    Transcript transcript = transcripts.remove(key);
    String result = results.get(key);
    if (transcript != null && result != null) {
      transcript.end(result);
    }
  }

  private Transcript transcript(Task key) {
    return new Transcript(
        new Transcript.Reader() {
          @Override
          public void text(String more) {
            shell.say(Json.write(key.json().put("text", more)));
          }

          @Override
          public void anew() {
            shell.say(Json.write(key.json().put("anew", true)));
          }
        });
  }
}
