/**
 * API keys: the file that stores their hashes, the scopes that a key allows, and the principal that
 * a request acts as. {@link ApiKeys} reloads the file when it changes, and accepts no key when it
 * cannot be relied on. Start at {@link ApiKeys}.
 */
@NullMarked
package dev.millrace.http.auth;

import org.jspecify.annotations.NullMarked;
