package dev.millrace.store.postgres.internal.rows;

import dev.millrace.store.postgres.internal.db.Database;

/** The tables of jobs, logs, tasks, results and journals. */
public record JobTables(
    JobRows jobs, EntryRows entries, TaskRows tasks, ResultRows results, JournalRows journals) {
  public static JobTables of(Database database) {
    return new JobTables(
        new JobRows(database),
        new EntryRows(database),
        new TaskRows(database),
        new ResultRows(database),
        new JournalRows(database));
  }
}
