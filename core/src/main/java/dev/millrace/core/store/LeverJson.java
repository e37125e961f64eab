package dev.millrace.core.store;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The levers by name, and their parameters as JSON: the only place that encodes and decodes. */
public final class LeverJson {
  private static final String STAGE = "stage";
  private static final String TASKS = "tasks";

  /** One kind of lever. */
  private record Row<L extends Lever>(
      String name, Class<L> kind, BiConsumer<L, JsonObject> write, Function<JsonObject, L> read) {
    JsonObject parameters(Lever lever) {
      JsonObject out = JsonObject.create();
      write.accept(kind.cast(lever), out);
      return out;
    }
  }

  private static final List<Row<?>> TABLE =
      List.of(
          row("pause", Lever.Pause.class, new Lever.Pause()),
          row("resume", Lever.Resume.class, new Lever.Resume()),
          row("abort", Lever.Abort.class, new Lever.Abort()),
          new Row<>(
              "approve",
              Lever.Approve.class,
              (lever, out) -> out.put(STAGE, lever.stage()),
              in -> new Lever.Approve(number(in, STAGE))),
          new Row<>(
              "hold",
              Lever.Hold.class,
              (lever, out) -> out.put(STAGE, lever.stage()),
              in -> new Lever.Hold(number(in, STAGE))),
          new Row<>(
              "prioritize",
              Lever.Prioritize.class,
              (lever, out) -> out.put("priority", lever.priority().name()),
              in -> new Lever.Prioritize(Priority.valueOf(in.string("priority")))),
          new Row<>(
              "describe",
              Lever.Describe.class,
              (lever, out) ->
                  out.put(STAGE, lever.stage())
                      .put("task", lever.task())
                      .put("metadata", lever.metadata()),
              in ->
                  new Lever.Describe(number(in, STAGE), number(in, "task"), in.object("metadata"))),
          new Row<>(
              "addStage",
              Lever.AddStage.class,
              (lever, out) ->
                  out.put("spec", JobDocument.write(lever.spec()))
                      .put(TASKS, written(lever.spec().tasks())),
              in ->
                  new Lever.AddStage(
                      JobDocument.readStage(in.object("spec"), 0).withTasks(tasks(in)))),
          new Row<>(
              "addTasks",
              Lever.AddTasks.class,
              (lever, out) -> out.put(STAGE, lever.stage()).put(TASKS, written(lever.tasks())),
              in -> new Lever.AddTasks(number(in, STAGE), tasks(in))),
          row("delete", Lever.Delete.class, new Lever.Delete()));

  private static final Map<String, Row<?>> BY_NAME =
      TABLE.stream().collect(Collectors.toUnmodifiableMap(Row::name, row -> row));
  private static final Map<Class<?>, Row<?>> BY_KIND =
      TABLE.stream().collect(Collectors.toUnmodifiableMap(Row::kind, row -> row));

  private LeverJson() {}

  private static <L extends Lever> Row<L> row(String name, Class<L> kind, L lever) {
    return new Row<>(name, kind, (_, _) -> {}, _ -> lever);
  }

  private static Row<?> row(Lever lever) {
    Row<?> row = BY_KIND.get(lever.getClass());
    if (row == null) {
      throw new IllegalStateException(lever.getClass() + " is not in the table");
    }
    return row;
  }

  /** The names of all levers. */
  public static List<String> names() {
    return TABLE.stream().map(Row::name).toList();
  }

  public static String name(Lever lever) {
    return row(lever).name();
  }

  /** The lever's parameters, without its name. */
  public static JsonObject parameters(Lever lever) {
    return row(lever).parameters(lever);
  }

  public static boolean isName(String name) {
    return BY_NAME.containsKey(name);
  }

  /**
   * @throws JsonException if there is no such lever
   * @throws IllegalArgumentException if a parameter breaks a rule
   */
  public static Lever read(String name, JsonObject parameters) {
    Row<?> row = BY_NAME.get(name);
    if (row == null) {
      throw new JsonException("unknown lever \"" + name + "\"");
    }
    return row.read().apply(parameters);
  }

  private static int number(JsonObject in, String name) {
    return Math.clamp(in.integer(name, 0), 0, Integer.MAX_VALUE);
  }

  private static List<JsonObject> written(List<TaskSpec> tasks) {
    return tasks.stream().map(JobDocument::task).toList();
  }

  private static List<TaskSpec> tasks(JsonObject in) {
    List<TaskSpec> tasks = new ArrayList<>();
    for (Object task : in.list(TASKS)) {
      tasks.add(JobDocument.task(task, "task " + (tasks.size() + 1)));
    }
    return tasks;
  }
}
