/**
 * State machines as data: a table of transitions decides which state changes are legal, and the
 * documentation is generated from it. Start at {@link TransitionTable}.
 */
@NullMarked
package dev.millrace.core.state;

import org.jspecify.annotations.NullMarked;
