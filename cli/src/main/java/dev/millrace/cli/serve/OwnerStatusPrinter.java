package dev.millrace.cli.serve;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.PipeWaitText;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/** {@code serve --status}: prints which server owns a workspace. Only the lock decides. */
final class OwnerStatusPrinter {
  private final Shell shell;
  private final OwnablePlace place;

  OwnerStatusPrinter(Shell shell, OwnablePlace place) {
    this.shell = shell;
    this.place = place;
  }

  int print(boolean json) {
    PlaceOwner owner = place.owner();
    if (!owner.held()) {
      place.withdrawStaleAnnouncement();
    }
    shell.out().println(json ? Json.write(json(owner)) : text(owner));
    return owner.ready() ? ExitCode.OK : owner.held() ? ExitCode.NOT_READY : ExitCode.FAILED;
  }

  private static JsonObject json(PlaceOwner owner) {
    JsonObject out = JsonObject.create().put("running", owner.held()).put("ready", owner.ready());
    if (owner.pid().isPresent()) {
      out.put("pid", owner.pid().getAsLong());
    }
    for (String field :
        new String[] {
          "model", "models", "types", "workers", "started_at", "http", PipeWaitText.FIELD
        }) {
      out.putIfPresent(field, owner.info().get(field));
    }
    return out;
  }

  private static String text(PlaceOwner owner) {
    if (!owner.held()) {
      return "not running";
    }
    String pid = owner.pid().isPresent() ? Long.toString(owner.pid().getAsLong()) : "unknown";
    if (!owner.ready()) {
      return "starting (pid " + pid + ")";
    }
    StringBuilder out = new StringBuilder("ready (pid ").append(pid);
    for (String field : new String[] {"model", "types", "workers", "http"}) {
      Object value = owner.info().get(field);
      if (value != null) {
        out.append(", ").append(field).append(' ').append(words(value));
      }
    }
    out.append(')');
    PipeWaitText.sentences(owner.info()).forEach(each -> out.append("; ").append(each));
    return out.toString();
  }

  private static String words(Object value) {
    return value instanceof List<?> list
        ? String.join("+", list.stream().map(String::valueOf).toList())
        : value.toString();
  }
}
