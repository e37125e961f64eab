package dev.millrace.cli.serve;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.ApprovalText;
import dev.millrace.cli.format.PipeWaitText;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/** {@code serve --status}: prints which server owns a workspace. Only the lock decides. */
final class OwnerStatusPrinter {
  /** What {@code nrvnad status} prints of an owner, beside its pid. */
  static final List<String> NRVNA_FIELDS = List.of("model", "workers", "started_at");

  /** What {@code serve --status} prints. */
  static final List<String> ALL_FIELDS =
      List.of(
          "model",
          "models",
          "types",
          "workers",
          "started_at",
          "http",
          PlaceOwner.SERVERS,
          PipeWaitText.FIELD);

  /** What the text leaves to JSON. */
  private static final List<String> JSON_ONLY =
      List.of("models", "started_at", PlaceOwner.SERVERS, PipeWaitText.FIELD);

  private final Shell shell;
  private final OwnablePlace place;
  private final List<String> fields;

  OwnerStatusPrinter(Shell shell, OwnablePlace place, List<String> fields) {
    this.shell = shell;
    this.place = place;
    this.fields = fields;
  }

  int print(boolean json) {
    PlaceOwner owner = place.owner();
    if (!owner.held()) {
      place.withdrawStaleAnnouncement();
    }
    int waiting = fields == ALL_FIELDS ? ApprovalText.waiting(place.reader()).size() : 0;
    shell
        .out()
        .println(
            json
                ? Json.write(
                    json(owner).putIfPresent("waiting_for_approval", waiting == 0 ? null : waiting))
                : text(owner) + (waiting == 0 ? "" : "; " + ApprovalText.count(waiting)));
    return owner.ready() ? ExitCode.OK : owner.held() ? ExitCode.NOT_READY : ExitCode.FAILED;
  }

  private JsonObject json(PlaceOwner owner) {
    JsonObject out = JsonObject.create().put("running", owner.held()).put("ready", owner.ready());
    if (owner.pid().isPresent()) {
      out.put("pid", owner.pid().getAsLong());
    }
    for (String field : fields) {
      out.putIfPresent(field, owner.info().get(field));
    }
    return out;
  }

  private String text(PlaceOwner owner) {
    if (!owner.held()) {
      return "not running";
    }
    if (fields.contains(PlaceOwner.SERVERS)
        && owner.info().get(PlaceOwner.SERVERS) instanceof List<?> servers) {
      return String.join(
          "\n", servers.stream().map(JsonObject.class::cast).map(this::server).toList());
    }
    String pid = owner.pid().isPresent() ? Long.toString(owner.pid().getAsLong()) : "unknown";
    if (!owner.ready()) {
      return "starting (pid " + pid + ")";
    }
    return "ready (pid " + pid + details(owner.info());
  }

  /** One of the servers of a database. */
  private String server(JsonObject info) {
    String name = info.string("name", "unknown");
    return info.get("ready") == Boolean.TRUE
        ? "ready (" + name + details(info)
        : "starting (" + name + ")";
  }

  private String details(JsonObject info) {
    StringBuilder out = new StringBuilder();
    for (String field : fields) {
      Object value = info.get(field);
      if (value != null && !JSON_ONLY.contains(field)) {
        out.append(", ").append(field).append(' ').append(words(value));
      }
    }
    out.append(')');
    PipeWaitText.sentences(info).forEach(each -> out.append("; ").append(each));
    return out.toString();
  }

  private static String words(Object value) {
    return value instanceof List<?> list
        ? String.join("+", list.stream().map(String::valueOf).toList())
        : value.toString();
  }
}
