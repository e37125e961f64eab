package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Finds special tokens in a text. Longer tokens are found before shorter ones wherever they are,
 * then the leftmost first. This is llama.cpp's order; a single pass over the text would find others
 * where two overlap.
 */
public final class SpecialTokenFinder {

  /** A part of a text: a token, or the range of plain text if the token is -1. */
  public record Part(int token, int from, int to) {}

  /** The white space around a token that belongs to it. */
  enum StripSide {
    NONE,
    LEFT,
    RIGHT
  }

  /** Returns the white space that a special token strips. */
  @FunctionalInterface
  interface StripRule {
    StripSide of(int token);
  }

  /** Decides whether the text of a token, in this range of bytes, is that token. */
  @FunctionalInterface
  public interface MatchRule {
    boolean allows(int token, int from, int to);
  }

  private record Special(int token, byte[] text, StripSide strip) {}

  private final List<Special> specials = new ArrayList<>();
  private final ByteStringIndex table;
  private final BitSet starts = new BitSet(256);

  SpecialTokenFinder(VocabularyTable tokens, StripRule strips) {
    for (int token = 0; token < tokens.size(); token++) {
      if (tokens.hasKind(token, TokenKind.SPECIAL)) {
        byte[] text = LenientUtf8.bytes(tokens.text(token));
        specials.add(new Special(token, text, strips.of(token)));
        starts.set(text[0] & 0xFF);
      }
    }
    specials.sort((a, b) -> Integer.compare(b.text.length, a.text.length));
    table =
        ByteStringIndex.of(specials.stream().map(s -> tokens.text(s.token)).toArray(String[]::new));
  }

  /** The parts of a text in order. What the rule does not allow stays plain text. */
  public List<Part> split(byte[] text, MatchRule rule) {
    int[] first = new int[specials.size()];
    int[] last = new int[specials.size()];
    Arrays.fill(first, -1);
    if (!occurrences(text, first, last)) {
      return text.length == 0 ? List.of() : List.of(new Part(-1, 0, text.length));
    }
    BitSet taken = new BitSet(text.length);
    List<Part> found = new ArrayList<>();
    for (int i = 0; i < first.length; i++) {
      if (first[i] >= 0) {
        take(specials.get(i), text, first[i], last[i], rule, taken, found);
      }
    }
    return withPlain(text.length, taken, found);
  }

  /** Finds the first and the last occurrence of each special text; false if there is none. */
  private boolean occurrences(byte[] text, int[] first, int[] last) {
    boolean any = false;
    IntList here = new IntList();
    for (int at = 0; at < text.length; at++) {
      if (starts.get(text[at] & 0xFF)) {
        here.truncate(0);
        table.findPrefixes(text, at, text.length, here);
        for (int i = 0; i < here.size(); i++) {
          int index = here.get(i);
          first[index] = first[index] < 0 ? at : first[index];
          last[index] = at;
          any = true;
        }
      }
    }
    return any;
  }

  /** Takes every free occurrence of a special text, from the left. */
  private static void take(
      Special special,
      byte[] text,
      int first,
      int last,
      MatchRule rule,
      BitSet taken,
      List<Part> found) {
    int length = special.text.length;
    for (int at = first; at <= last; ) {
      if (!Arrays.equals(text, at, at + length, special.text, 0, length)
          || !rule.allows(special.token, at, at + length)) {
        at++;
        continue;
      }
      int obstacle = taken.nextSetBit(at);
      if (obstacle >= 0 && obstacle < at + length) {
        at = taken.nextClearBit(obstacle);
        continue;
      }
      int end = at + length;
      taken.set(at, end);
      found.add(new Part(special.token, at, end));
      strip(special.strip, text, at, end, taken);
      at = end;
    }
  }

  private static void strip(StripSide strip, byte[] text, int from, int to, BitSet taken) {
    if (strip == StripSide.LEFT) {
      for (int at = from - 1; at >= 0 && !taken.get(at) && isSpace(text[at]); at--) {
        taken.set(at);
      }
    } else if (strip == StripSide.RIGHT) {
      for (int at = to; at < text.length && !taken.get(at) && isSpace(text[at]); at++) {
        taken.set(at);
      }
    }
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b >= '\t' && b <= '\r';
  }

  private static List<Part> withPlain(int length, BitSet taken, List<Part> found) {
    found.sort((a, b) -> Integer.compare(a.from, b.from));
    List<Part> parts = new ArrayList<>();
    int done = 0;
    for (Part part : found) {
      plain(taken, done, part.from, parts);
      parts.add(part);
      done = part.to;
    }
    plain(taken, done, length, parts);
    return parts;
  }

  /** Plain text between two tokens is one run: white space is stripped at its ends only. */
  private static void plain(BitSet taken, int from, int to, List<Part> parts) {
    int start = taken.nextClearBit(from);
    if (start < to) {
      int end = taken.nextSetBit(start);
      parts.add(new Part(-1, start, end < 0 ? to : Math.min(end, to)));
    }
  }
}
