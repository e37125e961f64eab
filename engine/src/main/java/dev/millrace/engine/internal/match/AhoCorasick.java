package dev.millrace.engine.internal.match;

import java.util.Arrays;
import java.util.List;

/**
 * Finds texts in characters that arrive one by one, by the algorithm of Aho and Corasick: the time
 * for a character does not depend on the number of texts. A state is the longest beginning of a text
 * that the characters so far end with; it is 0 at first. Immutable.
 */
public final class AhoCorasick {
  private final List<String> texts;
  private final char[] labels; // (state) -> the character that leads to it
  private final int[] depths; // (state) -> the characters that match
  private final int[] children; // (state) -> its first child; those of a state follow each other
  private final int[] fallbacks; // (state) -> the next shorter beginning of a text
  private final int[] found; // (state) -> the longest text that ends here, or -1
  private int states = 1;

  /** @param texts none of them empty */
  public AhoCorasick(List<String> texts) {
    this.texts = List.copyOf(texts);
    int most = 1 + this.texts.stream().mapToInt(String::length).sum();
    labels = new char[most];
    depths = new int[most];
    children = new int[most + 1];
    fallbacks = new int[most];
    found = new int[most];
    Arrays.fill(found, -1);
    Integer[] sorted = new Integer[texts.size()];
    Arrays.setAll(sorted, i -> i);
    Arrays.sort(sorted, (i, j) -> this.texts.get(i).compareTo(this.texts.get(j)));
    grow(sorted);
    for (int state = 0; state < states; state++) {
      for (int child = children[state]; child < children[state + 1]; child++) {
        int fallback = state == 0 ? 0 : next(fallbacks[state], labels[child]);
        fallbacks[child] = fallback;
        found[child] = found[child] < 0 ? found[fallback] : found[child];
      }
    }
  }

  /** Makes the states level by level: the sorted texts that share a beginning follow each other. */
  private void grow(Integer[] sorted) {
    int[] first = new int[labels.length]; // (state) -> the first of its texts
    int[] end = new int[labels.length];
    end[0] = sorted.length;
    for (int state = 0; state < states; state++) {
      children[state] = states;
      int depth = depths[state];
      for (int i = first[state]; i < end[state]; i++) {
        String text = texts.get(sorted[i]);
        if (text.length() == depth) {
          found[state] = sorted[i];
          continue;
        }
        boolean known = states > children[state] && labels[states - 1] == text.charAt(depth);
        if (!known) {
          labels[states] = text.charAt(depth);
          depths[states] = depth + 1;
          first[states] = i;
          states++;
        }
        end[states - 1] = i + 1;
      }
    }
    children[states] = states;
  }

  /** The state after one more character. */
  public int next(int state, char c) {
    int at = state;
    int child = child(at, c);
    while (child < 0 && at > 0) {
      at = fallbacks[at];
      child = child(at, c);
    }
    return Math.max(0, child);
  }

  private int child(int state, char c) {
    int at = Arrays.binarySearch(labels, children[state], children[state + 1], c);
    return at < 0 ? -1 : at;
  }

  /** How many of the last characters may be the beginning of a text. */
  public int matched(int state) {
    return depths[state];
  }

  /** The index of the longest text that ends here; -1 if none does. */
  public int longest(int state) {
    return found[state];
  }

  /** The next shorter text that ends where this one does; -1 if there is none. */
  public int nextShorter(int text) {
    return found[fallbacks[state(texts.get(text))]];
  }

  private int state(String text) {
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      state = child(state, text.charAt(i));
    }
    return state;
  }
}
