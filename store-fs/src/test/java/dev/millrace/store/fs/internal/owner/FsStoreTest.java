package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.contract.StoreContract;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
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
}
