package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.contract.StoreContract;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store passes the contract, on the real file system. */
class FsStoreTest extends StoreContract {
  @TempDir Path dir;

  @Override
  public JobStore open(ContractSettings settings) {
    return FsStore.tryOpen(
            new FsSettings(
                dir.resolve("ws"),
                new RealDisk(dir.resolve("ws")),
                settings.clock(),
                settings.ids(),
                settings.random()))
        .orElseThrow();
  }

  @Override
  public void abandon(JobStore store) {
    store.close(); // releases the lock and writes nothing
  }

  /** Its log becomes a directory. */
  @Override
  public Damage damage(JobId id) {
    try {
      WorkspaceLayout layout = new WorkspaceLayout(dir.resolve("ws"));
      Path log = jobDirectory(layout, id).resolve("events.jsonl");
      Path aside = dir.resolve("log-of-" + id);
      if (Files.exists(log)) {
        Files.move(log, aside);
      }
      Files.createDirectory(log);
      return () -> repair(log, aside);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path jobDirectory(WorkspaceLayout layout, JobId id) {
    return WorkspaceLayout.ORDER.stream()
        .map(state -> layout.of(state, id))
        .filter(Files::isDirectory)
        .findFirst()
        .orElseThrow();
  }

  private static void repair(Path log, Path aside) {
    try {
      Files.delete(log);
      if (Files.exists(aside)) {
        Files.move(aside, log);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
