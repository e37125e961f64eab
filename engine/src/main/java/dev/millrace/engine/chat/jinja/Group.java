package dev.millrace.engine.chat.jinja;

import java.util.List;

/**
 * One group of {@code groupby}: a pair whose parts also have the names {@code grouper} and {@code
 * list}.
 */
final class Group extends Tuple {
  Group(Object grouper, List<Object> list) {
    super(List.of(grouper, list));
  }
}
