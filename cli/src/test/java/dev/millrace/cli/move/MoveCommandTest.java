package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.InProcessCli.Result;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveDestination;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the command accepts, refuses and says. */
@Tag("slow")
class MoveCommandTest extends CommandFixture {
  @Test
  void bringsJobsIntoADatabaseAndBack() {
    String url = MoveDatabase.newUrl();
    String id = cli.submit("ws", "hello");
    InProcessCli.workAll(ws);
    Result dry = cli.run("move", "ws", url, "--dry-run", "--json");
    assertThat(dry.status()).as(dry.toString()).isZero();
    assertThat(Json.object(dry.line()).object("jobs").integer("COMPLETED")).isEqualTo(1);
    assertThat(cli.run("flow", "ws", id).line()).isEqualTo("HELLO");

    Result moved = cli.run("move", "ws", url, "--json");
    assertThat(moved.status()).as(moved.toString()).isZero();
    JsonObject report = Json.object(moved.line());
    assertThat(report.integer("moved")).isEqualTo(1);
    assertThat(report.object("left").values()).isEmpty();
    assertThat(cli.run("flow", url, id).line()).isEqualTo("HELLO");
    Result job = cli.run("job", "ws", id);
    assertThat(job.status()).isEqualTo(1);
    assertThat(job.err()).contains("has moved").contains("postgresql://");
    Result flow = cli.run("flow", "ws", id);
    assertThat(flow.status()).isEqualTo(1);
    assertThat(flow.err()).contains("moved to postgresql://");

    Result back = cli.run("move", url, "ws", "--delete");
    assertThat(back.status()).as(back.toString()).isZero();
    assertThat(back.line()).isEqualTo("moved 1 job, 1 deleted");
    assertThat(cli.run("flow", "ws", id).line()).isEqualTo("HELLO");
    assertThat(ws.resolve("moved")).isEmptyDirectory();
  }

  @Test
  void refusesWhatIsNotTwoStores() {
    cli.submit("ws", "hello");
    assertThat(cli.run("move", "ws").err()).contains("two stores");
    assertThat(cli.run("move", "ws", "ws").err()).contains("the same directory");
    Result http = cli.run("move", "ws", "http://localhost:1");
    assertThat(http.status()).isEqualTo(2);
    assertThat(http.err()).contains("a server's URL").contains("postgresql://");
    String url = MoveDatabase.newUrl();
    assertThat(cli.run("move", url, "ws").err()).contains("there are no tables in the schema");
    cli.submit(url, "hello");
    assertThat(cli.run("move", url, url).err()).contains("the same store");
    assertThat(cli.run("move", "nowhere", "ws").err()).contains("no workspace in nowhere");
  }

  @Test
  void aStoreThatIsServedIsNotMoved() {
    String id = cli.submit("ws", "hello");
    try (JobStore _ = Workspace.open(ws).own().orElseThrow()) {
      Result refused = cli.run("move", "ws", "other");
      assertThat(refused.status()).isEqualTo(1);
      assertThat(refused.err()).contains("pid " + ProcessHandle.current().pid()).contains("--stop");
    }
    assertThat(cli.run("jobs", "ws", "--json").out()).contains(id);
    String url = MoveDatabase.newUrl();
    try (PostgresDatabase shared = PostgresDatabase.open(PostgresSettings.parse(url, Map.of()))) {
      try (JobStore _ = shared.join("server one")) {
        assertThat(cli.run("move", url, "other").err()).contains("served by server one");
        assertThat(cli.run("move", "ws", url).status()).isZero(); // a target may be
      }
      try (MovableStore _ = shared.ownToMove("mover")) {
        Assertions.assertThatThrownBy(() -> shared.join("late"))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("being moved by mover");
        assertThat(cli.run("move", url, "other").err()).contains("being moved by mover");
        assertThat(cli.run("abort", url, id).status()).isZero(); // a short command may come
      }
      shared.join("now").close();
    }
  }

  @Test
  void aJobOnItsWayGoesNowhereElseAndCanBeTakenBack() {
    String id = cli.submit("ws", "hello");
    Workspace target = Workspace.open(dir.resolve("b"));
    try (MovableStore source = Workspace.open(ws).ownToMove("ws").orElseThrow();
        MovableStore to = target.ownToMove("b").orElseThrow()) {
      source.takeOut(new JobId(id), new MoveDestination(to.identity(), "b"));
    }
    assertThat(cli.run("job", "ws", id).err()).contains("on its way").contains("millrace move ");
    assertThat(cli.run("doctor", "ws").out()).contains("on their way").contains("millrace move");
    Result elsewhere = cli.run("move", "ws", "c");
    assertThat(elsewhere.status()).isEqualTo(1);
    assertThat(elsewhere.err())
        .contains("on its way to ")
        .contains("finishes it")
        .contains("takes them back");
    Result back = cli.run("move", "b", "ws");
    assertThat(back.line()).isEqualTo("moved 0 jobs, 1 were taken back on their way");
    assertThat(cli.run("jobs", "ws", "--json").out()).contains(id);
  }

  @Test
  void whatADatabaseCannotHoldStays() throws IOException {
    String good = cli.submit("ws", "good");
    String sound = cli.submit("ws", "sound");
    String odd = cli.submit("ws", "odd");
    InProcessCli.workAll(ws);
    Files.write(ws.resolve("output").resolve(sound).resolve("audio.wav"), new byte[3_000_000]);
    Path meta = ws.resolve("output").resolve(odd).resolve("meta.json");
    Files.writeString(meta, Files.readString(meta).replaceFirst("\\{", "{\"gpu\": \"A\","));
    String url = MoveDatabase.newUrl();
    Result result = cli.run("move", "ws", url);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("stays: " + sound).contains("audio.wav").contains("\"gpu\"");
    assertThat(result.line()).isEqualTo("moved 1 job, 2 stay");
    assertThat(cli.run("flow", url, good).line()).isEqualTo("GOOD");
    assertThat(cli.run("flow", "ws", sound).line()).isEqualTo("SOUND");

    assertThat(cli.run("move", "ws", "other").line()).isEqualTo("moved 2 jobs");
    Path other = dir.resolve("other").resolve("output");
    assertThat(other.resolve(sound).resolve("audio.wav")).hasSize(3_000_000);
    assertThat(other.resolve(odd).resolve("meta.json")).content().contains("\"gpu\"");
  }

  @Test
  void aJobWithAnIdThatIsTakenStays() throws IOException {
    String id = cli.submit("ws", "mine");
    String free = cli.submit("ws", "free");
    Path theirs = dir.resolve("b").resolve("input/ready").resolve(id);
    cli.submit("b", "x");
    Files.createDirectory(theirs);
    Files.writeString(theirs.resolve("prompt.txt"), "theirs");
    assertThat(cli.run("move", "ws", "b", "--dry-run").err()).contains("would stay: " + id);
    Result result = cli.run("move", "ws", "b");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("stays: " + id).contains("has this id");
    assertThat(Workspace.open(ws).reader().state(new JobId(id))).contains(JobState.PENDING);
    assertThat(Workspace.open(dir.resolve("b")).reader().state(new JobId(free)))
        .contains(JobState.PENDING);
  }

  @Test
  void jobsOfOtherDaemonsMove() throws IOException {
    cli.submit("ws", "x");
    Path done = ws.resolve("output").resolve("1700000000_1_0");
    Files.createDirectories(done);
    Files.writeString(done.resolve("prompt.txt"), "hello");
    Files.writeString(done.resolve("result.txt"), "world");
    Files.writeString(
        done.resolve("meta.json"),
        "{\"submitted_at\":\"2023-11-14T22:13:20.000000Z\",\"mode\":\"text\",\"status\":\"done\","
            + "\"completed_at\":\"2023-11-14T22:13:30.000000Z\",\"duration_s\":4.0,"
            + "\"artifacts\":[\"result.txt\"]}");
    String url = MoveDatabase.newUrl();
    Result result = cli.run("move", "ws", url);
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(cli.run("flow", url, "1700000000_1_0").line()).isEqualTo("world");
    assertThat(cli.run("job", url, "1700000000_1_0", "--json").out()).contains("22:13:30");
  }

  @Test
  void unreadableJobsStay() throws IOException {
    String id = cli.submit("ws", "x");
    InProcessCli.workAll(ws);
    Files.writeString(ws.resolve("output").resolve(id).resolve("events.jsonl"), "{\"n\":5}\n");
    Result result = cli.run("move", "ws", "b");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("stays: " + id);
    assertThat(ws.resolve("output").resolve(id)).isDirectory();
  }
}
