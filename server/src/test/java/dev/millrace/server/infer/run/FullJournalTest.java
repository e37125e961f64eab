package dev.millrace.server.infer.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.TinyModels;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.shelf.ModelLease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A store that fails for long: tokens wait in memory up to a limit, then their generation pauses. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class FullJournalTest {
  private static final int LIMIT = 10;
  private static final int TOKENS = 120;
  private static final String DATA =
      "{\"max_tokens\": "
          + TOKENS
          + ", \"temperature\": 1.1, \"ignore_eos\": true, \"raw\": true, \"seed\": 5,"
          + " \"logprobs\": 2, \"record_pieces\": true}";

  private ModelLibrary library;
  private ModelLease<LoadedModel> lease;

  @BeforeAll
  void open() throws InterruptedException {
    InferenceSettings settings =
        InferenceSettings.of(List.of(TinyModels.llama())).withEngine(TinyModels.engine());
    library =
        new ModelLibrary(
            settings.models(),
            settings.engine(),
            settings.defaults(),
            settings.shelf(),
            System::nanoTime);
    lease = library.requestGenerator(null).await().orElseThrow();
  }

  @AfterAll
  void close() {
    lease.close();
    library.close();
  }

  private static FakeTaskContext task() {
    return FakeTaskContext.generate("once", DATA);
  }

  private TaskOutcome run(FakeTaskContext task, int limit) {
    return new GenerateRunner(library, new TokenCounters(), task, limit).run();
  }

  /** Returns when no sequence is computed, whatever waits to be journaled. */
  private void awaitPause() {
    while (isComputing()) {
      LockSupport.parkNanos(100_000);
    }
  }

  private boolean isComputing() {
    WheelStats stats = lease.item().stats().wheel();
    return stats.waiting() + stats.admitted() > 0;
  }

  private static JsonObject receipt(TaskOutcome outcome) {
    assertThat(outcome).isInstanceOf(TaskOutcome.Done.class);
    TaskResult result = ((TaskOutcome.Done) outcome).result();
    assertThat(result.receipt()).isNotNull();
    return result.receipt().put("text", result.text());
  }

  @Test
  void aGenerationThatPausedGivesTheSameOutput() {
    FakeTaskContext undisturbed = task();
    JsonObject expected = receipt(run(undisturbed, Integer.MAX_VALUE));
    FakeTaskContext task = task();
    task.onJournal = _ -> awaitPause();
    JsonObject found = receipt(run(task, LIMIT));

    assertThat(found.string("text")).isEqualTo(expected.string("text"));
    assertThat(found.list("pieces")).isEqualTo(expected.list("pieces"));
    assertThat(found.list("logprobs")).isEqualTo(expected.list("logprobs"));
    assertThat(task.tokens()).hasSize(TOKENS).isEqualTo(undisturbed.tokens());
    assertThat(task.journaled()).isEqualTo(undisturbed.journaled());
    assertThat(task.waits).as("how often it was submitted").isGreaterThan(TOKENS / LIMIT / 2);
  }

  @Test
  void aGenerationAlsoPausesWhileItsTaskCannotSayThatItWaits() {
    FakeTaskContext task = task();
    task.onWait = this::awaitPause;
    List<Integer> sizes = new ArrayList<>();
    task.onJournal =
        _ -> {
          awaitPause();
          sizes.add(task.pieces.getLast().tokens().size());
        };
    assertThat(run(task, LIMIT)).isInstanceOf(TaskOutcome.Done.class);
    assertThat(sizes).as("tokens that waited").allMatch(size -> size < TOKENS / 2);
  }

  @Test
  void aPausedGenerationThatHasToStopStopsWithItsOutput() {
    FakeTaskContext task = task();
    task.onJournal =
        _ -> {
          awaitPause();
          if (task.tokens().size() > LIMIT) {
            task.cancel();
          }
        };
    TaskOutcome outcome = run(task, LIMIT);
    assertThat(outcome).isInstanceOf(TaskOutcome.Failed.class);
    assertThat(((TaskOutcome.Failed) outcome).failure())
        .satisfies(
            failure -> {
              assertThat(failure.message()).startsWith("stopped (cancelled) after ");
              assertThat(failure.partial()).startsWith(task.journaled());
            });
    assertThat(task.tokens()).hasSizeLessThan(TOKENS);
  }

  @Test
  void aPausedGenerationOfAPausedJobIsReleased() {
    FakeTaskContext task = task();
    task.onJournal =
        _ -> {
          awaitPause();
          task.pause();
        };
    assertThat(run(task, LIMIT)).isEqualTo(new TaskOutcome.Released("paused"));
    assertThat(task.tokens()).isNotEmpty().hasSizeLessThan(TOKENS);
    assertThat(OutputChunk.joined(task.pieces).tokens()).isEqualTo(task.tokens());
  }
}
