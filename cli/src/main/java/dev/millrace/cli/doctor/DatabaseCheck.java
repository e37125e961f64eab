package dev.millrace.cli.doctor;

import dev.millrace.cli.place.UnfinishedMoves;
import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.DatabaseStatus;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Checks a database that servers share. Changes nothing in it. */
public final class DatabaseCheck {
  private static final int OLDEST = 140_000;
  private static final Duration CLOCK = Duration.ofMinutes(1);

  private final PostgresSettings settings;

  public DatabaseCheck(PostgresSettings settings) {
    this.settings = settings;
  }

  public void run(Findings findings) {
    run(findings, PostgresDatabase.inspect(settings));
  }

  void run(Findings findings, DatabaseStatus status) {
    release(findings, status);
    durability(findings, status);
    tables(findings, status);
    connections(findings, status);
    encryption(findings, status);
    clock(findings, status);
    if (status.isUsable()) {
      contents(findings, status);
    }
  }

  private void contents(Findings findings, DatabaseStatus status) {
    servers(findings, status);
    jobs(findings, status);
    new UnfinishedMovesCheck(new UnfinishedMoves(settings.toString(), status.onTheWay()))
        .run(findings);
  }

  private void release(Findings findings, DatabaseStatus status) {
    if (status.number() < OLDEST) {
      findings.fail(
          "database",
          settings + " is PostgreSQL " + status.release(),
          "use PostgreSQL 14 or newer");
    } else {
      findings.ok("database", settings + " answers, PostgreSQL " + status.release());
    }
  }

  private static void durability(Findings findings, DatabaseStatus status) {
    if (status.syncs()) {
      findings.ok("sync", "fsync and full_page_writes are on");
    } else {
      findings.fail(
          "sync",
          "fsync or full_page_writes is off: a crash can damage everything",
          "switch both on in postgresql.conf");
    }
  }

  private void tables(Findings findings, DatabaseStatus status) {
    if (status.schemaVersion() == 0) {
      findings.ok(
          "tables", "none in schema " + settings.schema() + "; the first server makes them");
    } else if (!status.isUsable()) {
      findings.fail(
          "tables",
          "those of schema "
              + settings.schema()
              + " need at least version "
              + status.minimumVersion()
              + ", and this program knows version "
              + status.latestVersion(),
          "upgrade this program");
    } else if (status.schemaVersion() < status.latestVersion()) {
      findings.warn(
          "tables",
          "version " + status.schemaVersion() + " of " + status.latestVersion(),
          "the next server of this version brings them up to date");
    } else {
      findings.ok("tables", "version " + status.schemaVersion());
    }
  }

  private void connections(Findings findings, DatabaseStatus status) {
    int wanted = settings.connections() + 2; // one listens, one renews its leases
    if (status.freeConnections() < wanted) {
      findings.warn(
          "connections",
          status.freeConnections() + " are free, and a server takes up to " + wanted,
          "raise max_connections, or write connections=N into the address");
    } else {
      findings.ok(
          "connections", status.freeConnections() + " are free; a server takes up to " + wanted);
    }
  }

  /** The default is to encrypt if the database can, and to go on without a word if it cannot. */
  private void encryption(Findings findings, DatabaseStatus status) {
    List<String> elsewhere =
        settings.hostNames().stream().filter(host -> !isThisMachine(host)).toList();
    if (!status.encrypted() && !elsewhere.isEmpty()) {
      findings.warn(
          "encryption",
          "the connection to " + String.join(", ", elsewhere) + " is not encrypted",
          "switch TLS on in the database, and write sslmode=verify-full and sslrootcert=FILE into"
              + " the address");
    } else {
      findings.ok(
          "encryption",
          status.encrypted()
              ? "the connection is encrypted"
              : "the connection is not encrypted, and stays on this machine");
    }
  }

  private static boolean isThisMachine(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static void clock(Findings findings, DatabaseStatus status) {
    long seconds = status.clockAhead().toSeconds();
    if (status.clockAhead().abs().compareTo(CLOCK) > 0) {
      findings.warn(
          "clock",
          "the database is " + seconds + " s ahead of this machine",
          "jobs follow the clock of the database; set both by NTP, so that logs agree");
    } else {
      findings.ok("clock", "the database and this machine agree");
    }
  }

  private static void servers(Findings findings, DatabaseStatus status) {
    findings.ok(
        "servers",
        status.servers().isEmpty()
            ? "none runs"
            : status.servers().size()
                + ": "
                + String.join(
                    ", ", status.servers().stream().map(server -> server.name()).toList()));
  }

  private static void jobs(Findings findings, DatabaseStatus status) {
    for (Map.Entry<JobId, String> job : status.unreadable().entrySet()) {
      findings.fail(
          "jobs",
          "job " + job.getKey() + ": " + job.getValue(),
          "servers leave it alone: restore its rows from a backup");
    }
    if (status.unreadable().isEmpty()) {
      findings.ok("jobs", "no server has found one that it cannot read");
    }
  }
}
