package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Keyword by keyword: which texts are generated, and what is rejected by name. Schemas are written
 * in JSON.
 */
class SchemaKeywordsTest {
  static final VocabularyTrie BYTES = new VocabularyTrie(TestVocabulary.bytesAnd());

  @SuppressWarnings("unchecked")
  static Grammar grammar(String schema) {
    return JsonSchema.compile(
        (Map<String, Object>) StrictJsonReader.read(schema.replace('\'', '"')));
  }

  /** Whether the masks of a schema let a text pass. */
  boolean accepts(String schema, String text) {
    Constraint.State state = Constraint.compile(grammar(schema), BYTES).start();
    for (byte b : text.replace('\'', '"').getBytes(StandardCharsets.UTF_8)) {
      if (!state.accept((b & 0xff) + 2)) {
        return false;
      }
    }
    return state.mayEnd();
  }

  private void takes(String schema, String... texts) {
    for (String text : texts) {
      assertThat(accepts(schema, text)).as("%s takes %s", schema, text).isTrue();
    }
  }

  private void leaves(String schema, String... texts) {
    for (String text : texts) {
      assertThat(accepts(schema, text)).as("%s leaves %s", schema, text).isFalse();
    }
  }

  private static void refused(String schema, String message) {
    assertThatThrownBy(() -> grammar(schema))
        .as(schema)
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining(message);
  }

  @Test
  void propertiesComeInTheirOrderAndOptionalOnesMayBeMissing() {
    String schema =
        "{'type':'object','properties':{'b':{'type':'null'},'a':{'type':'null'},'c':{'type':'null'}},'required':['a']}";
    takes(
        schema,
        "{'a':null}",
        "{'b':null,'a':null}",
        "{'b': null, 'a': null, 'c': null}",
        "{'a':null,'c':null}");
    leaves(
        schema,
        "{}",
        "{'b':null}",
        "{'a':null,'b':null}",
        "{'a':null,}",
        "{ 'a':null}",
        "{'a':  null}",
        "{'a':null,'x':null}");
    takes("{'type':'object','properties':{},'additionalProperties':false}", "{}");
    takes("{'type':'object'}", "{}", "{'x':[1,{'y':null}]}");
  }

  @Test
  void additionalPropertiesNeverRepeatADescribedName() {
    String schema =
        "{'type':'object','properties':{'ab':{'type':'null'}},'additionalProperties':{'type':'boolean'}}";
    takes(
        schema,
        "{'ab':null}",
        "{'ab':null,'x':true}",
        "{'a':true,'abc':false}",
        "{'':true}",
        "{'b':true,'ac':true,'é':false}");
    leaves(schema, "{'ab':true}", "{'x':null}", "{'ab':null,'ab':true}", "{'x':true,'ab':null}");
    takes("{'required':['z'],'additionalProperties':{'const':1}}", "{'z':1}", "{'z':1,'y':1}");
    takes("{'required':['z']}", "{'z':[2]}");
    refused(
        "{'required':['z'],'additionalProperties':false}",
        "'required' names z, which additionalProperties forbids");
  }

  @Test
  void arraysHaveTheirItemsAndCounts() {
    String schema = "{'type':'array','items':{'const':1},'minItems':2,'maxItems':3}";
    takes(schema, "[1,1]", "[1, 1, 1]");
    leaves(schema, "[]", "[1]", "[1,1,1,1]", "[1,1,]");
    String tuple = "{'prefixItems':[{'const':'a'},{'const':'b'}],'items':{'const':0},'minItems':1}";
    takes(tuple, "['a']", "['a','b']", "['a','b',0,0]");
    leaves(tuple, "[]", "['b']", "['a',0]");
    takes("{'prefixItems':[{'const':1}],'items':false}", "[]", "[1]");
    takes("{'prefixItems':[{'const':1}],'minItems':2}", "[1,'any']");
    takes("{'type':'array'}", "[]", "[null,{}]");
    refused("{'prefixItems':[true],'items':false,'minItems':2}", "'minItems' is more than");
    refused("{'type':'array','minItems':3,'maxItems':2}", "'maxItems' is 2, less than minItems");
    refused("{'items':[{'type':'null'}]}", "use prefixItems");
    refused("{'type':'array','uniqueItems':true}", "'uniqueItems' is not supported unless false");
  }

  @Test
  void stringLengthsCountCharactersWithAnyEscapes() {
    String schema = "{'type':'string','minLength':2,'maxLength':3}";
    takes(schema, "'ab'", "'é愛😀'", "'\\n\\u00e9'", "'\\ud83d\\ude00x'");
    leaves(schema, "'a'", "'abcd'", "'\\ud83d\\ude00'", "'\\ud83dx'", "'a\nb'");
    takes("{'type':'string','pattern':'^a.c$'}", "'abc'", "'a愛c'");
    leaves("{'type':'string','pattern':'^a.c$'}", "'xabc'", "'a\\nc'");
    takes("{'pattern':'b+'}", "'b'", "'abbc'");
    leaves("{'pattern':'b+'}", "'ac'");
    refused("{'pattern':'a','maxLength':3}", "'pattern' beside minLength");
    refused(
        "{'type':'string','format':'uri'}",
        "'format' is uri; supported are date, date-time, email, ipv4, time, uuid");
  }

  @Test
  void formatsKnowTheCalendar() {
    String date = "{'type':'string','format':'date'}";
    takes(date, "'2024-02-29'", "'2000-02-29'", "'1999-12-31'");
    leaves(date, "'2023-02-29'", "'1900-02-29'", "'2024-04-31'", "'2024-13-01'", "'2024-1-01'");
    takes("{'format':'date-time'}", "'2024-02-29T23:59:59.5+02:00'", "'2024-01-01T00:00:00Z'");
    leaves("{'format':'time'}", "'24:00:00Z'", "'12:00:00'");
    takes("{'format':'email'}", "'a.b@example.org'");
    takes("{'format':'ipv4'}", "'255.0.10.199'");
    leaves("{'format':'ipv4'}", "'256.0.10.199'", "'01.0.0.0'");
  }

  @Test
  void valuesAreSpelledInJson() {
    String schema = "{'enum':['a\\nb',1,2.50,null,true,[1,{'k':'é'}]]}";
    takes(schema, "'a\\nb'", "1", "2.50", "null", "true", "[1, {'k':'é'}]");
    leaves(schema, "'a", "2", "[1]", "false");
    takes("{'type':['integer','null'],'enum':['x',1,null]}", "1", "null");
    leaves("{'type':['integer','null'],'enum':['x',1,null]}", "'x'");
    refused("{'type':'string','const':1}", "'const' leaves no value");
    refused("{'enum':['abc'],'minLength':2}", "'enum' is supported beside type only");
  }

  @Test
  void referencesMayBeRecursive() {
    String tree =
        "{'$ref':'#/$defs/tree','$defs':{'tree':{'type':'object','properties':{'v':{'type':'integer'},"
            + "'kids':{'type':'array','items':{'$ref':'#/$defs/tree'}}},'required':['v']}}}";
    takes(tree, "{'v':1,'kids':[{'v':2},{'v':3,'kids':[]}]}");
    leaves(tree, "{'kids':[]}");
    takes("{'type':'array','items':{'$ref':'#'}}", "[[],[[]]]");
    refused("{'$ref':'#/$defs/none'}", "'$ref' is #/$defs/none, which does not exist at '$defs'");
    refused("{'$ref':'http://example.org/s'}", "only references within the schema");
    refused("{'$ref':'#'}", "can never be completed");
    refused(
        "{'$defs':{'a':{'anyOf':[{'$ref':'#/$defs/a'},{'type':'null'}]}},'$ref':'#/$defs/a'}",
        "left recursion");
    refused(
        "{'$defs':{'a':{'allOf':[{'$ref':'#/$defs/a'},{'type':'null'}]}},'$ref':'#/$defs/a'}",
        "reference to itself");
  }

  @Test
  void allOfAndNeighboursAreMerged() {
    String schema =
        "{'allOf':[{'type':'object','properties':{'a':{'type':'number','minimum':2}},'required':['a']},"
            + "{'properties':{'a':{'type':'integer','maximum':3},'b':{'type':'null'}}}]}";
    takes(schema, "{'a':2}", "{'a':3,'b':null}");
    leaves(schema, "{'a':1}", "{'a':4}", "{'a':2.5}", "{}");
    String beside =
        "{'type':'object','properties':{'k':{'type':'null'}},'required':['k'],'anyOf':[{'required':['x']},{'properties':{'y':{'type':'null'}}}]}";
    takes(beside, "{'k':null,'x':1}", "{'k':null}", "{'k':null,'y':null}");
    takes(
        "{'$ref':'#/$defs/s','maxLength':2,'$defs':{'s':{'type':'string','minLength':1,'maxLength':9}}}",
        "'ab'");
    leaves(
        "{'$ref':'#/$defs/s','maxLength':2,'$defs':{'s':{'type':'string','minLength':1,'maxLength':9}}}",
        "'abc'",
        "''");
    refused("{'allOf':[{'type':'string'},{'type':'null'}]}", "'type' is both [string] and [null]");
    refused(
        "{'allOf':[{'pattern':'a'},{'pattern':'b'}]}",
        "'pattern' is in schemas that must hold together");
    refused(
        "{'allOf':[{'properties':{'a':true},'additionalProperties':false},{'properties':{'b':true}}]}",
        "'additionalProperties' in one of the schemas");
  }

  @Test
  void oneOfIsSupportedIfItsSchemasExcludeEachOther() {
    takes("{'oneOf':[{'type':'string'},{'type':'null'}]}", "'x'", "null");
    takes("{'oneOf':[{'const':1},{'enum':[2,3]}]}", "1", "3");
    String kinds =
        "{'oneOf':[{'type':'object','properties':{'kind':{'const':'a'},'x':{'type':'null'}},'required':['kind']},"
            + "{'type':'object','properties':{'kind':{'const':'b'}},'required':['kind']}]}";
    takes(kinds, "{'kind':'a','x':null}", "{'kind':'b'}");
    leaves(kinds, "{'kind':'b','x':null}", "{'kind':'c'}");
    refused(
        "{'oneOf':[{'type':'number'},{'type':'integer'}]}",
        "'oneOf' is supported only where its schemas exclude each other; numbers 0 and 1");
    refused("{'oneOf':[{'type':'string'},{'const':'a'}]}", "use anyOf");
    refused("{'oneOf':[{'properties':{'a':true}},{'properties':{'b':true}}]}", "use anyOf");
  }

  @Test
  void unsupportedKeywordsAreRejectedByNameAndLocation() {
    for (String keyword :
        "not if patternProperties propertyNames minProperties dependentRequired contains unevaluatedItems nullable $anchor"
            .split(" ")) {
      refused(
          "{'properties':{'p':{'" + keyword + "':{}}}}",
          "schema at #/properties/p: '" + keyword + "' is not supported");
    }
    refused("{'type':'integer','multipleOf':2}", "'multipleOf' is not supported, but for 1");
    refused("{'type':'number','multipleOf':1}", "'multipleOf' is not supported, but for 1");
    takes("{'type':'integer','multipleOf':1}", "7");
    refused("{'type':'text'}", "'type' names text; known are");
    refused("{'type':'object','required':'a'}", "'required' must be a list");
    refused("{'properties':{'a':1}}", "schema at #/properties/a: must be an object, not 1");
    refused("{'type':'string','maxLength':1000000}", "'maxLength' is 1000000; at most 100000");
    refused("{'type':'string','minLength':-1}", "'minLength' is -1");
    refused("{'type':'integer','exclusiveMinimum':true}", "'exclusiveMinimum' must be a number");
    takes(
        "{'title':'t','description':'d','default':1,'examples':[],'$schema':'s','$id':'i','$comment':'c','type':'null'}",
        "null");
  }
}
