package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.job.JobId;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.store.postgres.internal.db.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Leases as rows, so that a heartbeat may reach any server. Only claims of workers in other
 * processes have one; the workers of a server live as long as it does. Thread-safe.
 */
public final class PostgresLeases implements Leases {
  private static final int MOST = 1_000;
  private static final String OF_CLAIM =
      " WHERE job = ? AND stage = ? AND task = ? AND epoch = ? AND number = ?";

  /** In a form that no index has: the key alone finds the row, another one would find too many. */
  private static final String UNTIL = " AND (until <= ?) IS TRUE";

  static final String EXISTS = "SELECT EXISTS (SELECT FROM @leases" + OF_CLAIM + UNTIL + ")";

  static final String EXPIRED =
      "SELECT job, stage, task, epoch, number FROM @leases WHERE until <= ? ORDER BY until LIMIT ?";

  static final String RENEW =
      "WITH renewed AS (UPDATE @leases SET until = ?::timestamptz + length"
          + OF_CLAIM
          + " RETURNING 1) SELECT set_config('synchronous_commit', 'off', true) FROM renewed";

  static final String END = "DELETE FROM @leases" + OF_CLAIM + UNTIL;

  private final Database database;
  private final LongSupplier epoch;

  /** Leases that this process knows: it need not ask for others that it would have granted. */
  private final Set<JobClaimKey> known = ConcurrentHashMap.newKeySet();

  /**
   * @param epoch of this server
   */
  PostgresLeases(Database database, LongSupplier epoch) {
    this.database = database;
    this.epoch = epoch;
  }

  /** Starts all leases again in full: while there was no server, no heartbeat was heard. */
  void restartAll(Instant now) {
    database.update("UPDATE @leases SET until = ?::timestamptz + length", now);
  }

  /** The row was written with the claim. */
  @Override
  public void grant(JobClaimKey claim, Duration length, Instant now) {
    known.add(claim);
  }

  @Override
  public void restore(JobClaimKey claim, Duration length, Instant now) {
    if (known.add(claim)) {
      ClaimKey key = claim.key();
      database.update(
          "INSERT INTO @leases (job, stage, task, epoch, number, length, until)"
              + " VALUES (?, ?, ?, ?, ?, make_interval(secs => ?),"
              + " ?::timestamptz + make_interval(secs => ?)) ON CONFLICT DO NOTHING",
          claim.job().value(),
          key.stage(),
          key.task(),
          key.token().epoch(),
          key.token().number(),
          GrantedLeases.seconds(length),
          now,
          GrantedLeases.seconds(length));
    }
  }

  @Override
  public void renew(JobClaimKey claim, Instant now) {
    if (mayExist(claim)) {
      database.list(
          RENEW,
          _ -> claim,
          now,
          claim.job().value(),
          claim.key().stage(),
          claim.key().task(),
          claim.key().token().epoch(),
          claim.key().token().number());
    }
  }

  /** Claims of this server's own workers, which are most, have none. */
  private boolean mayExist(JobClaimKey claim) {
    return claim.key().token().epoch() != epoch.getAsLong() || known.contains(claim);
  }

  @Override
  public void end(JobClaimKey claim) {
    if (known.remove(claim)) {
      delete(claim, Instant.MAX);
    }
  }

  private int delete(JobClaimKey claim, Instant now) {
    return database.update(
        END,
        claim.job().value(),
        claim.key().stage(),
        claim.key().task(),
        claim.key().token().epoch(),
        claim.key().token().number(),
        now);
  }

  @Override
  public boolean endIfOver(JobClaimKey claim, Instant now) {
    boolean ended = delete(claim, now) > 0 || !exists(claim, Instant.MAX);
    if (ended) {
      known.remove(claim);
    }
    return ended;
  }

  @Override
  public boolean isOver(JobClaimKey claim, Instant now) {
    return exists(claim, now);
  }

  private boolean exists(JobClaimKey claim, Instant endsUntil) {
    return database.isTrue(
        EXISTS,
        claim.job().value(),
        claim.key().stage(),
        claim.key().task(),
        claim.key().token().epoch(),
        claim.key().token().number(),
        endsUntil);
  }

  @Override
  public Map<JobId, Set<ClaimKey>> expired(Instant now) {
    Map<JobId, Set<ClaimKey>> expired = new HashMap<>();
    database.list(
        EXPIRED,
        row ->
            expired
                .computeIfAbsent(new JobId(row.getString("job")), _ -> new HashSet<>())
                .add(
                    new ClaimKey(
                        row.getInt("stage"),
                        row.getInt("task"),
                        new FencingToken(row.getLong("epoch"), row.getLong("number")))),
        now,
        MOST);
    return expired;
  }
}
