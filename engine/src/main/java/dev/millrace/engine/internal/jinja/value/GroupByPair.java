package dev.millrace.engine.internal.jinja.value;

import java.util.List;

/**
 * One group of {@code groupby}: a pair whose parts also have the names {@code grouper} and {@code
 * list}.
 */
public final class GroupByPair extends Tuple {
  public GroupByPair(Object grouper, List<Object> list) {
    super(List.of(grouper, list));
  }
}
