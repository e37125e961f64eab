package dev.millrace.cli.move;

import dev.millrace.core.move.MovableStore;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.nio.file.Path;
import java.util.Map;

/** A store of a test, opened as a server, a reader or a mover does. */
interface MoveSide {
  /** As a command names it. */
  String name();

  /** As its server. */
  JobStore serve();

  JobReader reader();

  MovableStore asSource();

  MovableStore asTarget();

  void close();

  static MoveSide workspace(Path dir) {
    return new MoveSide() {
      private final Workspace workspace = Workspace.open(dir);

      @Override
      public String name() {
        return dir.toString();
      }

      @Override
      public JobStore serve() {
        return workspace.own().orElseThrow();
      }

      @Override
      public JobReader reader() {
        return workspace.reader();
      }

      @Override
      public MovableStore asSource() {
        return workspace.ownToMove(name()).orElseThrow();
      }

      @Override
      public MovableStore asTarget() {
        return asSource();
      }

      @Override
      public void close() {}

      @Override
      public String toString() {
        return "workspace";
      }
    };
  }

  static MoveSide database(String url) {
    PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(url, Map.of()));
    return new MoveSide() {
      @Override
      public String name() {
        return url;
      }

      @Override
      public JobStore serve() {
        return database.join("test");
      }

      @Override
      public JobReader reader() {
        return database.reader();
      }

      @Override
      public MovableStore asSource() {
        return database.ownToMove("mover");
      }

      @Override
      public MovableStore asTarget() {
        return database.visitToMove("mover");
      }

      @Override
      public void close() {
        database.close();
      }

      @Override
      public String toString() {
        return "database";
      }
    };
  }
}
