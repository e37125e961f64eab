package dev.millrace.cli.serve;

import static dev.millrace.cli.process.ServeProcess.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.place.LocalWorkspace;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.fs.Workspace;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a server announces about waiting models, and how commands show it. */
class ServerAnnouncementTest extends CommandFixture {
  private static final String WHY = "layers 4-6 are missing (no node had them)";
  private static final String SENTENCE = "model house waits for a pipe: " + WHY;

  private OwnablePlace place;
  private String id;

  @BeforeEach
  void open() {
    id = cli.submit("ws", "x");
    place = new LocalWorkspace("ws", Workspace.open(dir.resolve("ws")));
  }

  private static JsonObject info(String... models) {
    return JsonObject.create()
        .put("types", List.of("generate", "embed"))
        .put("models", List.of(models).stream().map(name -> Map.of("name", name)).toList());
  }

  private String status() {
    InProcessCli.Result result = cli.run("serve", "-d", "ws", "--status");
    assertThat(result.status()).as("it runs").isZero();
    return result.line();
  }

  @Test
  void aWaitingModelIsAnnouncedUntilItIsReady() {
    AtomicReference<Map<String, String>> waiting = new AtomicReference<>(Map.of("house", WHY));
    try (JobStore _ = place.own().orElseThrow();
        ServerAnnouncement announcement = new ServerAnnouncement(place)) {
      announcement.begin(info("house"), waiting::get);
      assertThat(status()).startsWith("ready (").endsWith("); " + SENTENCE);
      assertThat(
              Json.object(cli.run("serve", "-d", "ws", "--status", "--json").out())
                  .object("waiting")
                  .string("house"))
          .isEqualTo(WHY);
      assertThat(cli.run("flow", "ws").out()).contains("0 tasks running; " + SENTENCE);
      assertThat(cli.run("flow", "ws", id).err())
          .contains("1st of 1; " + SENTENCE)
          .doesNotContain("starts in");
      waiting.set(Map.of());
      soon().until(() -> !status().contains("waits"));
      waiting.set(Map.of("house", "it broke"));
      soon().until(() -> status().endsWith("; model house waits for a pipe: it broke"));
    }
    assertThat(cli.run("serve", "-d", "ws", "--status").line()).isEqualTo("not running");
  }

  @Test
  void withAnotherReadyModelNothingIsReported() {
    try (JobStore _ = place.own().orElseThrow();
        ServerAnnouncement announcement = new ServerAnnouncement(place)) {
      announcement.begin(info("house", "other"), () -> Map.of("house", WHY));
      assertThat(status()).endsWith(SENTENCE);
      assertThat(cli.run("flow", "ws", id).err()).doesNotContain("waits for a pipe");
    }
  }

  @Test
  void aDiskThatTakesNoWritesDoesNotMakeTheStopFail() {
    OwnablePlace readOnly =
        (OwnablePlace)
            Proxy.newProxyInstance(
                OwnablePlace.class.getClassLoader(),
                new Class<?>[] {OwnablePlace.class},
                (_, _, _) -> {
                  throw new StoreException("Read-only file system", null, Trouble.READ_ONLY);
                });

    assertThatNoException().isThrownBy(() -> new ServerAnnouncement(readOnly).close());
  }
}
