package dev.millrace.server.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.http.Reply;

/** What is answered where there is nothing to show. */
enum Codes {
  JOB_MODIFIED_SUCCESSFULLY,
  STAGE_MODIFIED_SUCCESSFULLY,
  TASK_MODIFIED_SUCCESSFULLY,
  JOB_DELETED_SUCCESSFULLY;

  Reply reply() {
    return Reply.ok(JsonObject.create().put("code", name()));
  }
}
