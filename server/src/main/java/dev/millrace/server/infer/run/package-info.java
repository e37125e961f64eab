/**
 * One attempt at a task. The terms (model hash, prompt tokens, effective parameters: all that the
 * output follows from) are resolved and frozen by the first attempt; a later attempt resumes from
 * the journaled tokens only under the same terms: {@link TermsResolution} has the cases. Tokens are
 * journaled as they are generated, and the result carries a receipt. Start at {@link
 * GenerateRunner}.
 */
@NullMarked
package dev.millrace.server.infer.run;

import org.jspecify.annotations.NullMarked;
