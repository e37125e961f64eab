/**
 * Checks of the Markdown documents against the program: links and anchors, commands and options,
 * names of classes. {@code DocumentsTest} runs them over the repository. Start at {@link
 * MarkdownDocument}, which says what a document contains; each {@code …Check} looks at one kind.
 */
@NullMarked
package dev.millrace.cli.documents;

import org.jspecify.annotations.NullMarked;
