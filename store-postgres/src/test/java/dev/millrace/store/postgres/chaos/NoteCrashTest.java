package dev.millrace.store.postgres.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The database crashes between the note of a key and its job. */
@Tag("slow")
@Timeout(120)
class NoteCrashTest {
  private static final String KEYS = ChaosSubmitter.KEYS;

  @TempDir Path directory;

  @Test
  void noJobIsThereWithoutTheNoteAheadOfIt() throws Exception {
    try (ChaosDatabase database = ChaosDatabase.start(directory)) {
      ChaosHistory history = new ChaosHistory(directory.resolve("timeline.log"));
      String url = ChaosDatabase.url(database.port(), 4);
      try (StoreClient client = new StoreClient(history, "client", url, false)) {
        client.migrate();
        JobId id = Work.generateId();
        assertThat(client.open().writeNoteAhead(KEYS, "key", null, id.value())).isTrue();
        database.restart("immediate");
        client.ask(store -> store.submit(JobSpec.prompt("a", "of somebody else"))); // notices it
        client.ask(store -> store.submit(JobSpec.prompt("a", "with the key"), id));
        assertThat(client.ask(store -> store.readNote(KEYS, "key")).value()).contains(id.value());
      }
    }
  }
}
