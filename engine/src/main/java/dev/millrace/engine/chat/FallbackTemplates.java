package dev.millrace.engine.chat;

/**
 * The templates for files that have none. They accept text only and reject everything else: to drop
 * a tool silently would be worse than an error.
 */
final class FallbackTemplates {
  private static final String TEXT_ONLY =
      """
      {%- macro text(content) -%}
        {%- if content is string -%}{{ content }}
        {%- elif content is none or content is undefined -%}
        {%- else -%}
          {%- for part in content -%}
            {%- if part.type != 'text' -%}{{ raise_exception("this model's file has no chat template: a message can only be text") }}{%- endif -%}
            {{ part.text }}
          {%- endfor -%}
        {%- endif -%}
      {%- endmacro -%}
      {%- if tools -%}{{ raise_exception("this model's file has no chat template: no tools can be offered to it") }}{%- endif -%}
      """;

  static final String CHATML =
      TEXT_ONLY
          + """
          {%- for message in messages -%}
            {{ '<|im_start|>' ~ message.role ~ '\\n' ~ text(message.content) ~ '<|im_end|>\\n' }}
          {%- endfor -%}
          {%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}
          """;

  /** A single message is its bare text, as a model that only continues text needs it. */
  static final String PLAIN =
      TEXT_ONLY
          + """
          {%- for message in messages -%}
            {{ text(message.content) }}{{ '' if loop.last and message.role != 'assistant' else '\\n\\n' }}
          {%- endfor -%}
          """;

  private FallbackTemplates() {}
}
