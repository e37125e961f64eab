package dev.millrace.engine.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.error.EngineException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChatTemplateTest {
  private static final Instant NOW = Instant.parse("2026-02-05T23:30:00Z");
  private static final List<Map<String, String>> HELLO =
      List.of(Map.of("role", "user", "content", "Hello"));
  private static final List<Map<String, String>> TALK =
      List.of(
          Map.of("role", "system", "content", "Be brief."),
          Map.of("role", "user", "content", "Hello"),
          Map.of("role", "assistant", "content", "Hi"));

  @Test
  void aTemplateSeesMessagesToolsTokensAndExtras() {
    ChatTemplate template =
        ChatTemplate.of(
            "{{ bos_token }}{{ messages[0].content }}{{ tools|length }}{{ mood }}{{"
                + " add_generation_prompt }}{{ documents is none }}",
            Map.of("bos_token", "<s>"),
            Set.of());
    assertThat(
            template
                .render(HELLO, List.of(Map.of("a", 1)), Map.of("mood", "calm"), true, NOW)
                .text())
        .isEqualTo("<s>Hello1calmTrueTrue");
    assertThat(template.origin()).isEqualTo(ChatTemplate.Origin.FILE);
  }

  @Test
  void noToolsAreNoneAndATokenThatTheModelLacksIsUndefined() {
    ChatTemplate template =
        ChatTemplate.of("{{ tools is none }} {{ bos_token is defined }}", Map.of(), Set.of());
    assertThat(template.render(HELLO, List.of(), Map.of(), false, NOW).text())
        .isEqualTo("True False");
    assertThat(template.render(HELLO, null, Map.of(), false, NOW).text()).isEqualTo("True False");
  }

  @Test
  void theClockIsAnArgumentInUtc() {
    ChatTemplate template =
        ChatTemplate.of("{{ strftime_now('%d %b %Y %H:%M') }}", Map.of(), Set.of());
    assertThat(template.render(HELLO, null, Map.of(), false, NOW).text())
        .isEqualTo("05 Feb 2026 23:30");
  }

  @Test
  void aRejectionByTheTemplateDiffersFromAFault() {
    ChatTemplate template =
        ChatTemplate.of(
            "a\n{% if messages %}\n{{ raise_exception('No messages, please!') }}{% endif %}",
            Map.of(), Set.of());
    assertThatThrownBy(() -> template.render(HELLO, null, Map.of(), true, NOW))
        .isInstanceOfSatisfying(ChatTemplateException.class, e -> assertThat(e.raised()).isTrue())
        .hasMessage("chat template, line 3: No messages, please!");
    ChatTemplate faulty = ChatTemplate.of("a\n\n{{ messages[0].x.y }}", Map.of(), Set.of());
    assertThatThrownBy(() -> faulty.render(HELLO, null, Map.of(), true, NOW))
        .isInstanceOfSatisfying(ChatTemplateException.class, e -> assertThat(e.raised()).isFalse())
        .hasMessage("chat template, line 3: 'dict object' has no attribute 'x'");
  }

  @Test
  void unsupportedPartsAreRejectedByNameWhenATemplateIsParsed() {
    assertThatThrownBy(() -> ChatTemplate.of("x\n{% include 'y' %}", Map.of(), Set.of()))
        .hasMessage("chat template, line 2: the tag 'include' is not supported here");
    assertThatThrownBy(() -> ChatTemplate.of("{{ x|urlize }}", Map.of(), Set.of()))
        .hasMessage("chat template, line 1: the filter 'urlize' is not supported");
    assertThatThrownBy(() -> ChatTemplate.of("{{ x is nice }}", Map.of(), Set.of()))
        .hasMessage("chat template, line 1: the test 'nice' is not supported");
    assertThatThrownBy(
            () -> ChatTemplate.of("{% for x in y recursive %}{% endfor %}", Map.of(), Set.of()))
        .hasMessageContaining("recursive");
  }

  @Test
  void anExtraVariableCannotReplaceTheMessages() {
    ChatTemplate template = ChatTemplate.of("{{ messages }}", Map.of(), Set.of());
    assertThatThrownBy(() -> template.render(HELLO, null, Map.of("messages", List.of()), true, NOW))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'messages' is not an extra variable");
  }

  @Test
  void aValueThatIsNotPlainIsRejectedWithItsLocation() {
    ChatTemplate template = ChatTemplate.of("x", Map.of(), Set.of());
    assertThatThrownBy(
            () -> template.render(List.of(Map.of("content", NOW)), null, Map.of(), true, NOW))
        .hasMessageContaining("messages[0].content is a java.time.Instant");
  }

  @Test
  void textOfAMessageIsNeverReadAsTemplate() {
    ChatTemplate template = ChatTemplate.of("{{ messages[0].content }}", Map.of(), Set.of());
    String odd = "{{ 7 * 7 }}{% for x in y %}{# z";
    assertThat(template.render(List.of(Map.of("content", odd)), null, Map.of(), true, NOW).text())
        .isEqualTo(odd);
  }

  @Test
  void aFileWithoutTemplateButWithItsTokensGetsChatMl() {
    ChatTemplate template =
        ChatTemplate.fallback(Set.of("<|im_start|>", "<|im_end|>")::contains, Map.of());
    assertThat(template.origin()).isEqualTo(ChatTemplate.Origin.CHATML);
    assertThat(template.render(TALK, null, Map.of(), true, NOW).text())
        .isEqualTo(
            "<|im_start|>system\n"
                + "Be brief.<|im_end|>\n"
                + "<|im_start|>user\n"
                + "Hello<|im_end|>\n"
                + "<|im_start|>assistant\n"
                + "Hi<|im_end|>\n"
                + "<|im_start|>assistant\n");
  }

  @Test
  void aFileWithoutTemplateAndTokensGetsThePlainTexts() {
    ChatTemplate template = ChatTemplate.fallback(_ -> false, Map.of());
    assertThat(template.origin()).isEqualTo(ChatTemplate.Origin.PLAIN);
    assertThat(template.render(HELLO, null, Map.of(), true, NOW).text()).isEqualTo("Hello");
    assertThat(template.render(TALK, null, Map.of(), true, NOW).text())
        .isEqualTo("Be brief.\n\nHello\n\nHi\n\n");
    List<Map<String, Object>> parts =
        List.of(
            Map.of(
                "role",
                "user",
                "content",
                List.of(
                    Map.of("type", "text", "text", "a "), Map.of("type", "text", "text", "b"))));
    assertThat(template.render(parts, null, Map.of(), true, NOW).text()).isEqualTo("a b");
    assertThatThrownBy(
            () -> template.render(HELLO, List.of(Map.of("name", "f")), Map.of(), true, NOW))
        .hasMessageContaining("no tools can be offered");
  }

  @Test
  void theTemplateForToolsIsChosenWhereThereIsOne() {
    ChatTemplateSet templates =
        new ChatTemplateSet(
            Map.of("default", "d", "tool_use", "t", "rag", "{% broken"),
            Map.of(),
            _ -> false,
            _ -> Set.of());
    assertThat(templates.choose(true).render(Map.of(), NOW).text()).isEqualTo("t");
    assertThat(templates.choose(false).render(Map.of(), NOW).text()).isEqualTo("d");
    assertThat(templates.choose(false)).isSameAs(templates.named("default"));
    assertThatThrownBy(() -> templates.named("rag")).isInstanceOf(ChatTemplateException.class);
    assertThatThrownBy(() -> templates.named("none"))
        .hasMessage("the model has no chat template 'none'; it has [default, rag, tool_use]");
    assertThat(
            new ChatTemplateSet(Map.of(), Map.of(), _ -> false, _ -> Set.of())
                .choose(true)
                .origin())
        .isEqualTo(ChatTemplate.Origin.PLAIN);
  }
}
