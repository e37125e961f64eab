package dev.millrace.cluster.query;

import dev.millrace.cluster.LayerRange;
import java.util.Arrays;
import java.util.List;

/**
 * Draws a pipe as one line of text: {@code |==|====~~XX|}. If there are fewer signs than layers, a
 * sign stands for several layers and shows the worst of them.
 */
public final class PipePicture {
  private static final char LOADED = '=';
  private static final char COMING = '~';
  private static final char MISSING = 'X';

  private PipePicture() {}

  /**
   * One sign for a layer: = loaded, ~ coming, X missing; a bar where another range begins.
   *
   * @param loaded in order, one after the other, as a pipe goes through them
   * @param width how many signs for layers at most, bars not counted
   */
  public static String of(int layers, List<LayerRange> loaded, List<LayerRange> coming, int width) {
    char[] signs = new char[layers];
    Arrays.fill(signs, MISSING);
    coming.forEach(range -> paint(signs, range, COMING));
    loaded.forEach(range -> paint(signs, range, LOADED));
    int cells = Math.min(layers, Math.max(1, width));
    boolean[] bars = new boolean[cells];
    for (LayerRange range : loaded) {
      if (range.from() < layers) {
        bars[cell(range.from(), cells, layers)] = true;
      }
    }
    StringBuilder picture = new StringBuilder("|");
    for (int cell = 0; cell < cells; cell++) {
      boolean between = cell > 0 && bars[cell] && picture.charAt(picture.length() - 1) == LOADED;
      picture.append(between ? "|" : "").append(worst(signs, cell, cells));
    }
    return picture.append('|').toString();
  }

  private static void paint(char[] signs, LayerRange range, char sign) {
    int to = Math.min(range.to(), signs.length);
    Arrays.fill(signs, Math.min(range.from(), to), to, sign);
  }

  private static int cell(int layer, int cells, int layers) {
    return (int) ((long) layer * cells / layers);
  }

  private static char worst(char[] signs, int cell, int cells) {
    char worst = LOADED;
    for (int layer = 0; layer < signs.length; layer++) {
      if (cell(layer, cells, signs.length) == cell && signs[layer] != LOADED) {
        worst = worst == MISSING ? MISSING : signs[layer];
      }
    }
    return worst;
  }
}
