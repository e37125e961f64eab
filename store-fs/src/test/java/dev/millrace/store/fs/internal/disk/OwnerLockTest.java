package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If the lock file is deleted, a second owner can start; the first must notice and stop. */
class OwnerLockTest {
  private static final ClaimRequest ANY = new ClaimRequest(Set.of("generate"), 1, "test", null);

  @TempDir Path dir;

  @Test
  void anOwnerWhoseLockFileWasRemovedClaimsNothingMore() throws IOException {
    Workspace workspace = Workspace.open(dir);
    try (JobStore first = workspace.own().orElseThrow()) {
      first.submit(JobSpec.prompt("generate", "one"));
      Files.delete(dir.resolve(OwnerLock.FILE));
      try (JobStore second = workspace.own().orElseThrow()) {
        assertThatThrownBy(() -> first.claim(ANY))
            .isInstanceOf(StoreBrokenException.class)
            .hasMessageContaining("was removed or replaced");
        assertThatThrownBy(first::sweep).isInstanceOf(StoreBrokenException.class);
        assertThat(second.claim(ANY)).hasSize(1);
      }
    }
  }
}
