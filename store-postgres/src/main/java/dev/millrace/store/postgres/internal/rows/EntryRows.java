package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the logs of jobs: a row has the entries of one append, as a list. Thread-safe. */
public final class EntryRows {
  /** Rows that are read at once: a log may be longer than memory. */
  public static final int PAGE = 500;

  public static final String PAGE_AFTER =
      "SELECT entries::text AS entries FROM @entries WHERE job = ? AND first > ?"
          + " ORDER BY first LIMIT ?";

  public static final String AFTER =
      "SELECT e.entries::text AS entries FROM @job_ids i CROSS JOIN LATERAL (SELECT first, entries"
          + " FROM @entries WHERE job = i.key AND first >= (SELECT coalesce(max(first), 0)"
          + " FROM @entries WHERE job = i.key AND first <= ?) AND last > ? ORDER BY first"
          + " LIMIT ?) e WHERE i.sort_key = ? ORDER BY e.first";

  private final Database database;

  public EntryRows(Database database) {
    this.database = database;
  }

  /** How the entries of one append are written. */
  public static String write(List<LogEntry> entries) {
    StringBuilder text = new StringBuilder("[");
    for (LogEntry entry : entries) {
      text.append(text.length() > 1 ? ",\n" : "").append(LogEntryJson.write(entry));
    }
    return text.append(']').toString();
  }

  private static List<LogEntry> read(String text) {
    List<LogEntry> entries = new ArrayList<>();
    if (!(Json.parse(text) instanceof List<?> list)) {
      throw new IllegalStateException("its log has a row that is no list");
    }
    for (Object entry : list) {
      entries.add(LogEntryJson.read(JsonObject.of(entry, "entry")));
    }
    return entries;
  }

  /** Gives every entry of a job that was read, in order. */
  public void forEach(JobRow job, Consumer<LogEntry> entries) {
    long last = 0;
    for (String some : job.entries()) {
      last = accept(some, last, entries);
    }
    while (last < job.lastNumber()) {
      List<String> page = page(job.key(), last);
      for (String some : page) {
        if (last < job.lastNumber()) { // what came later is not of the row that was read
          last = accept(some, last, entries);
        }
      }
      if (page.isEmpty()) {
        throw new IllegalStateException(
            "its log ends at entry " + last + ", and its row says " + job.lastNumber());
      }
    }
  }

  private static long accept(String text, long last, Consumer<LogEntry> entries) {
    long number = last;
    for (LogEntry entry : read(text)) {
      if (entry.number() != number + 1) {
        throw new IllegalStateException(
            "its log has entry " + entry.number() + " behind entry " + number);
      }
      entries.accept(entry);
      number++;
    }
    return number;
  }

  private List<String> page(long job, long after) {
    return database.list(PAGE_AFTER, row -> row.getString("entries"), job, after, PAGE);
  }

  /** Entries of a job's log after a number. */
  public List<LogEntry> after(JobId id, long after, int limit) {
    int most = Math.min(limit, 2 * PAGE);
    List<LogEntry> found = new ArrayList<>();
    database.list(
        AFTER,
        row -> {
          for (LogEntry entry : read(row.getString("entries"))) {
            if (entry.number() > after && found.size() < most) {
              found.add(entry);
            }
          }
          return row;
        },
        after + 1,
        after,
        most,
        SortKeys.of(id));
    return found;
  }

  /** The entries of one append, with the version of the job after it. */
  public record Append(long version, List<LogEntry> entries) {
    public long last() {
      return entries.getLast().number();
    }
  }

  /** The appends to a job from that one on which wrote an entry, up to another entry. */
  public List<Append> appends(long job, long from, long to) {
    return database.list(
        "SELECT version, entries::text AS entries FROM @entries WHERE job = ?"
            + " AND first >= (SELECT max(first) FROM @entries WHERE job = ? AND first <= ?)"
            + " AND first <= ? ORDER BY first",
        row -> new Append(row.getLong("version"), read(row.getString("entries"))),
        job,
        job,
        from,
        to);
  }

  /** One entry of a job. */
  public Optional<LogEntry> entry(long job, long number) {
    return database
        .first(
            "SELECT entries::text AS entries FROM @entries WHERE job = ? AND first <= ?"
                + " ORDER BY first DESC LIMIT 1",
            row -> read(row.getString("entries")),
            job,
            number)
        .flatMap(some -> some.stream().filter(entry -> entry.number() == number).findFirst());
  }
}
