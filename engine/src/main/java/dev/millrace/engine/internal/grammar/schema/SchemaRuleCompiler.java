package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.GrammarRules;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a schema into grammar rules: it follows references and merges schemas; {@link
 * SchemaTypeRules} handles the types.
 */
public final class SchemaRuleCompiler {
  private static final int MAX_DEPTH = 100;
  private static final int MAX_CHOICES = 1000;
  private static final int RULE_BYTES = 256;

  private record Pending(String rule, @Nullable Object schema, String path) {}

  private final Map<String, ? extends @Nullable Object> root;
  private final Map<String, RuleExpression> rules = JsonSyntax.rules();
  private final Map<Object, Ref> rulesOf = new IdentityHashMap<>();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private final SchemaTypeRules types = new SchemaTypeRules(this);
  private final Map<String, Integer> merged = new HashMap<>(); // path -> its rules of that path
  private final CompileBudget budget;
  private int depth;

  public SchemaRuleCompiler(Map<String, ? extends @Nullable Object> root, CompileBudget budget) {
    this.root = root;
    this.budget = budget;
  }

  public GrammarRules compile() {
    return compile(rule(root, "#"));
  }

  /** Compiles what a pointer names. */
  public GrammarRules compilePart(String pointer) {
    return compile(reference(SchemaNode.of(Map.of("$ref", pointer), pointer, budget)));
  }

  private GrammarRules compile(Ref start) {
    while (!pending.isEmpty()) {
      Pending next = pending.remove();
      rules.put(next.rule, expr(next.schema, next.path));
    }
    return new GrammarRules(start.rule(), rules, budget);
  }

  /** A rule for a schema, the same for the same object; its name is the path. */
  Ref rule(@Nullable Object schema, String path) {
    Ref known = schema instanceof Map ? rulesOf.get(schema) : null;
    if (known != null) {
      return known;
    }
    Ref rule = named(path, RuleExpression.NOTHING);
    pending.add(new Pending(rule.rule(), schema, path));
    if (schema instanceof Map) {
      rulesOf.put(schema, rule);
    }
    return rule;
  }

  /** A new rule, named after the path. */
  Ref named(String path, RuleExpression expr) {
    budget.chargeBytes(RULE_BYTES + path.length());
    String name = path;
    while (rules.containsKey(name)) { // a merged schema at the place of one of its parts
      name = path + "'" + merged.merge(path, 1, Integer::sum);
    }
    rules.put(name, expr);
    if (rules.size() > GrammarRules.MAX_RULES) {
      throw new GrammarLimitException(
          "schema at %s: more than %d parts are not supported"
              .formatted(path, GrammarRules.MAX_RULES));
    }
    return new Ref(name);
  }

  /** The expression for a schema; {@link RuleExpression#NOTHING} if no value matches. */
  RuleExpression expr(@Nullable Object schema, String path) {
    if (schema instanceof Boolean any) {
      return any ? new Ref(JsonSyntax.VALUE) : RuleExpression.NOTHING;
    }
    SchemaNode node = SchemaNode.of(schema, path, budget);
    if (node.has("$ref") && node.hasOnly("$ref")) {
      return reference(node);
    }
    if (node.has("allOf") && node.hasOnly("allOf") && node.list("allOf").size() == 1) {
      return nested(() -> expr(node.list("allOf").getFirst(), path + "/allOf/0"), node);
    }
    return flat(flatten(node));
  }

  private RuleExpression flat(SchemaNode node) {
    if (node.has("anyOf") || node.has("oneOf")) {
      return choices(node);
    }
    if (node.has("const") || node.has("enum")) {
      return values(node);
    }
    return types.expr(node);
  }

  private RuleExpression nested(Supplier<RuleExpression> inner, SchemaNode node) {
    if (++depth > MAX_DEPTH) {
      throw new GrammarException(
          "schema at %s: nested more than %d deep, or a reference to itself"
              .formatted(node.path(), MAX_DEPTH));
    }
    RuleExpression expr = inner.get();
    depth--;
    return expr;
  }

  private Ref reference(SchemaNode node) {
    return rule(resolve(node), node.string("$ref"));
  }

  /** Resolves a local reference. */
  private @Nullable Object resolve(SchemaNode node) {
    String pointer = node.string("$ref");
    budget.chargeSteps(1 + pointer.length() / 4);
    if (!pointer.equals("#") && !pointer.startsWith("#/")) {
      throw node.refused(
          "$ref",
          "is %s; only references within the schema (#/...) are supported".formatted(pointer));
    }
    Object at = root;
    for (String part : pointer.equals("#") ? new String[0] : pointer.substring(2).split("/", -1)) {
      String name = part.replace("%25", "%").replace("~1", "/").replace("~0", "~");
      Object from = at;
      at =
          switch (from) {
            case Map<?, ?> map when map.containsKey(name) -> map.get(name);
            case List<?> list
                when name.matches("\\d{1,6}") && Integer.parseInt(name) < list.size() ->
                list.get(Integer.parseInt(name));
            case null, default ->
                throw node.refused(
                    "$ref", "is %s, which does not exist at '%s'".formatted(pointer, name));
          };
    }
    return at;
  }

  /** The schema with its allOf and $ref merged into it. */
  SchemaNode flatten(SchemaNode node) {
    if (!node.has("allOf") && !node.has("$ref")) {
      return node;
    }
    if (++depth > MAX_DEPTH) {
      throw new GrammarException(
          "schema at %s: references and allOf nested more than %d deep, or a reference to itself"
              .formatted(node.path(), MAX_DEPTH));
    }
    SchemaNode merged = node.without("allOf", "$ref");
    if (node.has("$ref")) {
      merged = SchemaMerger.combine(merged, flatten(part(resolve(node), node, "$ref")));
    }
    List<@Nullable Object> all = node.list("allOf");
    for (int i = 0; i < all.size(); i++) {
      merged = SchemaMerger.combine(merged, flatten(part(all.get(i), node, "allOf/" + i)));
    }
    depth--;
    return merged;
  }

  private static SchemaNode part(@Nullable Object schema, SchemaNode node, String name) {
    if (Boolean.TRUE.equals(schema)) {
      return SchemaNode.of(Map.of(), node.path() + "/" + name, node.budget());
    }
    return SchemaNode.of(schema, node.path() + "/" + name, node.budget());
  }

  private RuleExpression choices(SchemaNode node) {
    String keyword = node.has("anyOf") ? "anyOf" : "oneOf";
    if (node.has("anyOf") && node.has("oneOf")) {
      throw node.refused("oneOf", "beside anyOf is not supported");
    }
    List<@Nullable Object> options = node.list(keyword);
    if (options.isEmpty() || options.size() > MAX_CHOICES) {
      throw node.refused(
          keyword, "has %d schemas; 1 to %d are supported".formatted(options.size(), MAX_CHOICES));
    }
    SchemaNode beside = node.without(keyword);
    boolean alone = beside.hasOnly();
    if (keyword.equals("oneOf")) {
      exclude(node, beside, options);
    }
    List<RuleExpression> choices = new ArrayList<>();
    for (int i = 0; i < options.size(); i++) {
      String path = node.path() + "/" + keyword + "/" + i;
      Object option = options.get(i);
      RuleExpression choice =
          nested(() -> alone ? expr(option, path) : flat(merged(beside, option, path)), node);
      if (!choice.equals(RuleExpression.NOTHING)) {
        choices.add(choice);
      }
    }
    return choices.size() == 1 ? choices.getFirst() : new Alt(choices);
  }

  private SchemaNode merged(SchemaNode beside, @Nullable Object option, String path) {
    SchemaNode node =
        flatten(SchemaNode.of(Boolean.TRUE.equals(option) ? Map.of() : option, path, budget));
    return SchemaMerger.combine(new SchemaNode(path, beside.keywords(), budget), node);
  }

  private void exclude(SchemaNode node, SchemaNode beside, List<@Nullable Object> options) {
    List<SchemaNode> flat = new ArrayList<>();
    for (int i = 0; i < options.size(); i++) {
      flat.add(merged(beside, options.get(i), node.path() + "/oneOf/" + i));
    }
    SchemaDisjointness exclusion = new SchemaDisjointness(this);
    for (int i = 0; i < flat.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (!exclusion.areDisjoint(flat.get(j), flat.get(i))) {
          throw node.refused(
              "oneOf",
              "is supported only where its schemas exclude each other; numbers %d and %d are not seen to: use anyOf, or a required property with a const of its own in each"
                  .formatted(j, i));
        }
      }
    }
  }

  private RuleExpression values(SchemaNode node) {
    if (!node.hasOnly("const", "enum", "type")) {
      throw node.refused(
          node.has("enum") ? "enum" : "const",
          "is supported beside type only, not beside "
              + node.without("const", "enum", "type").keywords().keySet());
    }
    List<RuleExpression> choices = new ArrayList<>();
    for (Object value : SchemaDisjointness.values(node)) {
      choices.add(SchemaConstants.spelling(node, node.has("enum") ? "enum" : "const", value));
    }
    if (choices.isEmpty()) {
      throw node.refused(
          node.has("enum") ? "enum" : "const", "leaves no value that the other keywords allow");
    }
    return choices.size() == 1 ? choices.getFirst() : new Alt(choices);
  }
}
