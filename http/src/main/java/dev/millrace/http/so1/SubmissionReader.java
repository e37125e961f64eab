package dev.millrace.http.so1;

import dev.millrace.api.So1Job;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.job.StageTaskCheck;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.parameters.TaskCheck;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the job that a request submits. Inputs that a worker of this server would refuse are
 * refused here, so that the caller gets the error.
 *
 * @param models the names of the server's models; empty if it has none
 */
record SubmissionReader(KnownActions actions, Set<String> models) {
  private static final Set<String> JOB_FIELDS =
      Set.of("name", "priority", "tags", "hold", "webhooks");
  private static final Set<String> BODY_FIELDS =
      Set.of("action", "inputs", "name", "priority", "tags", "hold", "webhooks");

  /** The most bytes of a schema or a grammar, which become files of the job. */
  private static final int MAX_ATTACHMENT = 1_000_000;

  /**
   * @throws Problem if a field or an input is invalid; names it
   */
  JobSpec read(ApiRequest call) {
    try {
      JsonObject body = call.bodyObject().only(BODY_FIELDS);
      String action = body.string("action");
      JsonObject inputs = JsonObject.of(body.object("inputs"), "inputs");
      actions.require(action);
      if (action.equals(KnownActions.PIPELINE)) {
        return pipeline(call, body, inputs);
      }
      JsonObject submission =
          SubmissionMetadata.of(call, action, Redaction.redactInputs(action, inputs)).toJson();
      return header(
          body,
          JsonObject.create().put(SubmissionMetadata.NAME, submission.values()),
          stage(action, inputs),
          call.traceOrNew());
    } catch (JsonException | IllegalArgumentException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
  }

  private static JobSpec header(
      JsonObject body, JsonObject metadata, StageSpec stage, TraceContext trace) {
    return JobSpec.builder()
        .name(body.string("name", null))
        .priority(JobDocument.priority(body))
        .held(body.flag("hold", false))
        .tags(JobDocument.tags(body))
        .metadata(metadata)
        .stages(List.of(stage))
        .trace(trace)
        .webhooks(JobDocument.webhooks(body))
        .build();
  }

  private StageSpec stage(String action, JsonObject inputs) {
    ActionInputs names = ActionInputs.of(action);
    return names == null
        ? StageSpec.of(action, List.of(TaskSpec.of(freeInput(action, inputs))))
        : modelStage(action, names.toParameters(inputs));
  }

  /**
   * The inputs of an action that is not built in, as they are. A program of this server reads a
   * prompt alone as text.
   */
  private Object freeInput(String action, JsonObject inputs) {
    boolean prompt =
        actions.isLocal(action)
            && inputs.values().size() == 1
            && inputs.get("prompt") instanceof String;
    return prompt ? requireSize(String.valueOf(inputs.get("prompt"))) : inputs.values();
  }

  /** A stage with one task; its input is a plain text if possible, which every tool can read. */
  private StageSpec modelStage(String action, Map<String, Object> data) {
    attach(data, "json_schema");
    attach(data, "grammar");
    exclude(data, "jsonSchema", "json_schema", "grammar");
    exclude(data, "prompt", "prompt", "messages");
    exclude(data, "prompt", "prompt", "input");
    Object input = taskInput(data);
    JsonObject parameters = JsonObject.of(data, "inputs");
    String problem = new TaskCheck(models).problem(action, parameters, input);
    if (problem != null) {
      throw invalid(ActionInputs.inApiNames(problem));
    }
    return StageSpec.builder(action).tasks(List.of(TaskSpec.of(input))).data(parameters).build();
  }

  private static Object taskInput(Map<String, Object> data) {
    Object messages = data.remove("messages");
    if (messages != null) {
      return new LinkedHashMap<>(Map.of("messages", messages));
    }
    Object input = data.remove("input");
    Object prompt = input == null ? data.remove("prompt") : input;
    if (prompt == null) {
      throw invalid("inputs has no \"prompt\"");
    }
    return requirePrompt(prompt);
  }

  private static String requirePrompt(@Nullable Object prompt) {
    if (!(prompt instanceof String text) || text.isEmpty()) {
      throw invalid("inputs: \"prompt\" must be text that is not empty");
    }
    return requireSize(text);
  }

  private static String requireSize(String text) {
    if (!text.isEmpty() && !Work.isValidPrompt(text)) {
      throw invalid(
          "inputs: \"prompt\" must be at most " + JobSpec.MAX_PROMPT_BYTES + " bytes of UTF-8");
    }
    return text;
  }

  private static void exclude(Map<String, Object> data, String shown, String one, String other) {
    if (data.containsKey(one) && data.containsKey(other)) {
      throw invalid("inputs: \"" + shown + "\" and \"" + other + "\" exclude each other; give one");
    }
  }

  /** A schema or a grammar becomes a text, and later a file of its own. */
  private static void attach(Map<String, Object> data, String name) {
    Object given = data.get(name);
    if (given instanceof Map<?, ?>) {
      data.put(name, Json.write(given));
    }
    if (data.get(name) instanceof String text
        && text.getBytes(StandardCharsets.UTF_8).length > MAX_ATTACHMENT) {
      throw invalid(
          ActionInputs.inApiNames(
              name + ": it has more than the " + MAX_ATTACHMENT + " bytes allowed"));
    }
  }

  /** A whole job; fields beside the inputs override those in the inputs. */
  private JobSpec pipeline(ApiRequest call, JsonObject body, JsonObject inputs) {
    JsonObject document = JsonObject.of(new LinkedHashMap<>(inputs.values()), "inputs");
    for (String name : JOB_FIELDS) {
      if (body.has(name)) {
        document.put(name, body.get(name));
      }
    }
    JsonObject metadata = inputs.object("metadata");
    if (metadata.has(SubmissionMetadata.NAME)) {
      throw invalid(
          "inputs: metadata: \""
              + SubmissionMetadata.NAME
              + "\" is kept by the server; leave it out");
    }
    JobSpec spec = JobDocument.read(document, JobDocument.INLINE);
    new StageTaskCheck(actions.local(), models).check(spec, "inputs: ");
    JsonObject all = JsonObject.create();
    all.values().putAll(metadata.values());
    So1Job.Metadata submission =
        SubmissionMetadata.of(call, KnownActions.PIPELINE, Redaction.redactInputs(spec));
    all.put(SubmissionMetadata.NAME, submission.toJson().values());
    TraceContext own = spec.trace();
    return spec.toBuilder()
        .metadata(all)
        .trace(own != null && own.isStarted() ? own : call.traceOrNew())
        .build();
  }

  private static Problem invalid(String message) {
    return new Problem(Problem.Kind.INVALID, message);
  }
}
