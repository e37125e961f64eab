package dev.millrace.http.page;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.Base64;
import java.util.List;

/**
 * Maps the names of libraries, as modules import them, to addresses. Its text is a script of the
 * page, which the policy allows by its hash.
 *
 * @param text JSON; the addresses are relative to the page's
 */
record ImportMap(String text) {

  static ImportMap of(List<LibraryModules> libraries) {
    JsonObject imports = JsonObject.create();
    for (LibraryModules library : libraries) {
      String at = "./page/" + library.path();
      imports.put(library.name(), at + library.main()).put(library.name() + "/", at);
    }
    return new ImportMap(Json.write(JsonObject.create().put("imports", imports)));
  }

  /** The element of the page. */
  String element() {
    return "<script type=\"importmap\">" + text + "</script>";
  }

  /** The source that allows exactly this text, for {@code script-src}. */
  String hash() {
    return "'sha256-" + Base64.getEncoder().encodeToString(Sha256.of(text)) + "'";
  }
}
