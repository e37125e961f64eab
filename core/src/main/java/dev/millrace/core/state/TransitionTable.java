package dev.millrace.core.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The transitions of one kind of entity, as data. Nothing else decides whether a state may change:
 * stores ask {@link #sources}, rules ask {@link #next}, documents draw {@link #toMermaid}.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class TransitionTable<S extends Enum<S>, E extends Enum<E>> {

  /** One row of the table: in any state of {@code from}, {@code event} leads to {@code to}. */
  public record Row<S extends Enum<S>, E extends Enum<E>>(
      E event, Set<Actor> by, Set<S> from, S to, String when) {}

  private final String entity;
  private final Class<S> states;
  private final Class<E> events;
  private final List<Row<S, E>> rows;
  private final Map<S, Map<E, S>> moves;

  private TransitionTable(String entity, Class<S> states, Class<E> events, List<Row<S, E>> rows) {
    this.entity = entity;
    this.states = states;
    this.events = events;
    this.rows = List.copyOf(rows);
    this.moves = new EnumMap<>(states);
    for (S state : states.getEnumConstants()) {
      moves.put(state, new EnumMap<>(events));
    }
    for (Row<S, E> row : rows) {
      for (S from : row.from()) {
        if (moves.get(from).put(row.event(), row.to()) != null) {
          throw new IllegalArgumentException(
              entity + ": two rows for " + row.event() + " from " + from);
        }
      }
    }
  }

  /**
   * Parses a table, one row per line: {@code event | by | from, from … | to | when}, where
   * {@code by} has the first letter of each {@link Actor}. The first state is the initial one.
   */
  public static <S extends Enum<S>, E extends Enum<E>> TransitionTable<S, E> of(
      String entity, Class<S> states, Class<E> events, String table) {
    List<Row<S, E>> rows = new ArrayList<>();
    for (String line : table.split("\n")) {
      String[] cells = line.split("\\|", -1);
      if (cells.length != 5) {
        throw new IllegalArgumentException(entity + ": five cells in a row, not: " + line);
      }
      Set<S> from = EnumSet.noneOf(states);
      for (String state : cells[2].split(",")) {
        from.add(Enum.valueOf(states, state.strip()));
      }
      rows.add(
          new Row<>(
              Enum.valueOf(events, cells[0].strip()),
              actors(entity, cells[1]),
              Collections.unmodifiableSet(from),
              Enum.valueOf(states, cells[3].strip()),
              cells[4].strip()));
    }
    return new TransitionTable<>(entity, states, events, rows);
  }

  private static Set<Actor> actors(String entity, String letters) {
    Set<Actor> actors = EnumSet.noneOf(Actor.class);
    for (String letter : letters.split(",")) {
      actors.add(
          switch (letter.strip()) {
            case "U" -> Actor.USER;
            case "W" -> Actor.WORKER;
            case "S" -> Actor.SYSTEM;
            default ->
                throw new IllegalArgumentException(entity + ": no actor has the letter " + letter);
          });
    }
    return Collections.unmodifiableSet(actors);
  }

  public String entity() {
    return entity;
  }

  public List<Row<S, E>> rows() {
    return rows;
  }

  public List<S> states() {
    return List.of(states.getEnumConstants());
  }

  public List<E> events() {
    return List.of(events.getEnumConstants());
  }

  /** Where {@code event} leads from {@code state}; empty if the table has no such row. */
  public Optional<S> next(S state, E event) {
    return Optional.ofNullable(moves.get(state).get(event));
  }

  /** As {@link #next}, for callers that already checked that it is legal. */
  public S move(S state, E event) {
    S to = moves.get(state).get(event);
    if (to == null) {
      throw new IllegalTransitionException(refusal(state, event));
    }
    return to;
  }

  /** The states from which {@code event} is legal. */
  public Set<S> sources(E event) {
    Set<S> sources = EnumSet.noneOf(states);
    moves.forEach(
        (from, row) -> {
          if (row.containsKey(event)) {
            sources.add(from);
          }
        });
    return sources;
  }

  /** The events that are legal in {@code state}. */
  public Set<E> legal(S state) {
    Set<E> legal = EnumSet.noneOf(events);
    legal.addAll(moves.get(state).keySet());
    return legal;
  }

  /** Whether no transition leaves the state. */
  public boolean isFinal(S state) {
    return moves.get(state).isEmpty();
  }

  /** The message for an illegal transition: entity, state, event and the legal events. */
  public String refusal(S state, E event) {
    return entity
        + ": cannot "
        + event
        + " from "
        + state
        + "; legal: "
        + (isFinal(state) ? "nothing, " + state + " is final" : legal(state));
  }

  /** A Mermaid state diagram of the table, the same text every time. */
  public String toMermaid() {
    StringBuilder out =
        new StringBuilder("stateDiagram-v2\n    [*] --> ")
            .append(states.getEnumConstants()[0])
            .append('\n');
    for (Row<S, E> row : rows) {
      for (S from : row.from()) {
        out.append("    ")
            .append(from)
            .append(" --> ")
            .append(row.to())
            .append(" : ")
            .append(row.event().name().toLowerCase(java.util.Locale.ROOT))
            .append(" (")
            .append(letters(row.by()))
            .append(")\n");
      }
    }
    for (S state : states.getEnumConstants()) {
      if (isFinal(state)) {
        out.append("    ").append(state).append(" --> [*]\n");
      }
    }
    return out.toString();
  }

  /** The table as a Markdown table, with who may trigger each event. */
  public String toMarkdown() {
    StringBuilder out =
        new StringBuilder("| event | by | from | to | when |\n|---|---|---|---|---|\n");
    for (Row<S, E> row : rows) {
      out.append("| ")
          .append(row.event())
          .append(" | ")
          .append(letters(row.by()))
          .append(" | ")
          .append(String.join(", ", row.from().stream().map(Enum::name).toList()))
          .append(" | ")
          .append(row.to())
          .append(" | ")
          .append(row.when())
          .append(" |\n");
    }
    return out.toString();
  }

  private static String letters(Set<Actor> by) {
    return String.join(", ", by.stream().sorted().map(a -> a.name().substring(0, 1)).toList());
  }
}
