package dev.millrace.cli;

import dev.millrace.core.Flow.Status;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.EntryJson;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A job that goes on as lines of JSON: events as they stand in its log, and pieces of text as {@code
 * {"stage","task","text"}}. {@code {"stage","task","anew":true}} says that a text begins again.
 */
final class FollowedPieces implements Following.View {
  private record Task(int stage, int task) {
    JsonObject json() {
      return JsonObject.create().put("stage", stage).put("task", task);
    }
  }

  private final Following.Subject subject;
  private final Shell shell;
  private final Map<Task, Transcript> transcripts = new HashMap<>();
  private final Set<Task> running = new LinkedHashSet<>();
  private final Pacing drafts = new Pacing(Duration.ofMillis(20));

  FollowedPieces(Following.Subject subject) {
    this.subject = subject;
    this.shell = subject.shell();
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
    if (transcript == null || transcript.isEmpty()) {
      return;
    }
    for (TaskView task : subject.reading().tasks(subject.id(), key.stage(), key.task(), 1)) {
      TaskResult result = task.result();
      if (task.state() == TaskState.COMPLETED && result != null) {
        transcript.end(result.text());
      }
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
