package dev.millrace.bench.http;

import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Uses two persistent connections, to the API and to the empty handler, and prepared requests. */
final class RawClient implements BenchClient {
  private static final JsonObject DATA = JsonObject.create().put("prompt", PROMPT);
  private static final String JOB =
      JsonObject.create().put("name", "bench").put("data", DATA).toString();
  private static final byte[] NEW_JOB = RawConnection.request("POST /v1/jobs", "", JOB);
  private static final byte[] NEW_PROMPT =
      RawConnection.request(
          "POST /api/jobs",
          "",
          JsonObject.create().put("action", GENERATE).put("inputs", DATA).toString());

  private final RawConnection api;
  private final RawConnection empty;
  private final Map<String, byte[]> dequeues = new HashMap<>();

  RawClient(BenchServer host) throws IOException {
    api = new RawConnection(host.api());
    empty = new RawConnection(host.empty());
  }

  @Override
  public void empty() throws IOException {
    empty.send(NEW_JOB, 201);
  }

  @Override
  public void openJob() throws IOException {
    api.send(NEW_JOB, 201);
  }

  @Override
  public void keyedJob() throws IOException {
    String key = "Idempotency-Key: " + UUID.randomUUID() + "\r\n";
    api.send(RawConnection.request("POST /v1/jobs", key, JOB), 201);
  }

  @Override
  public void generate() throws IOException {
    api.send(NEW_PROMPT, 202);
  }

  @Override
  public Optional<HeldTask> dequeue(String type, int waitSeconds) throws IOException {
    String line =
        "PATCH /v1/stages/"
            + type
            + "/tasks/dequeue?limit=1&lease="
            + LEASE_SECONDS
            + "&wait="
            + waitSeconds;
    byte[] request =
        dequeues.computeIfAbsent(
            line, _ -> RawConnection.request(line, "Millrace-Worker: " + WORKER + "\r\n", ""));
    String tasks = api.send(request, 200);
    return tasks.equals("[]")
        ? Optional.empty()
        : Optional.of(new HeldTask(field(tasks, "id"), field(tasks, "token")));
  }

  @Override
  public void complete(HeldTask held) throws IOException {
    String body =
        "{\"status\":\"COMPLETED\",\"token\":\"" + held.token() + "\",\"result\":\"done\"}";
    api.send(RawConnection.request("PUT /v1/tasks/" + held.task() + "/status", "", body), 200);
  }

  /** The first field of that name; the inputs do not contain it. */
  private static String field(String json, String name) throws IOException {
    String start = "\"" + name + "\":\"";
    int at = json.indexOf(start);
    if (at < 0) {
      throw new IOException("no \"" + name + "\" in " + json);
    }
    int from = at + start.length();
    return json.substring(from, json.indexOf('"', from));
  }

  @Override
  public void close() throws IOException {
    api.close();
    empty.close();
  }
}
