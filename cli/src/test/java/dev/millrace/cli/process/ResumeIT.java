package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A server is killed, paused and stopped in the middle of a generation, and the text is the same as
 * without these faults.
 */
@ResourceLock(LauncherProcess.CORES)
class ResumeIT extends LauncherFixture {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");
  private static final int TOKENS = PROOF ? 700 : 300;
  private static final int KILLS = PROOF ? 60 : 6;
  private static final String[] LONG = {
    "Write a story with these words: boat, river, bird.",
    "--param",
    "ignore_eos=true",
    "--param",
    "max_tokens=" + TOKENS,
    "--param",
    "temperature=0.9",
    "--param",
    "seed=11"
  };

  private LauncherProcess serve(String workspace, String... options) {
    List<String> args = new ArrayList<>(List.of("--model", "house"));
    args.addAll(List.of(options));
    return launchServer(workspace, args);
  }

  /** Polls often: what it waits for is over soon. */
  private static ConditionFactory atOnce() {
    return soon().pollInterval(Duration.ofMillis(2));
  }

  private String submit(String workspace) {
    List<String> args = new ArrayList<>(List.of(workspace));
    args.addAll(List.of(LONG));
    return cli.submit(args.toArray(String[]::new));
  }

  private static @Nullable String undisturbed;

  /** The text without any fault; generated once for all tests. */
  private String undisturbed() {
    if (undisturbed == null) {
      undisturbed = generateUndisturbed();
    }
    return undisturbed;
  }

  private String generateUndisturbed() {
    String id = submit("calm");
    assertThat(serve("calm", "--drain").result().status()).isZero();
    InProcessCli.Result flow = cli.run("flow", "calm", id);
    assertThat(flow.status()).as(flow.err()).isZero();
    assertThat(flow.out().length()).as("a long text").isGreaterThan(1_000);
    return flow.out();
  }

  /** How many tokens the job's journal holds; -1 once it has ended. */
  private int journaled(String id) {
    for (String directory : new String[] {"processing", "paused"}) {
      Path journal = dir.resolve("storm").resolve(directory).resolve(id).resolve("journal.jsonl");
      try {
        return Files.readAllLines(journal).stream()
            .filter(line -> line.startsWith("{\"tokens\":[") && line.endsWith("}"))
            .mapToInt(line -> ((List<?>) Json.object(line).values().get("tokens")).size())
            .sum();
      } catch (IOException e) {
        // not in this directory, or not yet
      }
    }
    return cli.run("flow", "storm", id).status() == 2 ? 0 : -1;
  }

  private void awaitTokens(String id, int count) {
    atOnce()
        .until(
            () -> {
              int now = journaled(id);
              return now < 0 || now >= count;
            });
  }

  @Test
  void aServerThatIsKilledManyTimesGivesTheSameBytes() {
    long seed = PROOF ? System.nanoTime() : 4;
    Random random = new Random(seed);
    String calm = undisturbed();
    String id = submit("storm");
    int kills = 0;
    int last = TOKENS - 10;
    for (int had = 0; kills < KILLS && had >= 0 && had < last; had = journaled(id)) {
      int share = Math.max(1, (last - had) / (KILLS - kills)); // so that there is room for all
      LauncherProcess server = serve("storm");
      awaitTokens(id, had + 1 + random.nextInt(share));
      server.signal("KILL");
      server.result();
      kills++;
    }
    assertThat(serve("storm", "--drain").result().status()).isZero();
    assertThat(kills).as("seed %d", seed).isGreaterThanOrEqualTo(5);
    assertThat(cli.run("flow", "storm", id).out())
        .as("after %d kills, seed %d", kills, seed)
        .isEqualTo(calm);
    JsonObject receipt = receipt(id);
    assertThat(receipt.integer("resumed")).isPositive();
    assertThat(receipt.integer("completion_tokens")).isEqualTo(TOKENS);
    assertThat(receipt.string("finish_reason")).isEqualTo("length");
    InProcessCli.Result verified =
        LauncherProcess.start(dir, "verify", "--workspace", "storm", "--model", "house", id)
            .result();
    assertThat(verified.status()).as(verified.out() + verified.err()).isZero();
  }

  @Test
  void aPausedJobResumesAtItsTokenAndAStoppedServerCostsNoAttempt() {
    String calm = undisturbed();
    String id = submit("storm");
    LauncherProcess server = serve("storm");
    awaitTokens(id, 20);
    assertThat(cli.run("pause", "--workspace", "storm", id).status()).isZero();
    atOnce().until(() -> cli.run("job", "storm", id, "--events").out().contains("\"release\""));
    int atPause = journaled(id);
    assertThat(atPause).isBetween(20, TOKENS - 1);
    assertThat(cli.run("resume", "--workspace", "storm", id).status()).isZero();
    awaitTokens(id, atPause + 20);
    server.signal("TERM");
    assertThat(server.result().status()).isZero();
    assertThat(journaled(id)).as("it did not wait for the end").isBetween(atPause, TOKENS - 1);
    assertThat(serve("storm", "--drain").result().status()).isZero();
    assertThat(cli.run("flow", "storm", id).out()).isEqualTo(calm);
    assertThat(cli.run("job", "storm", id, "--events").out()).doesNotContain("\"crash\":true");
  }

  @Test
  void aCancelledJobKeepsItsPartialOutput() throws IOException {
    String calm = undisturbed();
    String id = submit("storm");
    LauncherProcess server = serve("storm");
    awaitTokens(id, 20);
    assertThat(cli.run("abort", "--workspace", "storm", id).status()).isZero();
    Path partial = dir.resolve("storm/cancelled").resolve(id).resolve("response.txt");
    atOnce().until(() -> Files.exists(partial));
    server.signal("TERM");
    assertThat(server.result().status()).isZero();
    String had = Files.readString(partial);
    assertThat(had).isNotEmpty();
    assertThat(calm).startsWith(had);
    assertThat(receipt(id).string("finish_reason")).isEqualTo("cancelled");
  }

  private JsonObject receipt(String id) {
    for (String directory : new String[] {"output", "cancelled", "failed"}) {
      try {
        Path meta = dir.resolve("storm").resolve(directory).resolve(id).resolve("meta.json");
        return Json.object(Files.readString(meta)).object("receipt");
      } catch (IOException e) {
        // not in this directory
      }
    }
    throw new AssertionError("job " + id + " has not ended");
  }
}
