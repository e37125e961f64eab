package dev.millrace.cli.read;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts the tokens that the tasks of a stage generate while it is watched, as any reader can: from
 * the log, the journals of running tasks and the receipts of completed ones. What was generated
 * before counts as done, but is no part of {@link #generated}.
 */
public final class TokenMeter {
  private static final int PAGE = 1_000;

  /** How many of the last log entries show which tasks run: each task writes a few. */
  private static final int TAIL = 2_000;

  private final JobId id;
  private final int stage;
  private final long watchedFrom;
  private final Map<Integer, Output> running = new HashMap<>();
  private final NavigableMap<Integer, Output> completed = new TreeMap<>(); // not read yet
  private final Set<Integer> interrupted = new HashSet<>();
  private long seen;
  private boolean active;
  private long generated;
  private long finished;
  private long finishedTokens;

  /** The known output of a task. */
  private static final class Output {
    private long next;
    private long tokens;
    private boolean known; // whether what it had before it was watched is among the tokens

    Output(boolean fromItsBeginning) {
      this.known = fromItsBeginning;
    }
  }

  /** Watches a stage of a job from now on. */
  public TokenMeter(JobView job, int stage) {
    this.id = job.header().id();
    this.stage = stage;
    this.watchedFrom = job.lastEvent();
    this.seen = Math.max(0, watchedFrom - TAIL);
  }

  /** Reads the log, the journals and the receipts. */
  public void poll(JobReader reader) {
    for (List<LogEntry> page = reader.events(id, seen, PAGE);
        !page.isEmpty();
        page = reader.events(id, seen, PAGE)) {
      page.forEach(this::entry);
      seen = page.getLast().number();
    }
    active = !running.isEmpty() || !completed.isEmpty();
    running.forEach((task, output) -> journal(reader, task, output));
    while (!completed.isEmpty()) {
      receipts(reader);
    }
  }

  private void entry(LogEntry entry) {
    if (!(entry.fact() instanceof Fact.TaskChanged(int of, int task, TaskEvent event, _))
        || of != stage) {
      return;
    }
    boolean watched = entry.number() > watchedFrom;
    if (event == TaskEvent.CLAIM) {
      running.put(task, new Output(watched && !interrupted.contains(task)));
    } else if (event != TaskEvent.ENQUEUE) {
      Output output = running.remove(task);
      if (event == TaskEvent.COMPLETE && watched && output != null) {
        completed.put(task, output);
      } else {
        interrupted.add(task);
      }
    }
  }

  private void journal(JobReader reader, int task, Output output) {
    JobReader.OutputSoFar more = reader.outputSoFar(id, stage, task, output.next);
    if (more.from() != output.next) {
      output.tokens = 0; // it restarted
    }
    int tokens = more.pieces().stream().mapToInt(piece -> piece.tokens().size()).sum();
    output.tokens += tokens;
    generated += output.known ? tokens : 0;
    output.next = more.next();
    output.known = true;
  }

  /** Reads the receipts of several tasks at once: reading a task costs as much as reading a job. */
  private void receipts(JobReader reader) {
    int first = completed.firstKey();
    int last = completed.floorKey(first + PAGE - 1);
    for (TaskView task : reader.tasks(id, stage, first, last - first + 1)) {
      Output output = completed.get(task.task());
      JsonObject receipt = task.result() == null ? null : task.result().receipt();
      if (output != null && receipt != null) {
        complete(output, receipt);
      }
    }
    completed.headMap(last, true).clear();
  }

  private void complete(Output output, JsonObject receipt) {
    long all = receipt.integer("completion_tokens", 0);
    if (all == 0) {
      return; // not a generated text
    }
    finished++;
    finishedTokens += all;
    if (output.known) {
      generated += Math.max(0, all - Math.max(output.tokens, receipt.integer("resumed", 0)));
    }
  }

  /** Tokens that were generated while this was watching. */
  public long generated() {
    return generated;
  }

  /** Whether tasks were running at the last poll or since the one before. */
  public boolean isActive() {
    return active;
  }

  /** Tokens so far of the tasks that run now. */
  public long runningTokens() {
    return running.values().stream().mapToLong(output -> output.tokens).sum();
  }

  /** Tasks that completed while this was watching, with their tokens. */
  public long finished() {
    return finished;
  }

  public long finishedTokens() {
    return finishedTokens;
  }
}
