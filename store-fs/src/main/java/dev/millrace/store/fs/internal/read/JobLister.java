package dev.millrace.store.fs.internal.read;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.JobLocator;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Lists jobs by the names in the directories of a workspace. Thread-safe. */
final class JobLister {
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final JobLocator whereabouts;
  private final Predicate<JobId> isAtGate;

  /**
   * @param isAtGate reads a job to see whether it waits for an approval
   */
  JobLister(Disk disk, WorkspaceLayout layout, JobLocator whereabouts, Predicate<JobId> isAtGate) {
    this.disk = disk;
    this.layout = layout;
    this.whereabouts = whereabouts;
    this.isAtGate = isAtGate;
  }

  /** Ids, sorted by time. */
  List<JobId> list(Query query) throws IOException {
    // Tags, parents and gates are in the files of a job: read them before selecting.
    boolean choosy = query.tag() != null || query.parent() != null || query.atGate();
    int most = choosy ? Integer.MAX_VALUE : query.limit();
    List<JobId> ids = new ArrayList<>();
    Query next = query;
    while (ids.size() < query.limit()) {
      NavigableMap<JobId, JobState> page = page(next, most);
      for (Map.Entry<JobId, JobState> job : page.entrySet()) {
        if (ids.size() < query.limit() && selected(query, job.getKey(), job.getValue())) {
          ids.add(job.getKey());
        }
      }
      if (page.size() < most) {
        break;
      }
      next = query.beyond(page.lastKey()); // what is no job leaves room for others
    }
    return query.newest() ? ids.reversed() : ids;
  }

  /** The first names in the order of the query; keeps at most {@code most} in memory. */
  private NavigableMap<JobId, JobState> page(Query query, int most) throws IOException {
    Comparator<JobId> order =
        query.newest() ? Comparator.reverseOrder() : Comparator.naturalOrder();
    NavigableMap<JobId, JobState> found = new TreeMap<>(order);
    JobId beyond = query.beyond();
    for (JobState state : WorkspaceLayout.ORDER) {
      if (query.states().contains(state)) {
        disk.list(
            layout.of(state),
            name -> {
              JobId id = JobId.parse(name).orElse(null);
              boolean later = id != null && (beyond == null || order.compare(id, beyond) > 0);
              if (later && query.acceptsId(id)) {
                keep(found, order, id, state, most);
              }
              return true;
            });
      }
    }
    return found;
  }

  private static void keep(
      NavigableMap<JobId, JobState> found,
      Comparator<JobId> order,
      JobId id,
      JobState state,
      int most) {
    if (found.size() < most) {
      found.putIfAbsent(id, state); // the first directory counts, as when it is looked up
    } else if (most > 0 && order.compare(id, found.lastKey()) < 0) {
      found.put(id, state);
      if (found.size() > most) {
        found.pollLastEntry();
      }
    }
  }

  private boolean selected(Query query, JobId id, JobState state) throws IOException {
    if (query.atGate() && !(mayBeAtGate(id, state) && isAtGate.test(id))) {
      return false;
    }
    if (query.tag() == null && query.parent() == null) {
      return isJob(state, layout.of(state, id));
    }
    JobHeader header = header(id, state);
    return header != null
        && (query.tag() == null || header.tags().contains(query.tag()))
        && (query.parent() == null || query.parent().equals(header.parent()));
  }

  /** Most jobs in a queue are prompts that nothing has happened to: these need not be read. */
  private boolean mayBeAtGate(JobId id, JobState state) {
    try {
      return state != JobState.PENDING
          || JobFiles.hasGateOrLog(disk, layout.of(state, id))
          || disk.kind(layout.of(state, id)) == Disk.Kind.NOTHING; // it has moved
    } catch (IOException e) {
      return false; // one that cannot be read waits for nobody's approval
    }
  }

  /** The submitter's part of a job; null if it is missing or cannot be read. */
  private @Nullable JobHeader header(JobId id, JobState guess) throws IOException {
    JsonObject meta = JobMetaFile.read(disk, layout.of(guess, id));
    if (!meta.has("mode")) {
      Optional<JobState> directoryState = whereabouts.find(id);
      if (directoryState.isEmpty()) {
        return null;
      }
      meta = JobMetaFile.read(disk, layout.of(directoryState.get(), id));
    }
    try {
      return JobMetaFile.header(meta, id);
    } catch (IllegalArgumentException | JsonException e) {
      return null;
    }
  }

  /** How many jobs are in each state. */
  Map<JobState, Integer> counts() throws IOException {
    return counts(_ -> false);
  }

  /**
   * As {@link #counts()}.
   *
   * @param known names that are known to be jobs
   */
  Map<JobState, Integer> counts(Predicate<JobId> known) throws IOException {
    Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
    for (JobState state : WorkspaceLayout.ORDER) {
      counts.put(state, count(state, layout.of(state), known));
    }
    return counts;
  }

  /** Counts without keeping the names: there may be millions. */
  private int count(JobState state, Path directory, Predicate<JobId> known) throws IOException {
    int[] count = {0};
    disk.list(
        directory,
        name -> {
          JobId id = JobId.parse(name).orElse(null);
          boolean job = id != null && (known.test(id) || isJob(state, directory.resolve(name)));
          count[0] += job ? 1 : 0;
          return true;
        });
    return count[0];
  }

  /**
   * Whether a directory is a job: the ready directory may have others. One that cannot be looked
   * into counts; who reads it is told why, and the others are listed.
   */
  private boolean isJob(JobState state, Path dir) {
    try {
      return state != JobState.PENDING || JobFiles.looksLikeJob(disk, dir);
    } catch (IOException e) {
      return true;
    }
  }
}
