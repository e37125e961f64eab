package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.CodePointSet;
import dev.millrace.engine.internal.grammar.GrammarRules;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Item;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
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

  /** A grammar in which every rule can be completed; several are tried. */
  Grammar grammar() {
    while (true) {
      int count = 1 + random.nextInt(4);
      Map<String, RuleExpression> rules = new LinkedHashMap<>();
      for (int i = 0; i < count; i++) {
        rules.put(i == 0 ? "root" : "r" + i, expr(3, count));
      }
      try {
        for (String rule : rules.keySet()) {
          new Grammar(new GrammarRules(rule, rules, new CompileBudget()));
        }
        return new Grammar(new GrammarRules("root", rules, new CompileBudget()));
      } catch (GrammarException refused) {
        // left-recursive, or a rule never ends: try another one
      }
    }
  }

  private RuleExpression expr(int depth, int rules) {
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

  private RuleExpression repeat(int depth, int rules) {
    int min = random.nextInt(3);
    int max = random.nextBoolean() ? RuleExpression.UNBOUNDED : min + random.nextInt(5);
    return new Repeat(expr(depth - 1, rules), min, max);
  }

  private RuleExpression list(int depth, int rules) {
    List<Item> items = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      RuleExpression item = new Seq(List.of(new Text(letter()), expr(depth - 1, rules)));
      items.add(new Item(item, random.nextInt(3) > 0));
    }
    return new SeparatedItems(items, new Text(letter()));
  }

  private List<RuleExpression> several(int count, int depth, int rules) {
    List<RuleExpression> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(expr(depth - 1, rules));
    }
    return parts;
  }

  private CodePointSet set() {
    CodePointSet set = CodePointSet.of(letter()).or(CodePointSet.of(letter()));
    return switch (random.nextInt(4)) {
      case 0 -> set.not();
      case 1 -> CodePointSet.range('a', 0x400 + random.nextInt(0x11000));
      default -> set;
    };
  }

  private String letter() {
    return LETTERS[random.nextInt(LETTERS.length)];
  }

  /** Tokens cut from random texts at any byte; sometimes all single bytes too. */
  TestVocabulary vocabulary() {
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
      tokens.addAll(TestVocabulary.bytesAnd().texts());
    }
    return new TestVocabulary(tokens);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }
}
