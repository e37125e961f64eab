package dev.millrace.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.Timestamps;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.StopSignal.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A task without a server: records what its worker does, and lets a test pause and cancel it. */
public final class FakeTaskContext implements TaskContext {
  public static final Instant CREATED = Instant.parse("2026-03-04T05:06:07Z");

  private final Claim claim;
  public final List<String> lines = new ArrayList<>();
  public final List<OutputChunk> pieces = new ArrayList<>();
  public @Nullable JsonObject frozen;
  public Consumer<FakeTaskContext> onJournal = _ -> {};
  public Runnable onWait = () -> {};
  public Runnable onBegin = () -> {};
  public Runnable onLog = () -> {};
  public int waits;
  public int begun;
  public boolean overdue;
  public boolean claimLost;
  private final StopSignal stopSignal = new StopSignal("a task");

  private static TaskView view(@Nullable Object input) {
    return new TaskView(
        1,
        1,
        TaskState.IN_PROGRESS,
        new TaskView.AttemptCounts(0, 1, null),
        new TaskView.LastClaim("w", null, false),
        new Timestamps(CREATED, CREATED, CREATED, null),
        new TaskView.Content(input, JsonObject.create(), null),
        new TaskView.Answer(null, null));
  }

  public FakeTaskContext(String type, @Nullable Object input, JsonObject data) {
    this(type, input, data, null, OutputChunk.EMPTY);
  }

  /** A task after an earlier attempt, of whose tokens the texts do not matter. */
  public FakeTaskContext(
      String type,
      @Nullable Object input,
      JsonObject data,
      @Nullable JsonObject frozen,
      List<Integer> prior) {
    this(type, input, data, frozen, OutputChunk.joined(List.of(new OutputChunk(prior, ""))));
  }

  /** A task after an earlier attempt. */
  public FakeTaskContext(
      String type,
      @Nullable Object input,
      JsonObject data,
      @Nullable JsonObject frozen,
      OutputChunk prior) {
    claim =
        new Claim(
            new JobId("00001781482179019396_4090_000000"),
            new ClaimKey(1, 1, new FencingToken(1, 1)),
            type,
            data,
            CREATED,
            Claim.Limits.NONE,
            // as a store returns it
            frozen == null ? null : new Claim.Resumption(Json.object(frozen.toString()), prior),
            view(input));
    this.frozen = frozen;
  }

  /** A task to generate, with its input and its parameters in JSON. */
  public static FakeTaskContext generate(String input, String data) {
    return new FakeTaskContext("generate", input, Json.object(data));
  }

  /** The next attempt at this task, with so many journaled tokens. */
  public FakeTaskContext again(int tokens) {
    OutputChunk all = OutputChunk.joined(pieces);
    return new FakeTaskContext(
        claim.type(),
        claim.input(),
        claim.data(),
        frozen,
        new OutputChunk(
            all.tokens().subList(0, tokens), all.pieceOfEachToken().subList(0, tokens)));
  }

  public List<Integer> tokens() {
    return pieces.stream().flatMap(piece -> piece.tokens().stream()).toList();
  }

  public String journaled() {
    return pieces.stream().map(OutputChunk::text).collect(Collectors.joining());
  }

  public void pause() {
    stopSignal.raise(Reason.PAUSED);
  }

  public void cancel() {
    stopSignal.raise(overdue ? Reason.TIMED_OUT : Reason.CANCELLED);
  }

  @Override
  public Claim claim() {
    return claim;
  }

  @Override
  public long claimOrder() {
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
    if (claimLost) {
      return false;
    }
    frozen = terms;
    pieces.clear();
    return true;
  }

  @Override
  public void journal(OutputChunk piece) {
    if (piece.waits()) {
      waits++;
      onWait.run();
      return;
    }
    if (piece.isEmpty()) {
      begun++;
      onBegin.run();
      return;
    }
    pieces.add(piece);
    onJournal.accept(this);
  }

  @Override
  public StopSignal stopSignal() {
    return stopSignal;
  }

  @Override
  public void releaseSlotWhile(BooleanSupplier outside) {}
}
