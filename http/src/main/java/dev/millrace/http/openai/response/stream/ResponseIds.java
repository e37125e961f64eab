package dev.millrace.http.openai.response.stream;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ids of a response and of its items, all derived from one UUID: a replayed stream has the same
 * ids, and the id of an item says which response has it.
 *
 * @param hex the UUID's 32 hexadecimal digits
 */
public record ResponseIds(String hex) {
  private static final String RESPONSE = "resp_";
  private static final Pattern HEX = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern ITEM =
      Pattern.compile("(?:msg|fc|rs|fco)_([0-9a-f]{32})_i?\\d{1,9}");

  public ResponseIds {
    if (!HEX.matcher(hex).matches()) {
      throw new IllegalArgumentException("not the digits of a UUID: " + hex);
    }
  }

  public static ResponseIds of(UUID uuid) {
    return new ResponseIds(uuid.toString().replace("-", ""));
  }

  /** The ids of the response with this id; empty if it is none of ours. */
  public static Optional<ResponseIds> ofResponse(String id) {
    String hex = id.startsWith(RESPONSE) ? id.substring(RESPONSE.length()) : "";
    return HEX.matcher(hex).matches() ? Optional.of(new ResponseIds(hex)) : Optional.empty();
  }

  /** The ids of the response that has the item with this id; empty if it is none of ours. */
  public static Optional<ResponseIds> ofItem(String id) {
    Matcher matcher = ITEM.matcher(id);
    return matcher.matches() ? Optional.of(new ResponseIds(matcher.group(1))) : Optional.empty();
  }

  public UUID uuid() {
    return new UUID(
        Long.parseUnsignedLong(hex, 0, 16, 16), Long.parseUnsignedLong(hex, 16, 32, 16));
  }

  public String response() {
    return RESPONSE + hex;
  }

  String message(int output) {
    return "msg_" + hex + "_" + output;
  }

  String reasoning(int output) {
    return "rs_" + hex + "_" + output;
  }

  String functionCall(int output) {
    return "fc_" + hex + "_" + output;
  }

  /** The id that connects a call with its output. */
  String call(int output) {
    return "call_" + hex + "_" + output;
  }

  /**
   * The id of an item of the input that has none.
   *
   * @param prefix of its type: {@code msg}, {@code fc}, {@code fco} or {@code rs}
   * @param input its position in the request's input
   */
  public String inputItem(String prefix, int input) {
    return prefix + "_" + hex + "_i" + input;
  }
}
