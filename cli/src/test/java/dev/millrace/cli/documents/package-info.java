/**
 * Checks of the Markdown documents against the program: links and anchors, commands and options,
 * names of classes; and their examples, which are run as typed. {@code DocumentsTest} runs the
 * checks over the repository, {@link DocumentExamplesIT} the examples. Start at {@link
 * MarkdownDocument}, which says what a document contains; each {@code …Check} looks at one kind.
 */
@NullMarked
package dev.millrace.cli.documents;

import org.jspecify.annotations.NullMarked;
