package dev.millrace.core.move;

import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobRecord.StageShape;
import dev.millrace.core.stage.TaskSpec;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records as texts, to compare them: two that mean the same have the same text, whatever order of
 * fields a store keeps.
 */
final class RecordText {
  private RecordText() {}

  static String of(JobRecord record) {
    JsonObject text =
        switch (record) {
          case JobRecord.Document(var id, var createdAt, var spec, var stages) ->
              JsonObject.create()
                  .put("id", id.value())
                  .put("createdAt", createdAt.toString())
                  .put("document", JobDocument.write(spec, false))
                  .putIfPresent("submittedBy", spec.submittedBy())
                  .put("stages", stages.stream().map(RecordText::shape).toList());
          case JobRecord.StageTypes(var types) -> JsonObject.create().put("types", types);
          case JobRecord.Task(int stage, int task, var given, var rendered) ->
              at(stage, task).put("given", task(given)).put("rendered", task(rendered));
          case JobRecord.Result(int stage, int task, int attempt, var result) ->
              at(stage, task)
                  .put("attempt", attempt)
                  .put("kind", result.kind().name())
                  .put("text", result.text())
                  .put("receipt", result.receipt());
          case JobRecord.Entry(var entry) -> Json.object(LogEntryJson.write(entry));
          case JobRecord.Partial(int stage, int task, var output, var receipt) ->
              at(stage, task).put("output", output).put("receipt", receipt);
          case JobRecord.Journal(int stage, int task, var chunk) ->
              at(stage, task).put("tokens", chunk.tokens()).put("pieces", chunk.pieces());
          case JobRecord.Note(var collection, var note) ->
              JsonObject.create().put("collection", collection).put("note", note);
          case JobRecord.ForeignField(var name, var value) ->
              JsonObject.create().put("name", name).put("value", value);
          case JobRecord.ForeignFile(var path, long offset, var content) ->
              JsonObject.create()
                  .put("path", path)
                  .put("offset", offset)
                  .put("content", HexFormat.of().formatHex(content));
        };
    return Json.write(sorted(text));
  }

  private static JsonObject at(int stage, int task) {
    return JsonObject.create().put("stage", stage).put("task", task);
  }

  private static JsonObject shape(StageShape shape) {
    JsonObject attempts = JsonObject.create();
    shape.attempts().forEach((task, most) -> attempts.put(task.toString(), most));
    return JsonObject.create()
        .put("tasks", shape.tasks())
        .put("template", shape.template())
        .put("attempts", attempts);
  }

  private static @Nullable Object task(@Nullable TaskSpec task) {
    return task == null ? null : JobDocument.task(task);
  }

  /** The same value with the fields of its objects in the order of their names. */
  static @Nullable Object sorted(@Nullable Object value) {
    return switch (value) {
      case JsonObject object -> {
        JsonObject sorted = JsonObject.create();
        Map<String, @Nullable Object> fields = new TreeMap<>(object.values());
        fields.forEach((name, field) -> sorted.put(name, sorted(field)));
        yield sorted;
      }
      case List<?> list -> {
        List<@Nullable Object> sorted = new ArrayList<>();
        list.forEach(each -> sorted.add(sorted(each)));
        yield sorted;
      }
      case null -> null;
      default -> value;
    };
  }
}
