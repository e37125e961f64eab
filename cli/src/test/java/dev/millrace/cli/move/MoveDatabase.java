package dev.millrace.cli.move;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;

/** A real database for the tests of this package; each test has a schema of its own. */
final class MoveDatabase implements AutoCloseable {
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private final EmbeddedPostgres postgres;

  MoveDatabase() {
    try {
      postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of a schema that nobody else uses. */
  String newUrl() {
    return "postgresql://postgres@localhost:"
        + postgres.getPort()
        + "/postgres?schema=move"
        + SCHEMAS.incrementAndGet()
        + "&connections=4";
  }

  @Override
  public void close() throws IOException {
    postgres.close();
  }
}
