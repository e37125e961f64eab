package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What callers were told of one job. */
final class JobHistory {
  /** Tasks that were added from number {@code first} on. */
  record Addition(int stage, int first, List<TaskSpec> tasks) {}

  /** An answer to a claim that counted. */
  record Answer(Set<TaskEvent> events, @Nullable String result) {}

  final JobId id;

  /** As submitted; null if only the store knows. */
  @Nullable JobSpec spec;

  /** Whether someone was told that it exists. */
  boolean certain;

  /** Whether someone has asked to delete it. */
  boolean mayBeGone;

  /** Whether someone was told that it is deleted. */
  boolean gone;

  /** Whether repeated submissions under its id go on: then nobody deletes it. */
  boolean named;

  /** Whether a note was written ahead of its submission. */
  boolean noted;

  boolean abortAsked;
  @Nullable JobState end;
  List<LogEntry> seen = List.of();

  /** Levers that were done, and those that were refused, by the id of their request. */
  final Map<String, Object> done = new TreeMap<>();

  final Map<String, Object> refused = new TreeMap<>();
  final List<Addition> additions = new ArrayList<>();
  final Map<ClaimKey, Claim> claims = new HashMap<>();
  final Map<ClaimKey, Answer> answers = new HashMap<>();
  final Set<String> refusedResults = new HashSet<>();

  /** Results that a reader saw, by stage and task. */
  final Map<String, String> results = new HashMap<>();

  /** Log lines and terms that are durable with the next answer, and those that are. */
  final Map<ClaimKey, List<String>> pendingLines = new HashMap<>();

  final Set<String> lines = new HashSet<>();

  JobHistory(JobId id) {
    this.id = id;
  }

  @Override
  public String toString() {
    return id.toString();
  }
}
