package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests for a model whose memory another model has. */
@Timeout(60)
class UnloadedModelTest {
  private final TwoModels models = new TwoModels(new AtomicLong());
  private final DirectInference direct = models.inference.direct();

  @AfterEach
  void close() {
    models.close();
  }

  private static JsonObject data(String more) {
    return Json.object(
        "{\"model\": \"other\", \"messages\": [{\"role\": \"user\", \"content\": \"once\"}]"
            + more
            + "}");
  }

  @Test
  void promptsAreMadeAndCheckedWithoutLoadingIt() throws InterruptedException {
    try (ModelLease<LoadedModel> _ = models.lease("tiny")) {
      assertThat(direct.applyTemplate(data(""))).isEqualTo("once");
      int[] ids = direct.tokenize("other", "once", true, true);
      assertThat(direct.countPromptTokens(data(""))).isEqualTo(ids.length);
      assertThat(direct.detokenize("other", ids, false)).isEqualTo("once");
      assertThat(direct.tokenText("other", ids[ids.length - 1])).isNotEmpty();
      direct.requireRunnable(data(""));
      assertThatThrownBy(() -> direct.requireRunnable(data(", \"logit_bias\": {\"999\": 1}")))
          .isInstanceOf(TaskRefused.class)
          .hasMessageContaining("logit_bias");
      assertThatThrownBy(() -> direct.requireRunnable(data(", \"grammar\": \"root ::= [\"")))
          .isInstanceOf(TaskRefused.class)
          .hasMessageContaining("grammar");
    }
    assertThat(models.inference.stats().loaded()).containsExactly("tiny");
    assertThat(models.inference.library().shelf().hasWaiting()).isFalse();
  }

  @Test
  void aClientThatLeavesWhileItIsLoadedLeavesNothingBehind() throws Exception {
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    Thread client =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  try {
                    direct
                        .generate(new DirectRequest(data(""), 0, FakeTaskContext.CREATED, true))
                        .close();
                    end.complete(new AssertionError("the model was not there"));
                  } catch (Throwable e) {
                    end.complete(e);
                  }
                });
    ModelLease<LoadedModel> used = models.lease("tiny");
    client.start();
    await().until(models.inference.library().shelf()::hasWaiting);
    client.interrupt();
    assertThat(end.get()).isInstanceOf(InterruptedException.class);
    assertThat(models.inference.library().shelf().hasWaiting()).isFalse();
    used.close();
    models.inference.library().maintain();
    assertThat(models.inference.stats().loaded())
        .as("no one needs another")
        .containsExactly("tiny");
    try (ModelLease<LoadedModel> other = models.lease("other")) {
      assertThat(other.item().engine().stats().admitted()).isZero();
      assertThat(models.inference.stats().loaded())
          .as("no lease was left")
          .containsExactly("other");
    }
    assertThat(models.inference.stats().tokens().generated()).isZero();
  }
}
