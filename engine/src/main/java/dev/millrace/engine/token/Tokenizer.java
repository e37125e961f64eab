package dev.millrace.engine.token;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.token.SpecialTokenFinder;
import dev.millrace.engine.internal.token.SpecialTokenIds;
import dev.millrace.engine.internal.token.TextEncoder;
import dev.millrace.engine.internal.token.TokenKind;
import dev.millrace.engine.internal.token.TokenizerParts;
import dev.millrace.engine.internal.token.TokenizerReader;
import dev.millrace.engine.internal.token.VocabularyTable;
import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Collection;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tokenizer of a model: text to token ids and back, with the same ids as llama.cpp. Immutable;
 * any thread may use it.
 *
 * <p>Text is taken as bytes. Bytes that are not UTF-8 are accepted: SentencePiece vocabularies have
 * a token for each byte; for the others each such byte counts as U+FFFD.
 */
public final class Tokenizer implements Vocabulary {
  /** The longest text, in bytes: tokenizing takes about ten times its length in memory. */
  public static final int LONGEST_TEXT = 1 << 27;

  private static final byte[] NOTHING = {};
  private static final Pattern BRACKETS = Pattern.compile("[<\\[].*[>\\]]", Pattern.DOTALL);
  private static final Pattern MARKER = Pattern.compile("[<\\[][|\uFF5C]");

  private final VocabularyTable tokens;
  private final SpecialTokenIds named;
  private final SpecialTokenFinder specials;
  private final TextEncoder encoder;
  private final TokenizerParts.Frame frame;
  private final byte[] @Nullable [] pieces; // filled on first use

  private Tokenizer(TokenizerParts parts) {
    this.tokens = parts.tokens();
    this.named = parts.named();
    this.specials = parts.specials();
    this.encoder = parts.encoder();
    this.frame = parts.frame();
    this.pieces = new byte[tokens.size()][];
  }

  /**
   * Reads the tokenizer that a file's metadata describes.
   *
   * @throws EngineException if there is none, or its kind is not supported
   */
  public static Tokenizer of(GgufMetadata metadata) {
    return new Tokenizer(new TokenizerReader(metadata).read());
  }

  /** The tokens of a text. See {@link #encode(byte[], boolean, boolean)}. */
  public int[] encode(String text, boolean addSpecial, boolean parseSpecial) {
    return encode(text.getBytes(StandardCharsets.UTF_8), addSpecial, parseSpecial);
  }

  /**
   * The tokens of a text.
   *
   * @param addSpecial whether to add what the model expects around a text: BOS, EOS, [CLS], [SEP]
   * @param parseSpecial whether control tokens that the text names, such as {@code <|eot_id|>},
   *     become those tokens; if not, they are plain text. Never set it for untrusted text.
   * @throws EngineException if the text is longer than {@link #LONGEST_TEXT}
   */
  public int[] encode(byte[] text, boolean addSpecial, boolean parseSpecial) {
    return encode(
        text,
        addSpecial,
        parseSpecial
            ? (_, _, _) -> true
            : (token, _, _) -> !tokens.hasKind(token, TokenKind.HIDDEN));
  }

  /**
   * The tokens of a prompt. Markers are found only where the template wrote all of their
   * characters; in a message they are plain text. Nothing is added around the prompt.
   *
   * @param markers see {@link #markers}
   * @throws EngineException if the text is longer than {@link #LONGEST_TEXT}
   */
  public int[] encode(PromptText prompt, BitSet markers) {
    byte[] text = prompt.text().getBytes(StandardCharsets.UTF_8);
    BitSet fromMessages = prompt.messageBytes();
    return encode(
        text,
        false,
        (token, from, to) -> {
          int at = fromMessages.nextSetBit(from);
          return at < 0 || at >= to || !markers.get(token);
        });
  }

  private int[] encode(byte[] text, boolean addSpecial, SpecialTokenFinder.MatchRule rule) {
    if (text.length > LONGEST_TEXT) {
      throw new EngineException(
          "a text of more than " + LONGEST_TEXT + " bytes cannot be tokenized at once");
    }
    IntList out = new IntList();
    if (addSpecial && frame.before() >= 0) {
      out.add(frame.before());
    }
    boolean first = true;
    for (SpecialTokenFinder.Part part : specials.split(text, rule)) {
      if (part.token() >= 0) {
        out.add(part.token());
      } else {
        encoder.encode(text, part.from(), part.to(), first, out);
      }
      first = part.token() >= 0;
    }
    if (addSpecial && frame.after() >= 0) {
      out.add(frame.after());
    }
    return out.toArray();
  }

  /**
   * The tokens that mark the parts of a conversation: all control tokens, and of the tokens that
   * the model defines as text those in brackets that a template mentions, or whose brackets are of
   * the form {@code <|} or {@code [|}. The others are words like any other, such as the tags of
   * HTML that some vocabularies have.
   *
   * @param templates the sources of the chat templates
   */
  public BitSet markers(Collection<String> templates) {
    BitSet markers = new BitSet(tokens.size());
    for (int token = 0; token < tokens.size(); token++) {
      String text = tokens.text(token);
      boolean marker =
          tokens.hasKind(token, TokenKind.HIDDEN)
              || (tokens.hasKind(token, TokenKind.USER_DEFINED)
                  && BRACKETS.matcher(text).matches()
                  && (MARKER.matcher(text).lookingAt()
                      || templates.stream().anyMatch(source -> source.contains(text))));
      markers.set(token, marker);
    }
    return markers;
  }

  /** Decodes tokens that start a text, without control tokens. */
  public String decode(int[] ids) {
    TokenDecoder decoder = decoder().fromStart();
    StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(decoder.next(id));
    }
    return text.append(decoder.end()).toString();
  }

  /** A decoder for tokens that continue a text, as generated tokens do. */
  public TokenDecoder decoder() {
    return new TokenDecoder(this);
  }

  @Override
  public int size() {
    return tokens.size();
  }

  /** The array is shared: do not write to it. */
  @Override
  public byte[] bytes(int token) {
    return isControl(token) ? NOTHING : piece(token);
  }

  /** The array is shared: do not write to it. */
  @Override
  public byte[] shownBytes(int token) {
    return piece(token);
  }

  private byte[] piece(int token) {
    byte[] piece = pieces[token];
    if (piece == null) {
      piece = newPiece(token); // a race makes it twice, which does no harm
      pieces[token] = piece;
    }
    return piece;
  }

  private byte[] newPiece(int token) {
    String text = tokens.text(token);
    if (tokens.hasKind(token, TokenKind.SPECIAL)) {
      return LenientUtf8.bytes(text);
    } else if (tokens.hasKind(token, TokenKind.NORMAL)) {
      return encoder.decodePiece(text);
    } else if (tokens.hasKind(token, TokenKind.BYTE) && text.matches("<0x[0-9A-Fa-f]{2}>")) {
      return new byte[] {(byte) Integer.parseInt(text, 3, 5, 16)};
    }
    return NOTHING;
  }

  /** True also for unknown and unused tokens: they have no text either. */
  @Override
  public boolean isControl(int token) {
    int textual = TokenKind.NORMAL | TokenKind.USER_DEFINED | TokenKind.BYTE;
    return tokens.hasKind(token, TokenKind.HIDDEN) || !tokens.hasKind(token, textual);
  }

  @Override
  public boolean isEnd(int token) {
    return named.isEnd(token);
  }

  /** All tokens that end a generation. */
  public BitSet ends() {
    return named.ends();
  }

  /** The token's text as the file writes it, such as {@code <|eot_id|>} or {@code \u2581the}. */
  public String text(int token) {
    return tokens.text(token);
  }

  /** The token with exactly this text in the file. */
  public OptionalInt id(String text) {
    return optional(tokens.find(text));
  }

  public OptionalInt bos() {
    return optional(named.bos);
  }

  public OptionalInt eos() {
    return optional(named.eos);
  }

  /** The end of a turn in a conversation. */
  public OptionalInt eot() {
    return optional(named.eot);
  }

  public OptionalInt pad() {
    return optional(named.pad);
  }

  public OptionalInt unk() {
    return optional(named.unk);
  }

  /** Whether {@link #encode} with {@code addSpecial} starts a text with BOS (or [CLS]). */
  public boolean addsBos() {
    return frame.before() >= 0;
  }

  boolean leadingSpace() {
    return frame.leadingSpace();
  }

  private static OptionalInt optional(int id) {
    return id < 0 ? OptionalInt.empty() : OptionalInt.of(id);
  }
}
