/**
 * Keeps secrets out of logs and errors: passwords, keys and tokens that a program, a client or a
 * library wrote into a text for people. Every pass takes time in proportion to the text, whatever it
 * contains. Start at {@link SecretRedactor}.
 */
@NullMarked
package dev.millrace.core.internal.secret;

import org.jspecify.annotations.NullMarked;
