package dev.millrace.http.jobnik;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;

/**
 * The entities of Jobnik's public API, with no additional properties, checked by an independent
 * validator: what a client sees that was generated from Jobnik's document.
 */
final class StrictJobnikSchema {
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  private static final String DEFINITIONS =
      """
      "$defs": {
        "id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "time": {"type": "string", "pattern": "^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\dT[0-9:.]+Z$"},
        "parent": {
          "type": "string",
          "pattern": "^[\\\\da-f]{2}-[\\\\da-f]{32}-[\\\\da-f]{16}-[\\\\da-f]{2}$",
          "not": {"pattern": "^..-0{32}-|-0{16}-..$"}
        },
        "count": {"type": "integer", "minimum": 0},
        "percentage": {"type": "integer", "minimum": 0, "maximum": 100},
        "summary": {
          "type": "object",
          "additionalProperties": false,
          "required": ["pending", "inProgress", "completed", "failed", "created", "retried", "total"],
          "properties": {
            "pending": {"$ref": "#/$defs/count"},
            "inProgress": {"$ref": "#/$defs/count"},
            "completed": {"$ref": "#/$defs/count"},
            "failed": {"$ref": "#/$defs/count"},
            "created": {"$ref": "#/$defs/count"},
            "retried": {"$ref": "#/$defs/count"},
            "total": {"$ref": "#/$defs/count"}
          }
        },
        "task": {
          "type": "object",
          "additionalProperties": false,
          "required": ["id", "stageId", "data", "userMetadata", "status", "attempts", "maxAttempts",
            "creationTime", "updateTime", "traceparent"],
          "properties": {
            "id": {"$ref": "#/$defs/id"},
            "stageId": {"$ref": "#/$defs/id"},
            "data": {"type": "object"},
            "userMetadata": {"type": "object"},
            "status": {"enum": ["CREATED", "PENDING", "IN_PROGRESS", "COMPLETED", "FAILED",
              "RETRIED", "ABORTED"]},
            "attempts": {"$ref": "#/$defs/count"},
            "maxAttempts": {"type": "integer", "minimum": 1},
            "creationTime": {"$ref": "#/$defs/time"},
            "updateTime": {"$ref": "#/$defs/time"},
            "startTime": {"$ref": "#/$defs/time"},
            "endTime": {"$ref": "#/$defs/time"},
            "traceparent": {"$ref": "#/$defs/parent"},
            "tracestate": {"type": "string"}
          }
        },
        "stage": {
          "type": "object",
          "additionalProperties": false,
          "required": ["id", "jobId", "type", "order", "data", "userMetadata", "status",
            "percentage", "summary", "traceparent"],
          "properties": {
            "id": {"$ref": "#/$defs/id"},
            "jobId": {"$ref": "#/$defs/id"},
            "type": {"type": "string", "minLength": 1},
            "order": {"type": "integer", "minimum": 1},
            "data": {"type": "object"},
            "userMetadata": {"type": "object"},
            "status": {"enum": ["CREATED", "PENDING", "IN_PROGRESS", "COMPLETED", "FAILED",
              "WAITING", "ABORTED"]},
            "percentage": {"$ref": "#/$defs/percentage"},
            "summary": {"$ref": "#/$defs/summary"},
            "traceparent": {"$ref": "#/$defs/parent"},
            "tracestate": {"type": "string"},
            "tasks": {"type": "array", "items": {"$ref": "#/$defs/task"}}
          }
        },
        "job": {
          "type": "object",
          "additionalProperties": false,
          "required": ["id", "name", "data", "userMetadata", "priority", "status", "percentage",
            "creationTime", "updateTime", "traceparent"],
          "properties": {
            "id": {"$ref": "#/$defs/id"},
            "name": {"type": "string"},
            "data": {"type": "object"},
            "userMetadata": {"type": "object"},
            "priority": {"enum": ["VERY_HIGH", "HIGH", "MEDIUM", "LOW", "VERY_LOW"]},
            "status": {"enum": ["CREATED", "PENDING", "IN_PROGRESS", "PAUSED", "COMPLETED",
              "FAILED", "ABORTED"]},
            "percentage": {"$ref": "#/$defs/percentage"},
            "creationTime": {"$ref": "#/$defs/time"},
            "updateTime": {"$ref": "#/$defs/time"},
            "traceparent": {"$ref": "#/$defs/parent"},
            "tracestate": {"type": "string"},
            "stages": {"type": "array", "items": {"$ref": "#/$defs/stage"}}
          }
        },
        "code": {
          "type": "object",
          "additionalProperties": false,
          "required": ["code"],
          "properties": {"code": {"type": "string"}}
        },
        "error": {
          "type": "object",
          "additionalProperties": false,
          "required": ["message", "code"],
          "properties": {"message": {"type": "string"}, "code": {"type": "string"}}
        }
      }
      """;

  private StrictJobnikSchema() {}

  /**
   * @param entity job, stage, task, summary, code or error; with a plural s a list of them
   * @throws AssertionError naming what such a client would refuse
   */
  static void check(String entity, String json) {
    boolean list = entity.endsWith("s");
    String one =
        "{\"$ref\": \"#/$defs/"
            + (list ? entity.substring(0, entity.length() - 1) : entity)
            + "\"}";
    String schema =
        "{"
            + (list ? "\"type\": \"array\", \"items\": " + one : "\"allOf\": [" + one + "]")
            + ", "
            + DEFINITIONS
            + "}";
    List<Error> errors = REGISTRY.getSchema(schema).validate(json, InputFormat.JSON);
    if (!errors.isEmpty()) {
      throw new AssertionError("not a strict " + entity + ": " + errors + "\nbody: " + json);
    }
  }
}
