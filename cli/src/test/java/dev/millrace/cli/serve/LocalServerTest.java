package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.place.LocalWorkspace;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalServerTest {
  @TempDir Path dir;

  @Test
  void aFailedStartClosesEverything() {
    OwnablePlace place = new LocalWorkspace("ws", Workspace.open(dir));
    JobStore store = place.own().orElseThrow();
    AtomicInteger ended = new AtomicInteger();
    LocalWorkers noWorkers =
        new LocalWorkers(List.of(), 1, JsonObject.create(), ended::incrementAndGet);
    assertThatThrownBy(() -> LocalServer.start(place, store, () -> noWorkers))
        .hasMessageContaining("at least one worker");
    assertThat(ended).hasValue(1);
    assertThat(place.owner().held()).isFalse();
  }
}
