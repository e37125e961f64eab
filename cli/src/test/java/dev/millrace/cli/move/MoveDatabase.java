package dev.millrace.cli.move;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** A real database that the tests of this package share; each test has a schema of its own. */
final class MoveDatabase {
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  /** Stopped with the JVM. */
  private static final EmbeddedPostgres POSTGRES = start();

  private MoveDatabase() {}

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the leases of processes that were killed, which others wait for. */
  static void endLeases(String url) {
    String schema = url.replaceFirst(".*schema=(\\w+).*", "$1");
    try (Connection connection = POSTGRES.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE " + schema + ".servers SET alive_until = '-infinity'");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The address of a schema that nobody else uses. */
  static String newUrl() {
    return "postgresql://postgres@localhost:"
        + POSTGRES.getPort()
        + "/postgres?schema=move"
        + SCHEMAS.incrementAndGet()
        + "&connections=4";
  }
}
