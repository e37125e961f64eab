package dev.millrace.engine.grammar;

import dev.millrace.engine.grammar.Expr.Alt;
import dev.millrace.engine.grammar.Expr.Chars;
import dev.millrace.engine.grammar.Expr.Item;
import dev.millrace.engine.grammar.Expr.Listed;
import dev.millrace.engine.grammar.Expr.Ref;
import dev.millrace.engine.grammar.Expr.Repeat;
import dev.millrace.engine.grammar.Expr.Seq;
import dev.millrace.engine.grammar.Expr.Text;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Small grammars, ambiguous and recursive ones among them, and vocabularies that overlap their
 * texts.
 */
final class RandomGrammars {
  private static final String[] LETTERS = {"a", "b", "c", "é", "ü", "愛", "😀", "😁", "\"", "ab"};

  private final SplittableRandom random;

  RandomGrammars(long seed) {
    random = new SplittableRandom(seed);
  }

  /** A grammar of which every rule can be completed; several are tried. */
  Grammar grammar() {
    while (true) {
      int count = 1 + random.nextInt(4);
      Map<String, Expr> rules = new LinkedHashMap<>();
      for (int i = 0; i < count; i++) {
        rules.put(i == 0 ? "root" : "r" + i, expr(3, count));
      }
      try {
        for (String rule : rules.keySet()) {
          new Grammar(rule, rules);
        }
        return new Grammar("root", rules);
      } catch (GrammarException refused) {
        // left-recursive, or a rule never ends: another one
      }
    }
  }

  private Expr expr(int depth, int rules) {
    int kind = random.nextInt(depth == 0 ? 4 : 10);
    return switch (kind) {
      case 0 -> new Text(letter() + (random.nextBoolean() ? letter() : ""));
      case 1 -> new Chars(set());
      case 2 -> new Text(letter());
      case 3 ->
          new Ref(
              rules == 1 || random.nextInt(3) == 0
                  ? "root"
                  : "r" + (1 + random.nextInt(rules - 1)));
      case 4, 5, 6 -> new Seq(several(random.nextInt(4), depth, rules));
      case 7, 8 -> new Alt(several(1 + random.nextInt(3), depth, rules));
      default -> random.nextInt(4) == 0 ? list(depth, rules) : repeat(depth, rules);
    };
  }

  private Expr repeat(int depth, int rules) {
    int min = random.nextInt(3);
    int max = random.nextBoolean() ? Expr.UNBOUNDED : min + random.nextInt(5);
    return new Repeat(expr(depth - 1, rules), min, max);
  }

  private Expr list(int depth, int rules) {
    List<Item> items = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      Expr item = new Seq(List.of(new Text(letter()), expr(depth - 1, rules)));
      items.add(new Item(item, random.nextInt(3) > 0));
    }
    return new Listed(items, new Text(letter()));
  }

  private List<Expr> several(int count, int depth, int rules) {
    List<Expr> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(expr(depth - 1, rules));
    }
    return parts;
  }

  private CodePoints set() {
    CodePoints set = CodePoints.of(letter()).or(CodePoints.of(letter()));
    return switch (random.nextInt(4)) {
      case 0 -> set.not();
      case 1 -> CodePoints.range('a', 0x400 + random.nextInt(0x11000));
      default -> set;
    };
  }

  private String letter() {
    return LETTERS[random.nextInt(LETTERS.length)];
  }

  /** Tokens cut from random texts at any byte; sometimes all single bytes too. */
  Words vocabulary() {
    List<byte[]> tokens = new ArrayList<>();
    for (int i = 10 + random.nextInt(60); i > 0; i--) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      for (int n = random.nextInt(5); n >= 0; n--) {
        text.writeBytes(letter().getBytes(StandardCharsets.UTF_8));
      }
      byte[] bytes = text.toByteArray();
      int from = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : 0;
      tokens.add(
          java.util.Arrays.copyOfRange(
              bytes, from, from + random.nextInt(bytes.length - from + 1)));
    }
    if (random.nextInt(3) > 0) {
      tokens.addAll(Words.bytesAnd().texts());
    }
    return new Words(tokens);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }
}
