package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.Reading.Query;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which jobs there are, by the names in the places of a workspace. Thread-safe. */
final class Catalogue {
  private final Disk disk;
  private final Places places;
  private final Whereabouts whereabouts;

  Catalogue(Disk disk, Places places, Whereabouts whereabouts) {
    this.disk = disk;
    this.places = places;
    this.whereabouts = whereabouts;
  }

  /** Ids in order of time. */
  List<JobId> list(Query query) throws IOException {
    TreeMap<JobId, JobState> found = new TreeMap<>();
    for (JobState state : Places.ORDER) {
      if (query.states().contains(state)) {
        disk.list(
            places.of(state),
            name -> {
              JobId.parse(name).ifPresent(id -> found.put(id, state));
              return true;
            });
      }
    }
    List<JobId> ids = new ArrayList<>();
    for (Map.Entry<JobId, JobState> job :
        (query.newest() ? found.descendingMap() : found).entrySet()) {
      if (ids.size() == query.limit()) {
        break;
      }
      if (selected(query, job.getKey(), job.getValue())) {
        ids.add(job.getKey());
      }
    }
    return query.newest() ? ids.reversed() : ids;
  }

  private boolean selected(Query query, JobId id, JobState state) throws IOException {
    if (query.tag() == null && query.parent() == null) {
      return isJob(state, places.of(state, id));
    }
    JobHeader header = header(id, state);
    return header != null
        && (query.tag() == null || header.tags().contains(query.tag()))
        && (query.parent() == null || query.parent().equals(header.parent()));
  }

  /** What its submitter says of a job; null if it is missing or says nothing that can be read. */
  private @Nullable JobHeader header(JobId id, JobState guess) throws IOException {
    JsonObject meta = Meta.read(disk, places.of(guess, id));
    if (!meta.has("mode")) {
      Optional<JobState> place = whereabouts.find(id);
      if (place.isEmpty()) {
        return null;
      }
      meta = Meta.read(disk, places.of(place.get(), id));
    }
    try {
      return Meta.header(meta, id);
    } catch (IllegalArgumentException | JsonException e) {
      return null;
    }
  }

  /** How many jobs are in each state. */
  Map<JobState, Integer> counts() throws IOException {
    Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
    for (JobState state : Places.ORDER) {
      counts.put(state, count(state, places.of(state)));
    }
    return counts;
  }

  /** Without keeping the names: there may be millions. */
  private int count(JobState state, Path place) throws IOException {
    int[] count = {0};
    try {
      disk.list(
          place,
          name -> {
            try {
              count[0] += JobId.isValid(name) && isJob(state, place.resolve(name)) ? 1 : 0;
              return true;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return count[0];
  }

  /** Among the ready jobs there may be directories that are none. */
  private boolean isJob(JobState state, Path dir) throws IOException {
    return state != JobState.PENDING || Scanner.looksLikeJob(disk, dir);
  }
}
