package dev.millrace.http.openai.response.request;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out the oldest items of an input that is too long. It keeps what system and developer say
 * and everything from the last user's message on; with a call, it leaves out the call's output.
 */
public final class InputTruncation {
  private static final Set<String> KEPT_ROLES = Set.of("system", "developer");

  private InputTruncation() {}

  /**
   * As few items left out as needed; if even the shortest does not fit, that one.
   *
   * @param fits whether an input is short enough
   */
  public static List<Map<String, @Nullable Object>> shorten(
      List<Map<String, @Nullable Object>> items,
      Predicate<List<Map<String, @Nullable Object>>> fits) {
    int fewest = 0; // so many are not enough, less 1
    int most = droppable(items).size();
    while (fewest < most) {
      int middle = (fewest + most) / 2;
      if (fits.test(without(items, middle))) {
        most = middle;
      } else {
        fewest = middle + 1;
      }
    }
    return without(items, most);
  }

  /** The positions of items that may be left out, oldest first. */
  private static List<Integer> droppable(List<Map<String, @Nullable Object>> items) {
    int end = items.size() - 1;
    while (end > 0 && !"user".equals(items.get(end).get("role"))) {
      end--;
    }
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < end; i++) {
      if (!KEPT_ROLES.contains(String.valueOf(items.get(i).get("role")))) {
        positions.add(i);
      }
    }
    return positions;
  }

  private static List<Map<String, @Nullable Object>> without(
      List<Map<String, @Nullable Object>> items, int count) {
    Set<Integer> left = new HashSet<>(droppable(items).subList(0, count));
    Set<Object> calls = new HashSet<>();
    List<Map<String, @Nullable Object>> kept = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      Map<String, @Nullable Object> item = items.get(i);
      Object call = item.get("call_id");
      boolean orphan = "function_call_output".equals(item.get("type")) && !calls.contains(call);
      if (!left.contains(i) && !orphan) {
        kept.add(item);
        if (call != null) {
          calls.add(call);
        }
      }
    }
    return kept;
  }
}
