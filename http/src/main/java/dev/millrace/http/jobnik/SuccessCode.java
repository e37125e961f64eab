package dev.millrace.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.ApiResponse;

/** The codes that answer requests without an entity to return. */
enum SuccessCode {
  JOB_MODIFIED_SUCCESSFULLY,
  STAGE_MODIFIED_SUCCESSFULLY,
  TASK_MODIFIED_SUCCESSFULLY,
  JOB_DELETED_SUCCESSFULLY;

  ApiResponse reply() {
    return ApiResponse.ok(JsonObject.create().put("code", name()));
  }
}
