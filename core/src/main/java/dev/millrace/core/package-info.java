/** Durable work: the words, the rules and the store contract; {@code Work} puts in, {@code Flow} takes out. */
@NullMarked
package dev.millrace.core;

import org.jspecify.annotations.NullMarked;
