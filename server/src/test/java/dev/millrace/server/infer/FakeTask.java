package dev.millrace.server.infer;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
import dev.millrace.server.TaskContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A task without a server: it keeps what its worker says, and a test pulls its levers. */
final class FakeTask implements TaskContext {
  static final Instant CREATED = Instant.parse("2026-03-04T05:06:07Z");

  private final Claim claim;
  final List<String> lines = new ArrayList<>();
  final List<Piece> pieces = new ArrayList<>();
  @Nullable JsonObject frozen;
  Consumer<FakeTask> onJournal = _ -> {};
  Runnable onBegin = () -> {};
  Runnable onLog = () -> {};
  int begun;
  boolean overdue;
  private final List<Runnable> pauseHooks = new ArrayList<>();
  private final List<Runnable> cancelHooks = new ArrayList<>();
  private boolean paused;
  private boolean cancelled;

  private static final TaskView VIEW =
      new TaskView(
          1,
          1,
          TaskState.IN_PROGRESS,
          0,
          1,
          "w",
          null,
          false,
          CREATED,
          CREATED,
          CREATED,
          null,
          null,
          null,
          JsonObject.create(),
          null,
          null,
          null);

  FakeTask(String type, @Nullable Object input, JsonObject data) {
    this(type, input, data, null, List.of());
  }

  /** One that an earlier attempt left behind. */
  FakeTask(
      String type,
      @Nullable Object input,
      JsonObject data,
      @Nullable JsonObject frozen,
      List<Integer> prior) {
    claim =
        new Claim(
            new JobId("00001781482179019396_4090_000000"),
            new Hold(1, 1, new Token(1, 1)),
            type,
            1,
            input,
            data,
            null,
            CREATED,
            // as a store gives it back
            frozen == null ? null : Json.object(frozen.toString()),
            prior,
            null,
            false,
            VIEW);
    this.frozen = frozen;
  }

  /** A text, and parameters in JSON. */
  static FakeTask generate(String input, String data) {
    return new FakeTask("generate", input, Json.object(data));
  }

  /** The next attempt at this task, after so many of its tokens. */
  FakeTask again(int tokens) {
    return new FakeTask(
        claim.type(), claim.input(), claim.data(), frozen, tokens().subList(0, tokens));
  }

  List<Integer> tokens() {
    return pieces.stream().flatMap(piece -> piece.tokens().stream()).toList();
  }

  String journaled() {
    return pieces.stream().map(Piece::text).collect(Collectors.joining());
  }

  void pause() {
    paused = true;
    pauseHooks.forEach(Runnable::run);
  }

  void cancel() {
    cancelled = true;
    cancelHooks.forEach(Runnable::run);
  }

  @Override
  public Claim claim() {
    return claim;
  }

  @Override
  public long order() {
    return 0;
  }

  @Override
  public Optional<Instant> deadline() {
    return Optional.empty();
  }

  @Override
  public void log(String line) {
    lines.add(line);
    onLog.run();
  }

  @Override
  public void progress() {}

  @Override
  public boolean freeze(JsonObject terms) {
    frozen = terms;
    pieces.clear();
    return true;
  }

  @Override
  public void journal(Piece piece) {
    if (piece.isEmpty()) {
      begun++;
      onBegin.run();
      return;
    }
    pieces.add(piece);
    onJournal.accept(this);
  }

  @Override
  public boolean paused() {
    return paused;
  }

  @Override
  public void onPause(Runnable hook) {
    if (paused) {
      hook.run();
    }
    pauseHooks.add(hook);
  }

  @Override
  public void waitsWhile(BooleanSupplier outside) {}

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public boolean overdue() {
    return overdue;
  }

  @Override
  public void onCancel(Runnable hook) {
    if (cancelled) {
      hook.run();
    }
    cancelHooks.add(hook);
  }
}
