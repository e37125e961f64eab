package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.token.Vocabulary;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The texts of a vocabulary's tokens as a trie of bytes, with its nodes in depth-first order.
 * Control tokens that are not shown, end tokens and tokens without bytes are not in it. Made once
 * for a model and a set of shown tokens, and shared by all constraints with these. Immutable.
 */
public final class VocabularyTrie {
  private final int vocabulary;
  private final Set<Integer> shown;
  private final int[] endTokens;
  private final byte[][] texts; // (token) -> bytes; none where the token is not in the tree
  private final BitSet bytes = new BitSet(256);
  private final int[] sameText; // (token) -> another token with the same bytes, or -1
  private int nodes = 1;
  private byte[] labels = new byte[1024]; // (node) -> the byte that leads to it
  private int[] depths = new int[1024];
  private int[] ends = new int[1024]; // (node) -> the first node that is not below it
  private int[] tokens = new int[1024]; // (node) -> a token that ends here, or -1
  private int maxDepth;

  public VocabularyTrie(Vocabulary source) {
    this(source, Set.of());
  }

  /** @param shownTokens control tokens that have a text all the same */
  public VocabularyTrie(Vocabulary source, Set<Integer> shownTokens) {
    vocabulary = source.size();
    shown = Set.copyOf(shownTokens);
    endTokens = IntStream.range(0, vocabulary).filter(source::isEnd).toArray();
    texts = new byte[vocabulary][];
    sameText = new int[vocabulary];
    Arrays.fill(sameText, -1);
    for (int token = 0; token < vocabulary; token++) {
      texts[token] = text(source, token);
    }
    int[] sorted =
        IntStream.range(0, vocabulary)
            .filter(token -> texts[token].length > 0)
            .boxed()
            .sorted(
                Comparator.<Integer, byte[]>comparing(
                        token -> texts[token], Arrays::compareUnsigned)
                    .thenComparing(Comparator.naturalOrder()))
            .mapToInt(Integer::intValue)
            .toArray();
    tokens[0] = -1;
    build(sorted);
  }

  private byte[] text(Vocabulary source, int token) {
    if (source.isEnd(token)) {
      return new byte[0];
    } else if (source.isControl(token)) {
      return shown.contains(token) ? source.shownBytes(token) : new byte[0];
    }
    return source.bytes(token);
  }

  private void build(int[] sorted) {
    int longest = IntStream.of(sorted).map(token -> texts[token].length).max().orElse(0);
    int[] path = new int[longest + 1]; // (depth) -> open node
    int open = 0;
    byte[] before = {};
    for (int token : sorted) {
      byte[] text = texts[token];
      int shared = Arrays.mismatch(before, text);
      shared = shared < 0 ? text.length : shared;
      for (; open > shared; open--) {
        ends[path[open]] = nodes;
      }
      for (; open < text.length; open++) {
        path[open + 1] = node(text[open], open + 1);
      }
      sameText[token] = tokens[path[open]];
      tokens[path[open]] = token;
      before = text;
    }
    for (; open >= 0; open--) {
      ends[path[open]] = nodes;
    }
    maxDepth = longest;
  }

  private int node(byte label, int depth) {
    if (nodes == labels.length) {
      labels = Arrays.copyOf(labels, 2 * nodes);
      depths = Arrays.copyOf(depths, 2 * nodes);
      ends = Arrays.copyOf(ends, 2 * nodes);
      tokens = Arrays.copyOf(tokens, 2 * nodes);
    }
    labels[nodes] = label;
    depths[nodes] = depth;
    tokens[nodes] = -1;
    bytes.set(label & 0xff);
    return nodes++;
  }

  int vocabulary() {
    return vocabulary;
  }

  int[] endTokens() {
    return endTokens;
  }

  public Set<Integer> shownTokens() {
    return shown;
  }

  public boolean isEnd(int token) {
    return Arrays.binarySearch(endTokens, token) >= 0;
  }

  /** The bytes of a token; empty for one that a grammar never allows. */
  public byte[] text(int token) {
    return texts[token];
  }

  /** The bytes that occur in some token. */
  public BitSet bytes() {
    return bytes;
  }

  public int nodes() {
    return nodes;
  }

  int maxDepth() {
    return maxDepth;
  }

  int label(int node) {
    return labels[node] & 0xff;
  }

  int depth(int node) {
    return depths[node];
  }

  /**
   * The first node that is not below this one; the node after this one is its first child if it has
   * any.
   */
  int end(int node) {
    return ends[node];
  }

  /** A token that ends at the node, or -1. */
  int token(int node) {
    return tokens[node];
  }

  /** Another token with the bytes of this one, or -1. */
  int sameText(int token) {
    return sameText[token];
  }
}
