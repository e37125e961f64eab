package dev.millrace.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Rows in aligned columns under their headings. */
public final class TextTable {
  /** The columns between two columns. */
  public static final int GAP = 2;

  /** A coloured word in a column. */
  public record Cell(String text, Colour colour) {
    static Cell of(Object text) {
      return new Cell(String.valueOf(text), Colour.NONE);
    }

    int width() {
      return text.codePointCount(0, text.length());
    }
  }

  private final List<List<Cell>> rows = new ArrayList<>();
  private final int[] widths;
  private final boolean[] right;

  /** A column whose heading starts with {@code >} is aligned to the right. */
  public TextTable(String... columns) {
    widths = new int[columns.length];
    right = new boolean[columns.length];
    List<Cell> headings = new ArrayList<>();
    for (int i = 0; i < columns.length; i++) {
      right[i] = columns[i].startsWith(">");
      headings.add(new Cell(right[i] ? columns[i].substring(1) : columns[i], Colour.BOLD));
    }
    add(headings);
  }

  /** Adds a row of texts and {@link Cell}s. */
  public void row(Object... cells) {
    List<Cell> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cell instanceof Cell ready ? ready : Cell.of(cell));
    }
    add(row);
  }

  private void add(List<Cell> row) {
    for (int i = 0; i < row.size(); i++) {
      widths[i] = Math.max(widths[i], row.get(i).width());
    }
    rows.add(row);
  }

  public String text(boolean colourful) {
    StringBuilder out = new StringBuilder();
    for (List<Cell> row : rows) {
      int last = row.size() - 1;
      for (int i = 0; i <= last; i++) {
        Cell cell = row.get(i);
        int gap = widths[i] - cell.width();
        out.repeat(' ', right[i] ? gap : 0);
        out.append(colourful ? cell.colour().of(cell.text()) : cell.text());
        out.repeat(' ', (right[i] || i == last ? 0 : gap) + (i == last ? 0 : GAP));
      }
      out.append('\n');
    }
    return out.toString();
  }
}
